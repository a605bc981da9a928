# SPDX-License-Identifier: Apache-2.0
"""What there is to run: scripts that check themselves, and faults, whose headers say how they have to end."""

import os
import re
import shlex
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The folder, and how its scripts are called in the table.
SCRIPTS = [("samples/kernels", "samples"), ("tests/run", "run")]
SAMPLES_WITH_COPIES = ["tensor_core_matmul", "multistage_matmul", "hopper_matmul"]


class Case:
    def __init__(self, name, path):
        self.name = name
        self.path = path


class Model(Case):
    """Scripts with operators that it needs stand in with.txt beside it, one a line."""

    def __init__(self, name, path, words=()):
        super().__init__(name, path)
        self.words = list(words)

    def options(self):
        return self.words + self.operators()

    def operators(self):
        with_scripts = os.path.join(os.path.dirname(self.path), "with.txt")
        if not os.path.exists(with_scripts):
            return []
        with open(with_scripts, encoding="utf-8") as file:
            return [word for name in file.read().split() for word in ("--with", os.path.join(ROOT, name))]


class Fault(Case):
    """Above the docstring stand `# exit: 1` and `# says: words of the message`, several times if need be; `# options: --timeout 2`
    and `# leave: 2` (GiB of the device's memory, the rest is taken before) where they are needed."""

    def __init__(self, name, path):
        super().__init__(name, path)
        with open(path, encoding="utf-8") as file:
            head = file.read().split('"""', 1)[0]
        self.exit = int(self.field(head, "exit"))
        self.says = re.findall(r"^# says: (.*)$", head, re.MULTILINE)
        self.options = shlex.split(self.field(head, "options", ""))
        self.leave = self.field(head, "leave", "")

    def field(self, head, name, otherwise=None):
        found = re.search(rf"^# {name}: (.*)$", head, re.MULTILINE)
        if not found and otherwise is None:
            raise ValueError(f"{self.path}: no '# {name}:' before the docstring")
        return found.group(1) if found else otherwise


class KernelBench(Case):
    """Above the docstring stand `# try: options of hidetc try` and `# verdict: correct`; `# says: words of the verdict` and
    `# only: cuda` where they are needed."""

    def __init__(self, name, path):
        super().__init__(name, path)
        with open(path, encoding="utf-8") as file:
            head = file.read().split('"""', 1)[0]
        fields = dict(re.findall(r"^# (\w+): (.*)$", head, re.MULTILINE))
        self.options = shlex.split(fields["try"])
        self.verdict = fields["verdict"]
        self.says = fields.get("says", "")
        self.only = fields.get("only", "")


def scripts_below(folder, shown, kind=Case):
    top = os.path.join(ROOT, folder)
    paths = sorted(os.path.join(path, name) for path, _, names in os.walk(top) for name in names if name.endswith(".py"))
    return [kind(f"{shown}/{os.path.relpath(path, top)[:-3]}", path) for path in paths]


def scripts():
    return [case for folder, shown in SCRIPTS for case in scripts_below(folder, shown)]


def models():
    """Those with a recorded result that is right."""
    top = os.path.join(ROOT, "tests", "models")
    names = sorted(name for name in os.listdir(top) if os.path.exists(os.path.join(top, name, name + ".onnx")))
    return [Model(f"models/{name}", os.path.join(top, name, name + ".onnx")) for name in names
            if os.path.exists(os.path.join(top, name, "output_0.pb"))]


def packages():
    """The same models, as packages; in halves most of their kernels are those of templates, with tensor maps."""
    return [Model(case.name.replace("models/", f"packages/{prefix}"), case.path, options)
            for prefix, options in [("", []), ("f16/", ["--precision", "float16"])] for case in models()]


def nodes():
    """Node tests of ONNX, those of nodes.txt: of the bundle, or where the tests of tests/onnx have fetched them. None when they are
    nowhere."""
    places = [os.path.join(ROOT, "tests", "gpu", "nodes"), os.path.join(ROOT, ".cache", "onnx", "node")]
    top = next((place for place in places if os.path.isdir(place)), None)
    if not top:
        return None
    with open(os.path.join(ROOT, "tests", "gpu", "nodes.txt"), encoding="utf-8") as file:
        names = file.read().split()
    return [Case(f"nodes/{name.removeprefix('test_')}", os.path.join(top, name, "model.onnx")) for name in names]


def runtime_nodes():
    """Operators that ONNX Runtime's optimiser and quantiser write (tests/onnx/make_runtime.py)."""
    top = os.path.join(ROOT, "tests", "onnx", "runtime")
    return [Case(f"nodes/runtime/{name}", os.path.join(top, name, "model.onnx")) for name in sorted(os.listdir(top))]


def pipelines():
    """Samples with asynchronous copies, with marks in their kernels."""
    return [Case(f"pipelines/{name}", os.path.join(ROOT, "samples", "kernels", name + ".py")) for name in SAMPLES_WITH_COPIES]


def replaced():
    """A sample with its kernel from a text, in each form."""
    path = os.path.join(ROOT, "samples", "kernels", "naive_matmul.py")
    return [Case(f"replaced/{form}", path) for form in ("cuda", "ptx")]


def kernel_benches():
    return scripts_below("tests/gpu/kernel_benches", "kernel_benches", KernelBench)


def faults():
    """Kernels that hang come last."""
    return sorted(scripts_below("tests/gpu/faults", "faults", Fault), key=lambda case: (bool(case.options), case.name))


def benchmarks(folder):
    """Copied to `folder` with the samples that they import: a script imports what lies below its own folder, not behind a link."""
    shutil.copytree(os.path.join(ROOT, "tests", "gpu", "bench"), folder, dirs_exist_ok=True)
    names = sorted(name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py"))
    return [Case(f"bench/{name}", os.path.join(folder, name + ".py")) for name in names]
