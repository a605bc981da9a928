# SPDX-License-Identifier: Apache-2.0
"""Packages of the models of tests/models and samples/models, run by a process of its own. Those for GPUs launch their kernels through a
driver whose kernels do nothing, and give results of the shapes that running the model gives; what the kernels compute is compared
by unit/model/plan_launches, and on a GPU by tests/gpu. A package for the CPU that is damaged is refused, or gives what the whole
one gives (bindings/same_answers compares those of all models); 'model compile -o' writes what 'export' writes."""

import os
import shutil
import subprocess
import sys
import tempfile
from random import Random

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "tests", "models")
MLP = os.path.join(MODELS, "mlp", "mlp.onnx")
BIN = sys.argv[sys.argv.index("--bin") + 1]
HIDETC = os.path.join(BIN, "hidetc")
BROKEN = {"broken"}  # refused as models
OF_DATA = {"branches", "folded", "loops", "positions"}  # whose shapes are what kernels compute
DAMAGES = 60  # of each package


def hidetc(*arguments, environment=None):
    return subprocess.run([HIDETC, *arguments], capture_output=True, text=True, timeout=250, env={**os.environ, **(environment or {})})


def fake_gpu(settings=""):
    """A GPU whose kernels do nothing, and a compiler whose kernels nobody looks into."""
    return {"HIDET_LIBCUDA": os.path.join(BIN, "libfake_cuda.so"), "HIDET_LIBNVML": "/nowhere/libnvidia-ml.so",
            "HIDET_FAKE_CUDA": settings, "HIDET_NVRTC": os.path.join(BIN, "libfake_nvrtc.so"), "FAKE_NVRTC": "module"}


def models(folder):
    """Name, model, options of compilation, options of a run."""
    for name in sorted(os.listdir(MODELS)):
        model = os.path.join(MODELS, name, name + ".onnx")
        if name in BROKEN or not os.path.exists(model):
            continue
        scripts = os.path.join(MODELS, name, "with.txt")
        options = []
        if os.path.exists(scripts):
            with open(scripts, encoding="utf-8") as file:
                options = [f"--with={os.path.join(ROOT, line.strip())}" for line in file if line.strip()]
        yield name, model, options, ["--data", inputs_alone(folder, name)]
    yield "encoder", os.path.join(ROOT, "samples", "models", "encoder.onnx"), [], ["--dim", "batch=2"]
    yield "document", os.path.join(MODELS, "document", "mlp.json"), [], ["--dim", "batch=3"]


def inputs_alone(folder, name):
    """The data set without what it records, which kernels that do nothing cannot give."""
    data = os.path.join(folder, name + ".data")
    os.mkdir(data)
    for file in os.listdir(os.path.join(MODELS, name)):
        if file.startswith("input_"):
            shutil.copy(os.path.join(MODELS, name, file), data)
    return data


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def outputs(folder):
    return {name: contents(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def heads(folder):
    """Types and shapes of what is in a folder of .npy files: the lines that they begin with."""
    return {name: whole.split(b"\n", 1)[0] for name, whole in outputs(folder).items()}


def wrong_end(arguments, done, wanted=""):
    return f"'hidetc {' '.join(arguments)}' ends with {done.returncode}, and says\n{done.stdout}{done.stderr}" + (f"instead of '{wanted}'" if wanted else "")


def gpu_packages(folder):
    for name, model, options, inputs in models(folder):
        package, direct, packaged = (os.path.join(folder, name + end) for end in (".hidet", ".direct", ".packaged"))
        for arguments in (["export", model, *options, "--target", "cuda", "--arch", "sm_90a", "-o", package],
                          ["model", "run", model, *options, *inputs, "--target", "cuda", "--output", direct],
                          ["model", "run", package, *inputs, "--output", packaged]):
            done = hidetc(*arguments, environment=fake_gpu())
            if done.returncode != 0:
                break
        if "cannot be in a package" in done.stderr:
            continue
        if done.returncode != 0:
            yield f"{name}: {wrong_end(arguments, done)}"
        elif not outputs(packaged) or (name not in OF_DATA and heads(direct) != heads(packaged)):
            yield f"{name}: the package gives results of other shapes than the model"


def damages(folder):
    """A package for the CPU with a byte that is another, or cut off there. A process ends, and gives the bytes of the whole package if
    it gives any."""
    package, results = os.path.join(folder, "damaged.hidet"), os.path.join(folder, "damaged.results")
    inputs = ["--data", inputs_alone(folder, "mlp"), "--trust", "--output", results]
    done = hidetc("export", MLP, "--target", "cpu", "-o", package)
    if done.returncode == 3:
        return  # no compiler
    for arguments in (["model", "run", package, *inputs],):
        done = hidetc(*arguments)
        if done.returncode != 0:
            yield wrong_end(arguments, done)
            return
    wanted, whole, random = outputs(results), contents(package), Random(7)
    for i in range(DAMAGES):
        at = random.randrange(i * len(whole) // DAMAGES, (i + 1) * len(whole) // DAMAGES)
        bad = whole[:at] if i % 4 == 3 else whole[:at] + bytes([whole[at] ^ 1 << random.randrange(8)]) + whole[at + 1 :]
        with open(package, "wb") as opened:
            opened.write(bad)
        shutil.rmtree(results, ignore_errors=True)
        done = hidetc("model", "run", package, *inputs)
        if done.returncode != 1 and (done.returncode != 0 or outputs(results) != wanted):
            yield f"damaged at {at}: 'hidetc model run' ends with {done.returncode}\n{done.stderr}"


def compiled_as_exported(folder):
    one, other = (os.path.join(folder, name, "mlp.hidet") for name in ("compiled", "exported"))
    for path in (one, other):
        os.makedirs(os.path.dirname(path))
    words = ["--target", "cuda", "--arch", "sm_75", "--arch", "sm_90a"]
    hidetc("model", "compile", MLP, *words, "-o", one, environment=fake_gpu())
    hidetc("export", MLP, *words, "-o", other, environment=fake_gpu())
    if contents(one) != contents(other):
        yield "'model compile -o' writes another package than 'export'"
    run = ["model", "run", one, "--dim", "batch=2"]
    cases = [([*run, "--no-fusion"], "", 2, "does not take --no-fusion"),
             (["model", "run", one, "--dim", "rows=2"], "", 2, "has no dimension 'rows'"),
             ([*run, "--target", "emulate"], "", 2, "which the emulator does not run"),
             ([*run, "--entry", "prefill"], "", 2, "has no entry 'prefill'"),
             (run, "devices=0", 3, ""),
             ([*run, "--target", "cpu"], "", 3, "not for cpu"),
             (["model", "bench", one], "", 2, "'hidet-run time' measures"),
             (["model", "run", MLP, "--entry", "main"], "", 2, "--entry is for packages"),
             (["model", "compile", MLP, "--target", "emulate", "-o", one], "", 2, "a package holds machine code"),
             (["model", "compile", MLP, "--target", "cuda", "--arch", "sm_1", "-o", one], "", 2, "no GPU architecture 'sm_1'"),
             (["model", "compile", MLP, "--target", "cuda", "-o", one + ".json"], "", 2, "is not the name of a package"),
             (["model", "compile", MLP, "--arch", "sm_75"], "", 2, "it needs '-o x.hidet'")]
    for arguments, settings, code, wanted in cases:
        done = hidetc(*arguments, environment=fake_gpu(settings))
        if done.returncode != code or wanted not in done.stderr:
            yield wrong_end(arguments, done, wanted)


def main():
    problems = []
    for check in (gpu_packages, damages, compiled_as_exported):
        with tempfile.TemporaryDirectory() as folder:
            problems += check(folder)
    print("\n".join(problems) or "every package runs as its model does")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
