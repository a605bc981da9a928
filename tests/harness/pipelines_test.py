# SPDX-License-Identifier: Apache-2.0
"""Stages of a pipeline as marks in the kernel have them, beside those of the emulator's own events, which know when each copy lands:
the same stages, filled in the same order, and none that is seen before its copies could have landed.
pipelines_test.py --bin FOLDER"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(os.path.abspath(sys.argv[sys.argv.index("--bin") + 1]), "hidetc")


def cases():
    """The scripts of the golden files about pipelines."""
    for name in ("timeline.txt", "timeline_samples.txt"):
        with open(os.path.join(ROOT, "tests/golden/emulate", name), encoding="utf-8") as file:
            for case in file.read().split("\n# ==== ")[1:]:
                title, script = case.split("\n# ---- expect")[0].split("\n", 1)
                yield title, script


def timelines(folder, script, *words):
    with open(os.path.join(folder, "script.py"), "w", encoding="utf-8") as file:
        file.write(script)
    done = subprocess.run([HIDETC, "emulate", "script.py", "--json", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["summary"]["timelines"]


def filled(timeline):
    """Of each warp the stages that its copies fill, in order, -1 where none is known; copies to one stage that follow each other are one."""
    out = {}
    for span in timeline["spans"]:
        if span["kind"] == "copy":
            order = out.setdefault(span["warp"], [])
            if order[-1:] != [span["slot"]]:
                order.append(span["slot"])
    return out


def compare(marked, own):
    assert marked["slots"] == own["slots"] > 0, f"{marked['slots']} stages of marks, {own['slots']} of events"
    stages, events = filled(marked), filled(own)
    assert stages.keys() == events.keys(), f"{stages}\n{events}"
    for warp, order in events.items():  # events know no stage of a copy that no group holds
        known = [stage if event >= 0 else -1 for stage, event in zip(stages[warp], order)]
        assert known == order and len(stages[warp]) == len(order), f"warp {warp}: {stages[warp]}\n{order}"
    waits = sorted(span["end"] for span in marked["spans"] if span["kind"] == "wait")
    for span in marked["spans"]:
        if span["kind"] == "copy" and span["slot"] >= 0:
            is_end_of_wait = span["landed"] in waits or span["landed"] == marked["steps"]
            assert span["begin"] < span["landed"] and is_end_of_wait, span


def main():
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(ROOT, "samples/kernels"), os.path.join(folder, "kernels"))
        for title, script in cases():
            own = timelines(folder, script, "--timeline")
            marked = timelines(folder, script, "--markers")
            for left, right in zip(marked, own, strict=True):
                if not right["slots"]:
                    assert not left["slots"], title
                    continue
                if not left["slots"]:  # where a pointer hides which stage copies fill
                    print(f"{title}: no stages")
                    continue
                print(title)
                compare(left, right)
                compared += 1
    assert compared == 4, f"{compared} pipelines have stages"


main()
