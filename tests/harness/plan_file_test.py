# SPDX-License-Identifier: Apache-2.0
"""Every model of tests/models, compiled to a plan file and run from it by a process of its own, gives the bytes that running the
model gives; and a plan file that is damaged is refused."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "tests", "models")
HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
BROKEN = {"broken"}  # refused as models


def hidetc(*arguments):
    return subprocess.run([HIDETC, "model", *arguments], capture_output=True, text=True, timeout=250)


def models():
    """Name, model, options of compile, options of run."""
    for name in sorted(os.listdir(MODELS)):
        folder = os.path.join(MODELS, name)
        model = os.path.join(folder, name + ".onnx")
        if name in BROKEN or not os.path.exists(model):
            continue
        scripts = os.path.join(folder, "with.txt")
        options = []
        if os.path.exists(scripts):
            with open(scripts, encoding="utf-8") as file:
                options = [f"--with={os.path.join(ROOT, line.strip())}" for line in file if line.strip()]
        yield name, model, options, ["--data", folder]
    yield "document", os.path.join(MODELS, "document", "mlp.json"), [], ["--dim", "batch=3"]


def outputs(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def problems_of(folder, name, model, options, inputs):
    plan, direct, stored = (os.path.join(folder, name + end) for end in (".json", ".direct", ".stored"))
    for arguments in (["compile", model, *options, "--target", "cpu", "-o", plan],
                      ["run", model, *options, *inputs, "--target", "cpu", "--output", direct],
                      ["run", plan, *inputs, "--output", stored]):
        done = hidetc(*arguments)
        if done.returncode != 0:
            return [f"{name}: 'hidetc model {' '.join(arguments)}' ends with {done.returncode}\n{done.stdout}{done.stderr}"]
    found = []
    if not outputs(direct) or outputs(direct) != outputs(stored):
        found.append(f"{name}: the plan gives other bytes than the model")
    with open(plan, "rb") as file:
        before = file.read()
    hidetc("compile", model, *options, "--target", "cpu", "-o", plan)
    with open(plan, "rb") as file:
        if file.read() != before:
            found.append(f"{name}: the same model gives another plan the second time")
    return found


def refusals(folder):
    plan = os.path.join(folder, "mlp.json")
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    weights = os.path.join(folder, "mlp.weights.bin")
    with open(weights, "rb") as file:
        bytes_of_weights = file.read()
    cases = [(text.replace('"version": 1', '"version": 2'), bytes_of_weights, "version 2"),
             (text[: len(text) // 2], bytes_of_weights, "it is no JSON object"),
             (text.replace('"target": "cpu"', '"target": "cuda"'), bytes_of_weights, "it is a plan for 'cuda'"),
             (text.replace("x86-64-v", "x86-64-w"), bytes_of_weights, "which this processor does not run"),
             (text.replace("mlp.weights.bin", "mlp.elsewhere.bin"), bytes_of_weights, "mlp.elsewhere.bin"),
             (text, bytes_of_weights[:-8], "ends past 'mlp.weights.bin'")]
    for damaged, weight_bytes, wanted in cases:
        with open(plan, "w", encoding="utf-8") as file:
            file.write(damaged)
        with open(weights, "wb") as file:
            file.write(weight_bytes)
        done = hidetc("run", plan)
        if done.returncode not in (1, 2) or wanted not in done.stderr:
            yield f"a damaged plan ends with {done.returncode}, and says\n{done.stderr}instead of '{wanted}'"
    with open(plan, "w", encoding="utf-8") as file:
        file.write(text)
    with open(weights, "wb") as file:
        file.write(bytes_of_weights)
    for arguments, wanted in ((["run", plan, "--no-fusion"], "does not take --no-fusion"),
                              (["run", plan, "--dim", "rows=2"], "has no dimension 'rows'"),
                              (["run", plan, "--target", "emulate"], "is made for the CPU"),
                              (["bench", plan], "which 'model run' takes"),
                              (["compile", os.path.join(MODELS, "mlp", "mlp.onnx"), "--target", "emulate", "-o", plan],
                               "'--target cpu' makes it")):
        done = hidetc(*arguments)
        if done.returncode != 2 or wanted not in done.stderr:
            yield f"'hidetc model {' '.join(arguments)}' ends with {done.returncode}, and says\n{done.stderr}instead of '{wanted}'"


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for row in models():
            problems += problems_of(folder, *row)
        if not problems:
            problems += refusals(folder)
    print("\n".join(problems) or "every plan gives what its model gives")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
