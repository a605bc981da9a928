# SPDX-License-Identifier: Apache-2.0
"""replay.py of a capture: a script that makes the captured calls again."""

import platform
import sys

from . import _value
from ._arrays import loaded_text
from ._text import plain_text

HEAD = '''# Made by hidet.capture(): the calls in their order, each with the arguments that it was given. 'hidetc run replay.py' makes them
# again, and 'hidetc try replay.py' measures one. capture.json says what each argument was, versions.json where that was.
import hidet
import numpy
'''


def script(calls, modules):
    lines = [HEAD + "".join(f"import {each}\n" for each in modules if each.startswith("kernels"))]
    graphs = list(dict.fromkeys(each["runs"] for each in calls if (each["runs"] or "").endswith(".hidet")))
    lines += [f"{_variable(each)} = hidet.load_graph('{each}')" for each in graphs]
    for call in calls:
        lines += ["", *_lines_of(call)]
    return "\n".join(lines) + "\n"


def _variable(graph):
    return "loaded_" + graph.partition(".")[0]


def _lines_of(call):
    number, runs = call["call"], call["runs"]
    if runs is None:
        return [f"# Call {number}, of {call['function']}, cannot be made again: {' '.join(call['why'].split())}."]
    if runs.endswith(".json"):
        return [f"# Call {number} is of a graph without its weights: 'hidetc model run {runs}' makes some."]
    lines, given = [f"# Call {number}, in the {_stream_text(call['stream'])}."], []
    for place, argument in enumerate(call["arguments"]):
        value = _given(argument, number, lines)
        given.append(value if place < call["positional"] else f"{argument['name']}={value}")
    if runs.endswith(".hidet"):
        return [*lines, f"results_of_{number} = {_variable(runs)}({', '.join(given)})"]
    if runs.startswith("hidet.ops."):
        return [*lines, f"results_of_{number} = {runs}({', '.join(given)})"]
    if runs.startswith("."):
        return [*lines, f"results_of_{number} = {given[0]}{runs}({', '.join(given[1:])})"]
    if not runs[0].isidentifier():  # an operator of Python
        return [*lines, f"results_of_{number} = {f' {runs} '.join(given) if len(given) == 2 else runs + given[0]}"]
    return [*lines, f"{runs}({', '.join(given)})"]


def _given(argument, number, lines):
    """What a call gets, as text, behind lines that make it."""
    if "value" in argument:
        return plain_text(argument["value"])
    if "items" in argument:
        return f"[{', '.join(_given(each, number, lines) for each in argument['items'])}]"
    variable = f"{argument['name']}_{number}"
    lines += _tensor_lines(variable, argument)
    return variable


def _stream_text(stream):
    return "default stream" if stream == "default" else f"stream {stream}"


def _tensor_lines(variable, tensor):
    lines, dtype, on_gpu = [], tensor["dtype"], ".cuda()" if tensor["device"] == "cuda" else ""
    if "file" in tensor:
        return [f"{variable} = {loaded_text(repr(tensor['file']), dtype)}{on_gpu}"]
    found, shape = tensor["statistics"], tensor["shape"]
    lines.append(f"numpy.random.seed({tensor['seed']})  # there were {_count(shape)} elements from {found['min']!r} to {found['max']!r}")
    if dtype.startswith(("int", "uint", "bool")):
        made = f"numpy.random.randint({int(found['min'])}, {int(found['max']) + 1}, {shape})"
    else:
        made = f"numpy.random.randn({', '.join(map(str, shape))}) * {found['deviation']!r} + {found['mean']!r}"
    return [*lines, f"{variable} = hidet.from_numpy({made}).to(dtype='{dtype}'){on_gpu}"]


def _count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def versions():
    """Of what computed. Nothing is imported for it."""
    hidet = _value.import_module("hidet")
    out = {"hidet": str(hidet.__version__), "python": platform.python_version()}
    for name in ("numpy", "torch", "jax"):
        if name in sys.modules:
            out[name] = str(sys.modules[name].__version__)
    torch = sys.modules.get("torch")
    out["cuda"] = getattr(getattr(torch, "version", None), "cuda", None)
    out["gpu"] = None
    if torch is not None and torch.cuda.is_available():
        out["gpu"] = torch.cuda.get_device_name()
    elif _value._library.device_call(_value._session, "device_count")[0]:
        out["gpu"] = str(hidet.cuda.properties().name)
    return out
