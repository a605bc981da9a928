# SPDX-License-Identifier: Apache-2.0
"""What 'hidetc prove' proves and refutes is what the emulator finds.

Of the samples, the kernels of others in elsewhere/ and the scripts of tests/run, which the emulator finds right, nothing may be refuted; proofs.txt has what is proved of
each kernel, and what is left open by what. Of the wrong variants of tests/variants, the claim that the emulator finds broken may
not be proved of every kernel.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECTED = os.path.join(HERE, "proofs.txt")
FOLDERS = ["samples/kernels", "tests/accesses/elsewhere", "tests/run/cuda", "tests/run/layouts", "tests/run/mappings", "tests/run/order"]
LONG = ["hopper_", "multistage", "tensor_core_attention", "idioms", "in_steps"]  # with --all alone: minutes, for little that is proved
CLAIM_OF = {"race": "races", "missing-wait": "races", "missing-fence": "races", "out-of-bounds": "bounds", "divergent-barrier": "barriers", "misaligned-access": "alignment"}

sys.path.insert(0, os.path.join(ROOT, "tests", "harness"))
import variants  # noqa: E402


def proofs_of(hidetc, script, folder):
    run = subprocess.run([hidetc, "prove", script, "--json"], cwd=folder, capture_output=True, text=True, timeout=900)
    if run.returncode not in (0, 1):
        sys.exit(f"hidetc prove {script} ended with {run.returncode}:\n{run.stderr}")
    return json.loads(run.stdout)["kernels"]


def of_right_script(script, hidetc):
    lines = []
    for kernel in proofs_of(hidetc, script, ROOT):
        claims = ", ".join(f"{claim['claim']} {claim['verdict']}" for claim in kernel["claims"] if claim["places"] or claim["verdict"] != "proved")
        lines.append(f"{script} {kernel['name']}: {claims or 'nothing to prove'}")
        for doubt in kernel["doubts"]:
            wrong = ": WRONG" if doubt["verdict"] == "refuted" else ""
            lines.append(f"  {doubt['line']}: {doubt['claim']}: {doubt['sentence']}{wrong}")
    return lines


def of_table(path, hidetc):
    """Lines, and how many claims that do not hold there are, and are refuted."""
    with open(path, encoding="utf-8") as file:
        script, always, rows = variants.parse(file.read())
    with open(os.path.join(ROOT, script), encoding="utf-8") as file:
        right = variants.changed(file.read(), always)
    lines, broken, refuted = [], 0, 0
    for variant in rows:
        kinds = sorted({CLAIM_OF[kind] for kind, _, _ in variant.findings if kind in CLAIM_OF})
        if not kinds:
            continue
        with tempfile.TemporaryDirectory(prefix="proofs.") as folder:
            name = os.path.basename(script)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(variants.changed(right, variant.changes))
            kernels = proofs_of(hidetc, name, folder)
        for claim in kinds:
            verdicts = [each["verdict"] for kernel in kernels for each in kernel["claims"] if each["claim"] == claim]
            broken += 1
            refuted += "refuted" in verdicts
            if set(verdicts) <= {"proved"}:
                lines.append(f"{os.path.basename(path)}: {variant.name}: {claim} proved: WRONG")
            elif "refuted" not in verdicts:
                lines.append(f"{os.path.basename(path)}: {variant.name}: {claim} open")
    return lines, broken, refuted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="scripts and tables whose path holds the word")
    parser.add_argument("--all", action="store_true", help="those that take minutes, too: what is proved is printed, and compared with nothing")
    parser.add_argument("--update", action="store_true", help="write what is proved into proofs.txt, then read the diff")
    parser.add_argument("--hidetc", required=True)
    options = parser.parse_args()
    hidetc = os.path.abspath(options.hidetc)
    folders = FOLDERS + (["tests/run/idioms", "tests/run/tensors", "tests/run/control"] if options.all else [])
    is_wanted = lambda path: options.only in path and (options.all or not any(word in path for word in LONG))  # noqa: E731
    scripts = [f"{folder}/{name}" for folder in folders for name in sorted(os.listdir(os.path.join(ROOT, folder)))
               if name.endswith(".py") and is_wanted(f"{folder}/{name}")]
    tables = [os.path.join(ROOT, "tests", "variants", name) for name in sorted(os.listdir(os.path.join(ROOT, "tests", "variants")))
              if name.endswith(".txt") and is_wanted(name)]
    with ThreadPoolExecutor(2) as pool:
        text = [line for lines in pool.map(lambda each: of_right_script(each, hidetc), scripts) for line in lines]
        results = list(pool.map(lambda each: of_table(each, hidetc), tables))
    text += [line for lines, _, _ in results for line in lines]
    print(f"{len(scripts)} scripts; {sum(broken for _, broken, _ in results)} claims that do not hold, "
          f"{sum(refuted for _, _, refuted in results)} of them refuted")
    text = "\n".join(text) + "\n"
    if options.update and "WRONG" not in text:
        with open(EXPECTED, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(EXPECTED, encoding="utf-8") as file:
        expected = file.read()
    if options.only or options.all:
        print(text)
    elif text != expected:
        import difflib
        sys.exit("".join(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), "proofs.txt", "now")))
    if "WRONG" in text:
        sys.exit(text)


if __name__ == "__main__":
    main()
