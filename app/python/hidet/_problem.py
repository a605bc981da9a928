# SPDX-License-Identifier: Apache-2.0
"""Problems that others have written for kernels: definitions of FlashInfer-Bench and problems of KernelBench, read as text.

Nothing of a problem runs while it is read: JSON is data, and Python is looked at as a tree. A file comes from a stranger, so that names,
sizes and lengths are looked at before anything is made of them."""

import ast
import json
import keyword
import os
import re
import stat

from . import _safetensors
from ._translate import reference_of_forward, reference_of_run, static_inputs

MOST_BYTES = 4 << 20  # of a file
MOST_CASES = 64
MOST_AXES, MOST_TENSORS, MOST_DIMENSIONS = 32, 64, 16
MOST_FOLDERS_ABOVE = 2  # of a file of workloads: that of all data
MOST_EXTENT, MOST_ELEMENTS = (1 << 31) - 1, 1 << 40
DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2",
          "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "boolean"}
RESERVED = {"hidet", "torch", "numpy", "math", "F", "attrs", "blockIdx", "threadIdx", "range", "list", "tuple", "print", "float", "int", "build",
            "reference", "inputs", "check", "case", "given", "wanted", "number", "kernel", "shape", "count", "script_module",
            "CASES", "KEPT", "TOLERANCE", "COUNT", "i", *DTYPES.values()}


class Malformed(ValueError):
    """What is wrong with a problem, in a sentence."""


class Tensor:
    """shape: extents and names of axes; None: a number, or of a result that it is not known before the reference runs."""

    def __init__(self, name, shape, dtype, *, given=None, filled="randn"):
        self.name, self.shape, self.dtype, self.filled = name, shape, dtype, filled
        self.given = given or name  # as the problem calls it


class Problem:
    """sizes     axis -> its extent, of those that are fixed
    axes      the others, each of which a case says
    cases     [{axis or number among the inputs: value}]
    inputs, outputs
    text      of the reference, as it came
    files     for each case {input: where its elements are: a file of safetensors and the tensor in it}
    reference a function as text that a script can run, or None
    left_out  workloads that cannot be made here
    """

    def __init__(self, name, kind, origin, text, tolerance):
        self.name, self.kind, self.origin, self.text, self.tolerance = name, kind, origin, text, tolerance
        self.sizes, self.axes, self.cases, self.files, self.inputs, self.outputs = {}, [], [], [], [], []
        self.reference, self.left_out = None, 0


def read(path, workloads=None, folder=None):
    """A problem of either kind, by the ending of its file. folder: where it was imported to, with what came from files beside it."""
    text = _text_of(path)
    if path.endswith(".py"):
        if workloads is not None:
            raise Malformed("a problem of KernelBench says its sizes itself, and takes no workloads")
        return _of_kernelbench(os.path.splitext(os.path.basename(path))[0], text)
    find = _Finder(workloads, folder)
    return _of_flashinfer(_json(text, path), _lines_of(workloads) if workloads is not None else [], find)


class _Finder:
    """Where the inputs of workloads are that come from files: their paths begin at a folder above that of the workloads."""

    def __init__(self, workloads, folder):
        self._folder, self._roots, self._open = folder, [], {}
        at = os.path.dirname(os.path.abspath(workloads or "."))
        for _ in range(MOST_FOLDERS_ABOVE + 1):
            self._roots.append(at)
            at = os.path.dirname(at)

    def __call__(self, how, number, tensor, shape):
        """None: it is not here."""
        if self._folder is not None:
            path = os.path.join(self._folder, f"case_{number}", f"{tensor.name}.npy")
            return (path, "") if os.path.isfile(path) else None
        path, key = how.get("path"), how.get("tensor_key")
        if not isinstance(path, str) or not isinstance(key, str) or not _safetensors.is_below(path):
            raise Malformed(f"'{tensor.name}' of a workload comes from {_shown(path)}, {_shown(key)}, which is no tensor of a file below the data")
        found = next((full for root in self._roots if os.path.lexists(full := os.path.join(root, path))), None)
        if found is None:
            return None
        stored = self._file(found).tensors.get(key)
        if stored is None:
            raise Malformed(f"'{found}' has no tensor {_shown(key)}")
        if stored.dtype != tensor.dtype or stored.shape != shape:
            raise Malformed(f"'{tensor.name}' is {tensor.dtype}{shape}, and {stored.dtype}{stored.shape} in '{found}'")
        return self._file(found), key

    def _file(self, path):
        if path not in self._open:
            self._open[path] = _safetensors.File(path)
        return self._open[path]


def _text_of(path):
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe may wait for ever
        raise Malformed(f"'{path}' is no file")
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Malformed(f"'{path}' is larger than {MOST_BYTES >> 20} MiB, which no problem is")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed(f"'{path}' is no text in UTF-8") from None
    if "\0" in text:
        raise Malformed(f"'{path}' has a zero byte in it")
    return text


def _json(text, where):
    try:
        return json.loads(text)
    except RecursionError:
        raise Malformed(f"'{where}' is nested too deeply") from None
    except ValueError as error:
        raise Malformed(f"'{where}' is no JSON: {error}") from None


def _lines_of(path):
    lines = [line for line in _text_of(path).splitlines() if line.strip()]
    return [_json(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def _object(value, what):
    if not isinstance(value, dict):
        raise Malformed(f"{what} is no object")
    return value


def name_of(given, what):
    if not isinstance(given, str) or len(given) > 128 or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", given) or keyword.iskeyword(given):
        raise Malformed(f"{what} is called {_shown(given)}, which is no name")
    return given + "_" if given in RESERVED else given


def _shown(value):
    said = ascii(value) if value is None or isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
    return said if len(said) <= 60 else said[:57] + "..."


def _extent(value, what):
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_EXTENT:
        raise Malformed(f"{what} is {_shown(value)}; an extent is a whole number from 1 to {MOST_EXTENT}")
    return value


def dtype_of(value, what):
    if not isinstance(value, str) or value not in DTYPES:
        raise Malformed(f"{what} has the dtype {_shown(value)}; known are {', '.join(DTYPES)}")
    return value


def _python(text, what, use):
    """What is made of the text as a tree."""
    try:
        return use(ast.parse(text))
    except (RecursionError, MemoryError):
        raise Malformed(f"{what} is nested too deeply") from None
    except Malformed:
        raise
    except (SyntaxError, ValueError) as error:
        raise Malformed(f"{what} is no Python: {error}") from None


def _of_flashinfer(data, workloads, find):
    data = _object(data, "the definition")
    text = data.get("reference")
    if not isinstance(text, str):
        raise Malformed("the definition has no 'reference', the text of a function run()")
    out = Problem(name_of(data.get("name"), "the definition"), "flashinfer", "a definition of FlashInfer-Bench", text, (1e-2, 1e-2))
    axes = _object(data.get("axes"), "'axes'")
    if len(axes) > MOST_AXES:
        raise Malformed(f"there are {len(axes)} axes, and {MOST_AXES} at most are read")
    known = {given: name_of(given, "an axis") for given in axes}
    for given, axis in axes.items():
        kind = _object(axis, f"axis '{known[given]}'").get("type")
        if kind == "const":
            out.sizes[known[given]] = _extent(axis.get("value"), f"axis '{known[given]}'")
        elif kind == "var":
            out.axes.append(known[given])
        else:
            raise Malformed(f"axis '{known[given]}' is of type {_shown(kind)}, and neither const nor var")
    out.inputs = _tensors(data.get("inputs"), "inputs", known)
    out.outputs = _tensors(data.get("outputs"), "outputs", known)
    _check_names(out)
    out.reference = _python(text, "the reference", lambda tree: _translated_run(tree, out))
    _add_cases(out, data, known, workloads, find)
    check(out)
    return out


def _translated_run(tree, problem):
    if not any(isinstance(each, ast.FunctionDef) and each.name == "run" for each in tree.body):
        raise Malformed("the reference defines no function run()")
    return reference_of_run(tree, [each.name for each in problem.inputs], [each.given for each in problem.outputs])


def _tensors(given, what, axes):
    given = _object(given, f"'{what}'")
    if not 1 <= len(given) <= MOST_TENSORS:
        raise Malformed(f"there are {len(given)} {what}; from 1 to {MOST_TENSORS} are read")
    return [_tensor(name, _object(each, f"{what[:-1]} {_shown(name)}"), axes, what == "inputs") for name, each in given.items()]


def _tensor(own, given, axes, is_input):
    name = name_of(own, "a tensor")
    dtype, shape = dtype_of(given.get("dtype"), f"'{name}'"), given.get("shape")
    if shape is None and is_input:
        return Tensor(name, None, dtype, given=own)
    shape = [] if shape is None else shape
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
        raise Malformed(f"the shape of '{name}' is no list of at most {MOST_DIMENSIONS} axes")
    for each in shape:
        if isinstance(each, str) and each not in axes:
            raise Malformed(f"the shape of '{name}' names {_shown(each)}, which is no axis")
    return Tensor(name, [axes[each] if isinstance(each, str) else _extent(each, f"a dimension of '{name}'") for each in shape], dtype, given=own)


def check(problem):
    """Its names and the sizes of its tensors, for each case."""
    _check_names(problem)
    for case in problem.cases:
        _check_elements(problem, case)


def _check_names(problem):
    names = [*problem.sizes, *problem.axes, *(each.name for each in (*problem.inputs, *problem.outputs)), problem.name]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice:
        raise Malformed(f"the name '{twice}' stands for two things")


def _add_cases(problem, data, known, workloads, find):
    if not workloads:
        problem.cases = [dict.fromkeys(problem.axes, 16) | {each.name: _number_for(each, 1) for each in problem.inputs if each.shape is None}]
        problem.files = [{}]
        return
    for given in workloads:
        read = _case(problem, data, known, _object(given, "a workload"), find) if len(problem.cases) < MOST_CASES else None
        if read is None:
            problem.left_out += 1
        elif read not in list(zip(problem.cases, problem.files)):
            problem.cases.append(read[0])
            problem.files.append(read[1])
    if not problem.cases:
        raise Malformed("no workload can be made here: the inputs of all of them come from other files")


def _case(problem, data, known, given, find):
    """Its numbers, and what comes from files. None: one of these is not here."""
    of = given.get("definition", data["name"])
    if of != data["name"]:
        raise Malformed(f"a workload is of {_shown(of)}, and the definition is '{problem.name}'")
    given = _object(given.get("workload", given), "a workload")
    axes = _object(given.get("axes", {}), "'axes' of a workload")
    case = {}
    for name, own in known.items():
        if own in problem.axes:
            case[own] = _extent(axes.get(name), f"axis '{own}' of a workload")
    filled, files = _object(given.get("inputs", {}), "'inputs' of a workload"), {}
    for each in problem.inputs:
        how = _object(filled.get(each.given, {}), f"input '{each.name}' of a workload")
        if how.get("type") == "safetensors" and each.shape is not None:
            files[each.name] = find(how, len(problem.cases), each, shape_of(each, {**problem.sizes, **case}))
        elif each.shape is None:
            case[each.name] = _number_for(each, how.get("value", 1))
    return None if None in files.values() else (case, files)


def shape_of(tensor, sizes):
    return [each if isinstance(each, int) else sizes[each] for each in tensor.shape]


def _number_for(tensor, value):
    kinds = (int, float) if "float" in tensor.dtype else int
    if not isinstance(value, kinds) or (isinstance(value, bool) and tensor.dtype != "bool") or not abs(value) <= 1e38:
        raise Malformed(f"'{tensor.name}' of a workload is {_shown(value)}, and no number of type {tensor.dtype}")
    return bool(value) if tensor.dtype == "bool" else float(value) if "float" in tensor.dtype else value


def _check_elements(problem, case):
    for each in (*problem.inputs, *problem.outputs):
        count = 1
        for extent in each.shape or ():
            count *= extent if isinstance(extent, int) else {**problem.sizes, **case}[extent]
        if count > MOST_ELEMENTS:
            raise Malformed(f"'{each.name}' would have {_shown(count)} elements, and {MOST_ELEMENTS} at most are possible")


def _of_kernelbench(stem, text):
    name = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_")[:64]
    name = f"problem_{name}" if not name or name[0].isdigit() else name
    out = Problem(name_of(name, "the problem"), "kernelbench", "a problem of KernelBench", text, (1e-4, 1e-4))
    out.cases, out.files = [{}], [{}]
    _python(text, "the problem", lambda tree: _add_forward(tree, out))
    check(out)
    return out


def _add_forward(tree, problem):
    """Inputs, results and reference, where these can be read without running anything."""
    defined = {each.name: each for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    for wanted, kind in (("Model", ast.ClassDef), ("get_inputs", ast.FunctionDef), ("get_init_inputs", ast.FunctionDef)):
        if not isinstance(defined.get(wanted), kind):
            raise Malformed(f"the problem defines no {'class' if kind is ast.ClassDef else 'function'} {wanted}")
    inputs = static_inputs(tree)
    found = inputs and reference_of_forward(tree, len(inputs))
    if not found:
        return
    names, problem.reference = found
    problem.inputs = [Tensor(name_of(own, "an argument of forward()"), [_extent(extent, f"a dimension of '{own}'") for extent in shape], "float32",
                             filled=how) for own, (how, shape) in zip(names, inputs)]
    problem.outputs = [Tensor("out" if "out" not in names else "out_", None, "float32")]
