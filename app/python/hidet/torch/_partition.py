# SPDX-License-Identifier: Apache-2.0
"""Which operators of a graph run where.

Every operator is tried by itself, with symbols for its operands: the tables say no for what they lack, a row for how it is used,
Hidet for shapes and dtypes. What remains is joined to parts as large as the order of the others allows, so that no operator of
PyTorch breaks a graph. Views that only lead to results and to operators of PyTorch stay views of PyTorch's: they cost nothing there,
and such operators may ask for the strides that they give."""

import functools
import operator
import warnings

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import hidet
from hidet import _value
from hidet.torch._aten import ROWS
from hidet.torch._lower import Dims, ExampleDims, lowered, symbol_for
from hidet.torch._operators import REGISTERED, Declined

VIEWS = {
    getattr(getattr(torch.ops.aten, name.partition(".")[0]), name.partition(".")[2] or "default")
    for name in ("view permute t transpose.int expand slice.Tensor select.int squeeze squeeze.dim squeeze.dims unsqueeze alias detach "
                 "_unsafe_view").split()
}


class Verdicts(OperatorSupportBase):
    """node -> why it runs in PyTorch; what is not in it is compiled."""

    def __init__(self, graph):
        self.reasons = {}
        self.views = set()
        self._find_views(graph)
        for node in graph.nodes:
            if node.op == "call_function" and node not in self.views:
                reason = self._against(node)
                if reason:
                    self.reasons[node] = reason
        self._whole_results()
        self._find_views(graph)

    def _find_views(self, graph):
        for node in reversed(graph.nodes):
            if node.target in VIEWS and node.users and all(each.op == "output" or each in self.views or each in self.reasons
                                                           for each in node.users):
                self.views.add(node)

    def _against(self, node):
        values = [node.meta.get("val")] + [each.meta.get("val") for each in node.all_input_nodes]
        if isinstance(values[0], (torch.SymInt, torch.SymFloat, torch.SymBool, int, float)):
            return "a number of the host"
        if node.target is operator.getitem:
            return self.reasons.get(node.args[0])
        if node.target not in ROWS:
            return "is between processes" if exchanges(node) else "has no row"
        if node.target is WAIT and not _is_begun_by(node.args[0]):
            return "is between processes"
        if node.target is WAIT and node.args[0] in self.reasons:
            return self.reasons[node.args[0]]
        tensors = [each for value in values for each in (value if isinstance(value, (tuple, list)) else [value])]
        for each in tensors:
            if isinstance(each, torch.Tensor):
                problem = _problem(each)
                if problem:
                    return problem
        try:
            dims = Dims()
            result = lowered(node, _operands(node, dims), dims)
            if node.target in REGISTERED:
                _prove(node)
        except Exception as error:  # what Hidet says of shapes and dtypes, too
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            if node.target in REGISTERED and not isinstance(error, Declined):
                warnings.warn(f"{node.target} runs in PyTorch: {reason}", RuntimeWarning)
            return reason
        if isinstance(result, tuple):
            for user in node.users:
                if user.target is not operator.getitem or user.args[1] >= len(result):
                    return f"result {user.args[1]} is read" if user.target is operator.getitem else "all its results are read"
        return None

    def _whole_results(self):
        """An operator of several results and those who take one of them go together."""
        for node in list(self.reasons):
            for user in node.users:
                if user.target is operator.getitem:
                    self.reasons.setdefault(user, self.reasons[node])

    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and node not in self.reasons and node not in self.views


def _operands(node, dims):
    """Node -> symbols for what it gives."""
    return {each: _stand_in(each.meta["val"], dims) for each in node.all_input_nodes
            if isinstance(each.meta["val"], (torch.Tensor, tuple, list))}


def _prove(node):
    """What no table of ours vouches for has the right extents in the example, and compiles by itself: else it would take what is around
    it to PyTorch with it."""
    sizes, dims = ExampleDims(), Dims()
    lowered(node, _operands(node, sizes), sizes)
    env = _operands(node, dims)
    results = lowered(node, env, dims)
    traced = [each for each in (results if isinstance(results, tuple) else [results]) if each.is_symbolic()]
    inputs = [each for given in env.values() for each in (given if isinstance(given, tuple) else [given])]
    inputs += [hidet.symbol([extent, 0], dtype="int8") for extent in dims.symbols.values()]
    if traced:
        hidet.trace_from(traced, inputs).build()


def _stand_in(value, dims):
    return tuple(symbol_for(each, dims) for each in value) if isinstance(value, (tuple, list)) else symbol_for(value, dims)


def _problem(meta):
    if meta.layout is not torch.strided or meta.is_quantized:
        return f"a tensor of layout {meta.layout}"
    if meta.device.type not in ("cpu", "cuda"):
        return f"a tensor on {meta.device}"
    if meta.device.type == "cpu" and _cpu_problem():
        return "code for the CPU needs a C++ compiler"
    if free_unbacked_symbols(meta):
        return "an extent that depends on data"
    if meta.is_conj() or meta.is_neg():
        return "a lazily conjugated tensor"
    return None


@functools.cache
def _cpu_problem():
    """Why nothing can be compiled for the CPU, or "". It is told once."""
    problem = str(_value._library.cpu_problem(_value._session))
    if problem:
        warnings.warn(f"graphs on the CPU run in PyTorch: {problem}", RuntimeWarning)
    return problem


def partitioned(module, verdicts):
    """The module with its compiled parts as submodules `fused_0`, ..."""
    _chain(module.graph)
    partitioner = CapabilityBasedPartitioner(module, verdicts, allows_single_node_partition=True)
    parts = partitioner.propose_partitions()
    parts = [part for part in parts if any(_computes(node) for node in part.nodes)]
    fused = partitioner.fuse_partitions(parts, prefix="fused_")
    for graph in (fused.graph, *(each.graph for each in fused.children() if isinstance(each, torch.fx.GraphModule))):
        _unchain(graph)
    return fused


WAIT = torch.ops._c10d_functional.wait_tensor.default


def exchanges(node):
    """A functional collective, or what waits for one."""
    return getattr(node.target, "namespace", "") in ("_c10d_functional", "_c10d_functional_autograd")


def _is_begun_by(node):
    return node.op == "call_function" and exchanges(node) and node.target is not WAIT


def _chain(graph):
    """Until parts are found, each collective reads the one before it: processes meet in the order of their program, and no part may
    need what a later one gives for what an earlier one takes."""
    collectives = [node for node in graph.nodes if _is_begun_by(node)]
    for before, node in zip(collectives, collectives[1:]):
        node.kwargs = {**node.kwargs, _BEFORE: before}


def _unchain(graph):
    for node in graph.nodes:
        if _BEFORE in node.kwargs:
            node.kwargs = {name: value for name, value in node.kwargs.items() if name != _BEFORE}


_BEFORE = "before"


def _computes(node):
    return node.target is not operator.getitem and node.target not in VIEWS
