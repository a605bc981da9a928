# SPDX-License-Identifier: Apache-2.0
"""The script of a problem: a kernel that is to be written, with the sizes, the reference and the tolerance that it is held to."""

import re

from ._arrays import loaded_text
from ._problem import DTYPES

MOST_PREVIEWS = 4
THREADS = 256


def script(problem):
    """None: the shapes of its tensors are not known before the reference runs."""
    if not problem.inputs or (problem.reference is None and any(each.shape is None for each in problem.outputs)):
        return None
    body = "\n\n".join(part for part in (_head(problem), problem.reference or "", _build(problem), _check(problem)) if part)
    loop = "for number, case in enumerate(CASES):\n    check(number, **case)\n" if _is_numbered(problem) else "for case in CASES:\n    check(**case)\n"
    return f"{_comment(problem)}{_imports(problem, body)}\n{body}\n\n{loop}"


def _is_numbered(problem):
    """Whether tensors of a case are in its folder."""
    return problem.reference is None or any(problem.files)


def _comment(problem):
    lines = [f"{problem.name}, from {problem.origin}: the kernel is to be written. 'hidetc try {problem.name}.py --reference checks' says",
             "whether it is right, for each size, and how fast it is."]
    if problem.reference is None:
        lines += ["No script can run the reference, which is in reference.py: 'python -m hidet.import_problem --run-reference FOLDER' runs it",
                  "in your own Python with PyTorch, and writes the tensors that are read here."]
    if problem.left_out:
        lines.append(f"Of the workloads {problem.left_out} are left out: their inputs come from other files, or there are too many.")
    return "".join(f"# {line}\n" for line in lines)


def _imports(problem, body):
    types = sorted({DTYPES[each.dtype] for each in (*problem.inputs, *problem.outputs)})
    lines = ["import hidet"] + [f"import {name}" for name in ("math", "numpy") if re.search(rf"\b{name}\.", body)] + ["import torch"]
    if re.search(r"\bF\.", problem.reference or ""):
        lines.append("import torch.nn.functional as F")
    lines += [f"from hidet.lang import attrs, {', '.join(types)}", "from hidet.lang.cuda import blockIdx, threadIdx"]
    return "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.startswith("from")))


def _head(problem):
    absolute, relative = problem.tolerance
    lines = [f"TOLERANCE = {{'atol': {absolute}, 'rtol': {relative}}}"]
    lines += [f"{name} = {extent}" for name, extent in problem.sizes.items()]
    lines += ["CASES = [", *(f"    {case!r}," for case in problem.cases), "]"]
    if problem.reference is not None and any(problem.files):
        lines.append(f"KEPT = {[sorted(each) for each in problem.files]}  # inputs that came from files: case_0/x.npy")
    if _are_sizes_known(problem):
        calls = dict.fromkeys(f"build({', '.join(str(case[axis]) for axis in problem.axes)})" for case in problem.cases)
        lines += [f"# studio: {call}" for call in list(calls)[:MOST_PREVIEWS]]
    return "\n".join(lines) + "\n"


def _are_sizes_known(problem):
    return all(each.shape is not None for each in problem.outputs)


def _parameters(problem):
    return ", ".join(problem.axes) if _are_sizes_known(problem) else "shape, count"


def _extents(shape):
    """As a parameter has them: a number is a tensor of one element there."""
    return ", ".join(map(str, shape)) or "1"


def _build(problem):
    result = problem.outputs[0]
    known = _are_sizes_known(problem)
    count = " * ".join(map(str, result.shape)) or "1" if known else "count"
    taken = [f"{each.name}: {DTYPES[each.dtype]}" + (f"[{_extents(each.shape)}]" if each.shape is not None else "") for each in problem.inputs]
    taken += [f"{each.name}: {DTYPES[each.dtype]}[{_extents(each.shape) if each.shape is not None else 'shape'}]" for each in problem.outputs]
    return f"""def build({_parameters(problem)}):
    with hidet.script_module() as script_module:

        @hidet.script
        def {problem.name}({', '.join(taken)}):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = ({count} + {THREADS - 1}) // {THREADS}
            attrs.cuda.block_dim = {THREADS}
            i = blockIdx.x * {THREADS} + threadIdx.x
            if i < {count}:
                pass  # to be written: element i of {result.name}

    return script_module.build()
"""


def _check(problem):
    numbers = [each.name for each in problem.inputs if each.shape is None]
    is_translated = problem.reference is not None
    lines = [f"def check({', '.join([*(['number'] if _is_numbered(problem) else []), *problem.axes, *numbers])}):"]
    tensors = [each for each in problem.inputs if each.shape is not None]
    several = len(problem.outputs) > 1
    if is_translated:
        lines.append("torch.manual_seed(0)")
        lines += [f"{each.name} = {_given(problem, each)}" for each in tensors]
        lines.append(f"wanted = reference({', '.join(each.name for each in problem.inputs)})")
    known = _are_sizes_known(problem)
    lines.append(f"kernel = build({_parameters(problem) if known else 'tuple(wanted.shape), wanted.numel()'})")
    if not is_translated:
        lines += [f"{each.name} = {_loaded(each.name, each.dtype)}" for each in tensors]
        lines.append(f"wanted = [{', '.join(_loaded(each.name, each.dtype) for each in problem.outputs)}]")
    for each in problem.outputs:
        shape = f"[{_extents(each.shape)}]" if each.shape is not None else "list(wanted.shape)"
        lines.append(f"{each.name} = torch.zeros({shape}, device='cuda').to({_torch(each.dtype)})")
    given = [each.name if each.shape is None else _seen(each) + ".cuda()" for each in problem.inputs]
    lines.append(f"kernel({', '.join([*given, *(each.name for each in problem.outputs)])})")
    for place, each in enumerate(problem.outputs):
        wanted = f"wanted[{place}]" if several or not is_translated else "wanted"
        lines.append(f"torch.testing.assert_close({each.name}.cpu(), {wanted}.reshape({each.name}.shape), **TOLERANCE)")
    return "\n    ".join(lines) + "\n"


def _seen(tensor):
    return tensor.name if tensor.shape else f"{tensor.name}.reshape([1])"


def _torch(dtype):
    return f"torch.{dtype}"


def _made(tensor):
    shape = f"[{', '.join(map(str, tensor.shape))}]"
    if tensor.dtype == "bool" or tensor.dtype.startswith(("int", "uint")):
        return f"torch.randint(0, 2, {shape}).to({_torch(tensor.dtype)})"
    made = f"torch.{tensor.filled}({shape})"
    return made if tensor.dtype == "float32" else f"{made}.to({_torch(tensor.dtype)})"


def _given(problem, tensor):
    having = [tensor.name in each for each in problem.files]
    if not any(having):
        return _made(tensor)
    loaded = _loaded(tensor.name, tensor.dtype)
    return loaded if all(having) else f"{loaded} if '{tensor.name}' in KEPT[number] else {_made(tensor)}"


def _loaded(name, dtype):
    return loaded_text(f"f'case_{{number}}/{name}.npy'", {"float8_e4m3fn": "float8_e4m3"}.get(dtype, dtype))
