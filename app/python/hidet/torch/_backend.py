# SPDX-License-Identifier: Apache-2.0
"""The backend: a graph of Dynamo by AOTAutograd to core ATen, in parts, compiled."""

import operator
import os
import re
import warnings

import torch
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import TensorifyScalarRestartAnalysis
from torch._functorch.aot_autograd import make_boxed_func
from torch._subclasses.fake_tensor import unset_fake_temporarily

from hidet import _value
from hidet.torch import _explain
from hidet.torch._aten import ROWS
from hidet.torch._attention import keep_attention
from hidet.torch._config import Settings
from hidet.torch._data import own, plain
from hidet.torch._divided import in_pieces, taking_pieces
from hidet.torch._folding import folded
from hidet.torch._lower import inputs_of
from hidet.torch._mesh import axes_of, joined
from hidet.torch._numbers import settle
from hidet.torch._partition import Verdicts, partitioned
from hidet.torch._part import Called, Part, Traced
from hidet.torch._training import Passes, Trained, keep_for_other_passes


def decompositions():
    """Of what has no row of its own."""
    return {op: function for op, function in core_aten_decompositions().items() if op not in ROWS}


MOST_CHANGES = 4  # of weights, by loading another state, say


def compiled(module, settings, weights=None, most_changes=MOST_CHANGES):
    """The graph as a module, with its parts compiled.

    `weights`: position -> the parameter or buffer that is always given there. After so many changes of them they count as inputs."""
    if settings.prints:
        print(module.graph)
    fused, counted, parts = _parts(module, weights or {})
    for name, graph, constants, written in parts:
        part = Part(graph, constants, settings, most_changes, written)
        setattr(fused, name, Called(part))
        try:
            with unset_fake_temporarily(), torch.no_grad():  # weights have data
                counted.few_bits += part.build(constants)
        except Exception as error:
            if settings.mesh:  # the others may have compiled it
                raise
            part.leave_to_pytorch()
            counted.refuse(graph.graph, str(error))
            warnings.warn(f"a part of the graph runs in PyTorch: {error}", RuntimeWarning)
    _explain.note(counted)
    fused.recompile()
    return fused


def _boxed(fused):
    """The compiled graph as a function of a list. One that is a single part, as most are, is called without PyTorch's modules
    between, where each of some hundred weights would be an argument of five functions."""
    constants = [node for node in fused.graph.nodes if node.op == "get_attr"]
    steps = [node for node in fused.graph.nodes if node.op not in ("placeholder", "output", "get_attr")]
    results = next(node for node in fused.graph.nodes if node.op == "output").args[0]
    part = getattr(fused, steps[0].target, None) if steps and steps[0].op == "call_module" else None
    places = {node: place for place, node in enumerate(inputs_of(fused.graph))}
    held = [getattr(fused, node.target) for node in constants]
    items = {node: node.args[1] for node in steps[1:] if node.target is operator.getitem}
    own = [node for node in results if node not in places]
    passed = [node for node in results if node in places]  # inputs that a backward pass reads
    if not isinstance(part, Called) or len(items) < len(steps) - 1 or own + passed != list(results) or None in own:
        return make_boxed_func(fused.forward)
    places |= {node: len(places) + place for place, node in enumerate(constants)}
    given = [places[node] for node in steps[0].args]
    picked = operator.itemgetter(*given) if len(given) > 1 else lambda args: [args[place] for place in given]
    ordered = (lambda args: picked(args + held)) if held else picked
    taken = [items.get(node) for node in own]  # None: the only result
    kept = [places[node] for node in passed]
    part = part.part

    def run(args):
        computed = part.run(ordered(args))
        found = [computed if place is None else computed[place] for place in taken]
        return found + [args[place] for place in kept]

    run._boxed_call = True
    return run


def _parts(module, weights):
    """The module with its compiled parts as submodules, which operators these have, and (name, part, constants, written) of each part."""
    weights = {place: value for place, value in weights.items() if place not in _written_places(module.graph)}
    _views_as_copies(module)
    verdicts = Verdicts(module.graph)
    if folded(module, verdicts.reasons):
        verdicts = Verdicts(module.graph)
    counted = _explain.Counts(module.graph, verdicts)  # of the graph before it is cut
    fused = partitioned(module, verdicts)
    written = _written_by_parts(fused, counted)
    places = {node: place for place, node in enumerate(inputs_of(fused.graph))}
    parts = []
    for node in fused.graph.nodes:
        if node.op == "call_module":
            constants = {at: weights[places[each]] for at, each in enumerate(node.args) if each in places and places[each] in weights}
            constants |= {at: getattr(fused, each.target) for at, each in enumerate(node.args) if each.op == "get_attr"}
            parts.append((node.target, getattr(fused, node.target), constants, written.get(node.target, {})))
    return fused, counted, parts


def _written_places(graph):
    """Of the inputs that the graph itself writes to, at its end."""
    written = {node.args[0] for node in graph.nodes if node.target is torch.ops.aten.copy_.default}
    return {place for place, node in enumerate(inputs_of(graph)) if node in written}


def _written_by_parts(fused, counted):
    """part -> {place of a result: place of the argument that it is copied to}; these copies leave the graph. Nothing but the part reads
    such an argument, and nothing but the copy such a result."""
    written = {}
    for node in list(fused.graph.nodes):
        if node.target is not torch.ops.aten.copy_.default or len(node.args) != 2 or node.users:
            continue
        to, source = node.args
        is_item = source.target is operator.getitem
        part, place = source.args if is_item else (source, 0)
        is_own = part.op == "call_module" and to.op == "placeholder" and list(part.args).count(to) == 1
        if is_own and set(to.users) == {part, node} and set(source.users) == {node} and _are_alike(to, source):
            written.setdefault(part.target, {})[place] = list(part.args).index(to)
            counted.take(node)
            fused.graph.erase_node(node)
    return written


def _are_alike(*nodes):
    return len({(tuple(each.meta["val"].shape), each.meta["val"].dtype, each.meta["val"].device) for each in nodes}) == 1


def _views_as_copies(module):
    """A part's results have no gaps, also where PyTorch foretold such: what only a view of those could be is asked for as a view or a
    copy."""
    for node in module.graph.nodes:
        if node.target in (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default):
            node.target = torch.ops.aten.reshape.default


class _Weights:
    """The parameters and buffers among the inputs of the graph that Dynamo gives, which AOTAutograd's graph may have, too."""

    def __init__(self, module, inputs):
        self._found, self._count = {}, 0
        for node, value in zip(inputs_of(module.graph), inputs):
            is_static = isinstance(value, torch.nn.Parameter) or node.meta.get("tensor_dict", {}).get("_dynamo_static_input_type")
            for each in plain(value):
                if is_static and isinstance(each, torch.Tensor) and not each.is_inference():
                    own(each, value)
                    self._found[self._count] = each
                self._count += 1

    def among(self, given):
        """position -> weight, of a graph with these inputs."""
        return self._found if len(given) == self._count else {}


def backend(module, inputs, mode=None, options=None, **others):
    """torch.compile(model, backend="hidet", mode=..., options=...)."""
    if others:
        raise TypeError(f"hidet takes mode and options, not {', '.join(others)}")
    settings = Settings(mode, options)
    axes = axes_of(settings.axes)
    if axes and torch._functorch.config.force_autograd_cache:
        raise ValueError("option 'mesh' is of processes that run now, and a graph in a file is of others")
    settings.mesh = joined(axes) if axes else None
    settle(module)
    keep_attention(module, inputs)
    weights = _Weights(module, inputs if settings.weights == "constants" else [])
    saves = torch._functorch.config.force_autograd_cache  # aot_compile() asks for a function that can be saved
    inputs, places = ([*inputs], []) if saves else in_pieces(module, inputs)

    def boxed(*args, **keywords):
        if saves:
            return Code(compiled(*args, **keywords))
        return _boxed(compiled(*args, **keywords))

    def infer(graph, given):
        return boxed(graph, settings, weights.among(given))

    passes = Passes()

    def forward(graph, given):
        """A step of an optimiser changes the weights: then they are inputs."""
        keep_for_other_passes()
        return boxed(graph, settings, weights.among(given), most_changes=0)

    def backward(graph, given):
        passes.goes_back = True  # compiled at the first backward pass
        return boxed(graph, settings)

    through = aot_autograd(fw_compiler=forward, bw_compiler=backward, inference_compiler=infer, decompositions=decompositions(),
                           partition_fn=passes.parted, keep_inference_input_mutations=True)
    if not saves:
        return taking_pieces(Trained(lambda: through(module, inputs), passes), places)
    from hidet.torch._saved import Code, SavedFunction, nothing_shared

    try:
        with nothing_shared():
            return SavedFunction(through(module, inputs))
    except TensorifyScalarRestartAnalysis:  # which torch.compile follows by another trace
        raise RuntimeError("aot_compile() cannot leave open an extent that a number with a fraction comes from: "
                           "torch._dynamo.mark_dynamic() names the others, in the place of dynamic=True") from None


def tracing(found):
    """A backend that computes in PyTorch, and adds the graphs of Hidet that the parts are to `found`, with the lines of the model."""

    def traced(module, weights):
        *_, parts = _parts(module, weights)
        for _, part, constants, _ in parts:
            try:
                with unset_fake_temporarily(), torch.no_grad():
                    found.append(Traced(part, constants, _stand).graph)
            finally:
                _value.stand_at(None)
        return make_boxed_func(module.forward)

    def backend(module, inputs):
        settle(module)
        keep_attention(module, inputs)
        weights = _Weights(module, inputs)
        compile = lambda graph, given: traced(graph, weights.among(given))
        return aot_autograd(fw_compiler=compile, bw_compiler=compile, decompositions=decompositions())(module, inputs)

    return backend


PYTORCH = os.path.dirname(torch.__file__) + os.sep


def _stand(node):
    """At the line of the model that the node comes from: the last one that is not PyTorch's own."""
    places = re.findall(r'File "(.+?)", line (\d+)', node.meta.get("stack_trace") or "")
    place = next((each for each in reversed(places) if not each[0].startswith(PYTORCH)), None)
    _value.stand_at(place and (place[0], int(place[1])))
