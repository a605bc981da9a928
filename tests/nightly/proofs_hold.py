#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What 'hidetc prove' proves, the emulator does not find broken: in the samples and the scripts of tests/run as they are, in random
orders; at random sizes where they have dynamic dimensions; and in variants of them of which a barrier, a wait
or a fence is gone, two statements change places, a comparison takes one more, or a number is one more, which are mostly wrong.

    proofs_hold.py [--build FOLDER] [--only WORD] [--seed N] [--variants N] [--minutes 20] [--jobs 2]
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["samples/kernels", "tests/accesses/elsewhere"] + [f"tests/run/{name}" for name in sorted(os.listdir(os.path.join(ROOT, "tests", "run")))
                                  if not name.endswith(".txt")]
CLAIM_OF = {"race": "races", "missing-wait": "races", "missing-fence": "races", "out-of-bounds": "bounds", "divergent-barrier": "barriers",
            "misaligned-access": "alignment"}
DIMENSION = re.compile(r"symbol_var\('(\w+)'")
MODULE = re.compile(r"script_module\(\) as (?:of_)?(\w+):\n    @hidet\.script\n    def \1\((.*)\):")  # of many in a script, one kernel each
CHANGES = [(re.compile(r"(cuda\.)?syncthreads\(\)(?!.*import)"), "pass"), (re.compile(r"(cuda\.)?syncwarp\(\)"), "pass"),
           (re.compile(r"(?<= )(mbarrier_|barrier_|fence_|copy_bulk_w|copy_bulk_c|cp_async_w|wgmma_wait|wgmma_fence\(|this_cluster\.sync)\w*\(.*\)$", re.MULTILINE),
            "pass"), (re.compile(r"^( +)(\w+\(.*\)|\w+\[.*\] = .*)\n\1(\w.*[^:])$", re.MULTILINE), r"\1\3\n\1\2"),
           (re.compile(r" < (?=\w)"), " <= "), (re.compile(r"(?<=[\w\]] )\+ 1\b"), "+ 2"), (re.compile(r"(?<=\w )% (\d+)"), None)]
LONGEST = 120  # seconds of a program; what takes longer is left out


def document_of(command, folder):
    """None: it took too long, or is about something else than kernels."""
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
        return json.loads(run.stdout) if run.returncode in (0, 1) else None
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def proved_of(document):
    """Line of a kernel: the claims that are proved in all its forms."""
    out = {}
    for kernel in document["kernels"]:
        claims = {claim["claim"] for claim in kernel["claims"] if claim["verdict"] == "proved"}
        out[kernel["line"]] = out.get(kernel["line"], claims) & claims
    return out


def broken(document, proved, name):
    """Findings of what is proved."""
    out = []
    for finding in document["diagnostics"]:
        line = max((line for line in proved if line <= finding["line"]), default=None)
        claim = CLAIM_OF.get(finding["id"])
        if line is not None and claim in proved[line] and finding["file"].endswith(name):
            out.append(f"{claim} of the kernel in line {line} proved, but line {finding['line']}: {finding['message']}")
    return out


def variant(text, dice):
    """The script with one change; None: it has nothing to change."""
    pattern, becomes = dice.choice(CHANGES)
    places = [match for match in pattern.finditer(text) if "import" not in text[text.rfind("\n", 0, match.start()):match.start()]]
    if not places:
        return None
    at = dice.choice(places)
    return text[:at.start()] + (at.expand(becomes) if becomes else f"% {int(at.group(1)) + 1}") + text[at.end():]


def sizes_of(dimensions, taken, dice):
    """`taken`: the parameters; None: any."""
    if taken is not None:
        dimensions = [each for each in dimensions if re.search(rf"\b{each}\b", taken)] + re.findall(r"(\w+): i32(?!\[)", taken)
    sizes = [f"{each}={dice.choice([1, 2, dice.randrange(1, 40), dice.randrange(1, 300)])}" for each in dimensions]
    return [word for size in sizes for word in ("--dim", size)]


def check(hidetc, script, text, orders, seed):
    """(runs, claims that were proved, what is wrong)."""
    name, dice = os.path.basename(script), random.Random(f"{seed} {text}")
    runs, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="proofs.") as folder:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        document = document_of([hidetc, "prove", name, "--json"], folder)
        proved = proved_of(document) if document else {}
        if not any(proved.values()):
            return 0, 0, []
        commands = [[hidetc, "emulate", name, "--json"]] + [
            [hidetc, "emulate", name, "--json", "--seed", str(dice.randrange(1000))] for _ in range(orders)]
        if dimensions := sorted(set(DIMENSION.findall(text))):
            modules = list(enumerate((taken for _, taken in MODULE.findall(text)), 1)) or [(None, None)]
            for number, taken in modules * (orders if len(modules) > 1 else 2 * orders):
                commands.append([hidetc, "try", name, "--json", "--check-only", "--target", "emulate", "--seed", str(dice.randrange(1000)),
                                 *(["--module", str(number)] if number else []), *sizes_of(dimensions, taken, dice)])
        for command in commands:
            found = document_of(command, folder)
            runs += found is not None
            wrong += [f"{script}: {' '.join(command[1:])}: {each}" for each in (broken(found, proved, name) if found else [])]
    return runs, sum(len(claims) for claims in proved.values()), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    parser.add_argument("--only", default="", help="scripts whose path holds the word")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variants", type=int, default=4, help="of each script")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--jobs", type=int, default=2, help="scripts at the same time")
    options = parser.parse_args()
    hidetc = os.path.join(os.path.abspath(options.build), "bin", "hidetc")
    until = time.monotonic() + 60 * options.minutes
    jobs = []
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            script = f"{folder}/{name}"
            if not name.endswith(".py") or options.only not in script:
                continue
            with open(os.path.join(ROOT, script), encoding="utf-8") as file:
                text = file.read()
            dice = random.Random(f"{script} {options.seed}")
            jobs.append((script, text, 2, options.seed))
            changed = {variant(text, dice) for _ in range(options.variants)} - {None}
            jobs += [(f"{script}, variant {i + 1}", each, 1, options.seed) for i, each in enumerate(sorted(changed))]
    random.Random(options.seed).shuffle(jobs)  # where the time ends, others are left out in another run

    def done(job):
        return check(hidetc, job[0].partition(",")[0], *job[1:]) if time.monotonic() < until else None

    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(done, jobs))
    left = results.count(None)
    results = [result for result in results if result]
    for each in [each for _, _, wrong in results for each in wrong]:
        print(each)
    print(f"{len(results)} scripts and variants, {sum(claims for _, claims, _ in results)} claims proved, "
          f"{sum(runs for runs, _, _ in results)} runs of the emulator, {sum(len(wrong) for _, _, wrong in results)} findings of what is proved"
          + (f"; {left} left out" if left else ""))
    return 1 if any(wrong for _, _, wrong in results) else 0


if __name__ == "__main__":
    sys.exit(main())
