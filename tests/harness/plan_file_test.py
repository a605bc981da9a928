# SPDX-License-Identifier: Apache-2.0
"""Every model of tests/models and samples/models, compiled to a plan file and run from it by a process of its own, gives the bytes that running the
model gives; and a plan file that is damaged is refused. Plan files for GPUs are made as well, and run through a driver whose
kernels do nothing: what their kernels compute is compared by unit/model/plan_launches, and on a GPU by tests/gpu."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from random import Random

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "tests", "models")
BIN = sys.argv[sys.argv.index("--bin") + 1]
HIDETC = os.path.join(BIN, "hidetc")
BROKEN = {"broken"}  # refused as models
DAMAGES = 24  # of each file


def hidetc(*arguments, environment=None):
    return subprocess.run([HIDETC, "model", *arguments], capture_output=True, text=True, timeout=250,
                          env={**os.environ, **(environment or {})})


def fake_gpu(settings="", compiler="libfake_nvrtc.so"):
    """A GPU whose kernels do nothing, and a compiler whose kernels nobody looks into; without a name, the real compiler."""
    gpu = {"HIDET_LIBCUDA": os.path.join(BIN, "libfake_cuda.so"), "HIDET_LIBNVML": "/nowhere/libnvidia-ml.so", "HIDET_FAKE_CUDA": settings}
    return {**gpu, "HIDET_NVRTC": os.path.join(BIN, compiler), "FAKE_NVRTC": "module"} if compiler else gpu


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
    yield "encoder", os.path.join(ROOT, "samples", "models", "encoder.onnx"), [], ["--dim", "batch=2"]
    yield "document", os.path.join(MODELS, "document", "mlp.json"), [], ["--dim", "batch=3"]


def outputs(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def problems_of(folder, name, model, options, inputs, target="cpu", environment=None):
    plan, direct, stored = (os.path.join(folder, name + end) for end in (".json", ".direct", ".stored"))
    for arguments in (["compile", model, *options, "--target", target, "-o", plan],
                      ["run", model, *options, *inputs, "--target", target, "--output", direct],
                      ["run", plan, *inputs, "--output", stored]):
        done = hidetc(*arguments, environment=environment)
        if done.returncode != 0:
            return [f"{name}: 'hidetc model {' '.join(arguments)}' ends with {done.returncode}\n{done.stdout}{done.stderr}"]
    found = []
    if not outputs(direct) or outputs(direct) != outputs(stored):
        found.append(f"{name}: the plan gives other bytes than the model")
    with open(plan, "rb") as file:
        before = file.read()
    hidetc("compile", model, *options, "--target", target, "-o", plan, environment=environment)
    with open(plan, "rb") as file:
        if file.read() != before:
            found.append(f"{name}: the same model gives another plan the second time")
    return found


def unsealed(text):
    """Without hashes, as another program may write a plan: what is changed in it is not refused for that alone."""
    return re.sub(r'"hash": ?"[^"]*"', '"hash":""', text)


def damages(folder, name, inputs):
    """Of a plan for the CPU that has been run: each of its files with a byte that is another, or cut off there. A process ends, and
    gives the bytes of the whole plan if it gives any."""
    plan, results = os.path.join(folder, name + ".json"), os.path.join(folder, "damaged.results")
    wanted = outputs(os.path.join(folder, name + ".stored"))
    random = Random(7)
    for file in sorted(file for file in os.listdir(folder) if file.startswith(name + ".") and os.path.isfile(os.path.join(folder, file))):
        path = os.path.join(folder, file)
        with open(path, "rb") as opened:
            whole = opened.read()
        for i in range(DAMAGES):
            at = random.randrange(i * len(whole) // DAMAGES, (i + 1) * len(whole) // DAMAGES)
            bad = whole[:at] if i % 4 == 3 else whole[:at] + bytes([whole[at] ^ 1 << random.randrange(8)]) + whole[at + 1 :]
            with open(path, "wb") as opened:
                opened.write(bad)
            shutil.rmtree(results, ignore_errors=True)
            done = hidetc("run", plan, *inputs, "--output", results)
            if done.returncode != 1 and (done.returncode != 0 or outputs(results) != wanted):
                yield f"{file}, damaged at {at}: 'hidetc model run' ends with {done.returncode}\n{done.stderr}"
        with open(path, "wb") as opened:
            opened.write(whole)


def refusals(folder):
    plan = os.path.join(folder, "mlp.json")
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    weights = os.path.join(folder, "mlp.weights.bin")
    with open(weights, "rb") as file:
        bytes_of_weights = file.read()
    sealed, text = text, unsealed(text)
    cases = [(sealed.replace('"mlp"', '"mlq"', 1), bytes_of_weights, "it is another plan than was written"),
             (sealed, bytes_of_weights[:-1] + bytes([bytes_of_weights[-1] ^ 1]), "'mlp.weights.bin' is damaged"),
             (re.sub(r'"version": (\d+)', '"version": 77', text, count=1), bytes_of_weights, "version 77"),
             (text[: len(text) // 2], bytes_of_weights, "it is not a JSON object"),
             (text.replace('"target": "cpu"', '"target": "cuda"'), bytes_of_weights, "calls a function, and the plan is for a GPU"),
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
                              (["run", plan, "--target", "emulate"], "is made for 'cpu'"),
                              (["bench", plan], "which 'model run' takes"),
                              (["compile", os.path.join(MODELS, "mlp", "mlp.onnx"), "--target", "emulate", "-o", plan],
                               "'--target cpu' makes one")):
        done = hidetc(*arguments)
        if done.returncode != 2 or wanted not in done.stderr:
            yield f"'hidetc model {' '.join(arguments)}' ends with {done.returncode}, and says\n{done.stderr}instead of '{wanted}'"


def inputs_alone(folder, name):
    """The data set without what it records, which kernels that do nothing cannot give."""
    data = os.path.join(folder, name + ".data")
    os.mkdir(data)
    for file in os.listdir(os.path.join(MODELS, name)):
        if file.startswith("input_"):
            shutil.copy(os.path.join(MODELS, name, file), data)
    return data


def gpu_plans(folder):
    for name, model, options, inputs in models():
        if inputs[0] == "--data":
            inputs = ["--data", inputs_alone(folder, name)]
        yield from problems_of(folder, name, model, options, inputs, "cuda", fake_gpu())
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            plan = json.load(file)
        kinds = {step.get("kind", "call") for body in (plan, *plan["bodies"]) for step in body.get("steps", [])}
        if "launch" not in kinds or "call" in kinds:
            yield f"{name}: the steps of its plan for GPUs are {sorted(kinds)}"


def gpu_architectures(folder):
    """One image of each; with the real compiler, where there is one, registers and shared memory of each kernel too."""
    mlp, plan = os.path.join(MODELS, "mlp", "mlp.onnx"), os.path.join(folder, "both.json")
    for compiler in ("libfake_nvrtc.so", ""):
        gpu = fake_gpu(compiler=compiler)
        compiled = hidetc("compile", mlp, "--target", "cuda", "--arch", "sm_75", "--arch", "sm_90a", "-o", plan, environment=gpu)
        if not compiler and compiled.returncode == 3:
            return
        ran = hidetc("run", plan, "--dim", "batch=2", environment=gpu)
        if compiled.returncode != 0 or ran.returncode != 0:
            yield f"a plan for two architectures ends with {compiled.returncode}, {ran.returncode}\n{compiled.stderr}{ran.stderr}"
            return
        with open(plan, encoding="utf-8") as file:
            images = json.load(file)["images"]
        if {image["architecture"] for image in images} != {"sm_75", "sm_90a"}:
            yield f"the images of a plan for two architectures are {images}"
        if not compiler and not all(kernel.get("registers", 0) > 0 for image in images for kernel in image["kernels"] or [{}]):
            yield f"no registers in the images {images}"


def gpu_refusals(folder):
    mlp, plan, old = (os.path.join(MODELS, "mlp", "mlp.onnx"), os.path.join(folder, "mlp.json"), os.path.join(folder, "old.json"))
    hidetc("compile", mlp, "--target", "cuda", "--arch", "sm_75", "-o", old, environment=fake_gpu())
    with open(plan, encoding="utf-8") as file:
        text = unsealed(file.read())
    changed = os.path.join(folder, "changed.json")
    run = ["run", plan, "--dim", "batch=2"]
    cases = [(run, "devices=0", 3, "is a plan for a GPU"),
             ([*run, "--target", "cpu"], "", 2, "is made for 'cuda'"),
             (["run", old], "", 1, "compiled for sm_75, which Fake GPU (sm_90a) does not run"),
             (["compile", mlp, "--target", "cuda", "--arch", "sm_1", "-o", plan], "", 2, "no GPU architecture 'sm_1'"),
             (["compile", mlp, "--arch", "sm_75", "-o", plan], "", 2, "--arch says what GPUs a plan file is for"),
             (text.replace('"kind":"launch"', '"kind":"call"'), "", 1, "calls a function, and the plan is for a GPU"),
             (re.sub(r',"parameters":\[\{[^]]*\]', "", text), "", 1, "arguments, and it takes 0"),
             (re.sub(r'"symbol":"[^"]*"', '"symbol":"none"', text), "", 3, "has no kernel 'none'")]
    for arguments, settings, code, wanted in cases:
        if isinstance(arguments, str):
            with open(changed, "w", encoding="utf-8") as file:
                file.write(arguments)
            arguments = ["run", changed, "--dim", "batch=2"]
        done = hidetc(*arguments, environment=fake_gpu(settings))
        if done.returncode != code or wanted not in done.stderr:
            yield f"'hidetc model {' '.join(arguments)}' ends with {done.returncode}, and says\n{done.stderr}instead of '{wanted}'"


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for row in models():
            problems += problems_of(folder, *row)
        if not problems:
            for name in ("mlp", "loops"):
                problems += damages(folder, name, ["--data", os.path.join(MODELS, name)])
            problems += refusals(folder)
    with tempfile.TemporaryDirectory() as folder:
        problems += gpu_plans(folder)
        if not problems:
            problems += [*gpu_architectures(folder), *gpu_refusals(folder)]
    print("\n".join(problems) or "every plan gives what its model gives")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
