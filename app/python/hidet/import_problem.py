# SPDX-License-Identifier: Apache-2.0
"""Problems of others as scripts with a kernel that is to be written.

    python -m hidet.import_problem gemm.json --workloads gemm.jsonl      a definition of FlashInfer-Bench
    python -m hidet.import_problem 1_Square_matrix_multiplication_.py    a problem of KernelBench
    python -m hidet.import_problem --run-reference FOLDER                runs its reference in this Python, which has PyTorch

A file is read as text, and nothing of it runs; only --run-reference runs what it holds. The folder (-o, else the problem's name) gets the
script, with the reference where that is plain calls of torch, else with what --run-reference keeps of it in case_0, case_1, ..."""

import argparse
import json
import os
import runpy
import shutil
import sys
import tempfile

from . import _arrays, _problem, _problem_script, _value
from ._problem import Malformed, Tensor

__all__ = ["import_problem", "run_reference"]


def import_problem(path, workloads=None, folder=None):
    """Writes the folder, and gives its name. What is wrong with the problem is a ValueError, and nothing is written."""
    path = os.fspath(path)
    problem = _problem.read(path, None if workloads is None else os.fspath(workloads))
    folder = os.path.abspath(folder if folder is not None else problem.name)
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise FileExistsError(f"'{folder}' is there already, and is not written over")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    part = tempfile.mkdtemp(prefix=f".{problem.name}-", dir=os.path.dirname(folder))
    try:
        _write(part, "reference.py", problem.text)
        _write(part, "problem.json", json.dumps({"format": "hidet-problem", "version": 1, "kind": problem.kind, "name": problem.name}, indent=1) + "\n")
        for source, name in ((path, "definition.json"), (workloads, "workloads.jsonl")) if problem.kind == "flashinfer" else ():
            if source is not None:
                shutil.copyfile(source, os.path.join(part, name))
        for number, files in enumerate(problem.files):
            for name, (file, key) in files.items():
                _copy(part, number, name, file, key)
        text = _problem_script.script(problem)
        if text is not None:
            _write(part, f"{problem.name}.py", text)
        os.chmod(part, 0o755)
        os.rename(part, folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return folder


def run_reference(folder):
    """Runs the reference of an imported problem here, and keeps what it takes and gives beside the script, for each case."""
    folder = os.path.abspath(folder)
    problem = _read_again(folder)
    import torch

    own = runpy.run_path(os.path.join(folder, "reference.py"))
    with torch.no_grad():
        if problem.kind == "flashinfer":
            for number, case in enumerate(problem.cases):
                torch.manual_seed(number)
                sizes = {**problem.sizes, **case}
                given = [_made(each, sizes, problem.files[number].get(each.name), torch) for each in problem.inputs]
                _keep(folder, number, problem.inputs, given, sizes)  # before it runs, as it may write to them
                _keep(folder, number, problem.outputs, _listed(own["run"](*given), problem.outputs), sizes)
            return
        torch.manual_seed(0)
        model = own["Model"](*own["get_init_inputs"]()).eval()
        inputs = list(own["get_inputs"]())
        before = [(f"x{place}", _copied(each)) for place, each in enumerate(inputs)]
        before += [(name.replace(".", "_"), _copied(each)) for name, each in model.state_dict().items()]
        results = _listed(model(*inputs), None)
    results = [(f"out{place}" if len(results) > 1 else "out", each) for place, each in enumerate(results)]
    problem.reference, problem.cases, problem.files = None, [{}], [{}]
    problem.inputs, problem.outputs = ([_like(name, each, torch) for name, each in listed] for listed in (before, results))
    _problem.check(problem)
    _keep(folder, 0, problem.inputs, [each for _, each in before], {})
    _keep(folder, 0, problem.outputs, [each for _, each in results], {})
    if not os.path.lexists(os.path.join(folder, f"{problem.name}.py")):
        _write(folder, f"{problem.name}.py", _problem_script.script(problem))


def _read_again(folder):
    with open(os.path.join(folder, "problem.json"), encoding="utf-8") as file:
        mark = json.load(file)
    if not isinstance(mark, dict) or mark.get("format") != "hidet-problem":
        raise Malformed(f"'{folder}' holds no imported problem")
    if mark.get("kind") == "flashinfer":
        workloads = os.path.join(folder, "workloads.jsonl")
        return _problem.read(os.path.join(folder, "definition.json"), workloads if os.path.exists(workloads) else None, folder)
    read = _problem.read(os.path.join(folder, "reference.py"))
    read.name = _problem.name_of(mark.get("name"), "the problem")
    return read


def _copy(folder, number, name, file, key):
    """An input that comes from a file, beside the script."""
    os.makedirs(os.path.join(folder, f"case_{number}"), exist_ok=True)
    stored = file.tensors[key]
    with open(os.path.join(folder, f"case_{number}", f"{name}.npy"), "wb") as out:
        out.write(_arrays.head(stored.dtype, stored.shape))
        file.copy(key, out)


def _made(tensor, sizes, kept, torch):
    if tensor.shape is None:
        return sizes[tensor.name]
    shape, dtype = _problem.shape_of(tensor, sizes), getattr(torch, tensor.dtype)
    if kept is not None:
        import numpy

        return torch.from_numpy(numpy.load(kept[0])).view(dtype).reshape(shape)
    made = torch.randn(shape) if dtype.is_floating_point else torch.randint(0, 2, shape)
    return made.to(dtype)


def _copied(value):
    return value.clone() if hasattr(value, "clone") else value


def _listed(results, outputs):
    if isinstance(results, dict):
        return [results[each.given] for each in outputs] if outputs else list(results.values())
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _like(name, value, torch):
    if not isinstance(value, torch.Tensor):
        raise Malformed(f"'{name}' is a {type(value).__name__}, and a kernel's arguments are tensors here")
    return Tensor(_problem.name_of(name, "a tensor"), list(value.shape), _problem.dtype_of(str(value.dtype).partition(".")[2], f"'{name}'"))


def _keep(folder, number, tensors, values, sizes):
    if len(tensors) != len(values):
        raise Malformed(f"the reference gives {len(values)} results, and {len(tensors)} are expected")
    case = os.path.join(folder, f"case_{number}")
    os.makedirs(case, exist_ok=True)
    for tensor, value in zip(tensors, values):
        if tensor.shape is None:
            continue
        wanted = [each if isinstance(each, int) else sizes[each] for each in tensor.shape]
        if not hasattr(value, "detach") or list(value.shape) != wanted:
            raise Malformed(f"the reference's '{tensor.name}' is {_shown(value)}, and a tensor of shape {wanted} is expected")
        _arrays.save(_value.tensor(value.detach().cpu().contiguous()), os.path.join(case, f"{tensor.name}.npy"))


def _shown(value):
    return f"a tensor of shape {list(value.shape)}" if hasattr(value, "shape") else f"a {type(value).__name__}"


def _write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m hidet.import_problem", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="a definition of FlashInfer-Bench (.json) or a problem of KernelBench (.py)")
    parser.add_argument("--workloads", metavar="FILE", help="the sizes of a definition (.jsonl)")
    parser.add_argument("-o", dest="folder", metavar="FOLDER", help="where it is written: the name of the problem, unless this says otherwise")
    parser.add_argument("--run-reference", action="store_true", help="FILE is the folder of an imported problem, whose reference runs here")
    given = parser.parse_args(arguments)
    try:
        if given.run_reference:
            run_reference(given.file)
        else:
            folder = import_problem(given.file, given.workloads, given.folder)
            print(folder)
            if not any(name.endswith(".py") and name != "reference.py" for name in os.listdir(folder)):
                print("note: its tensors are known when the reference has run, which --run-reference does; then there is a script", file=sys.stderr)
    except (ValueError, OSError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
