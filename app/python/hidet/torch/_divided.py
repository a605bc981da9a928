# SPDX-License-Identifier: Apache-2.0
"""Weights that are DTensors, as the pieces that this process has.

AOTAutograd takes each apart in every call, for hundreds of weights longer than a GPU works on a token. Where no gradients are computed
they come in pieces, and are put together within the graph, where that costs nothing."""

import torch
from torch._guards import TracingContext
from torch._dynamo.source import ConstantSource
from torch.fx.experimental.symbolic_shapes import DimDynamic, StatefulSymbolicContext

from hidet.torch._guards import check_in_few_words
from hidet.torch._lower import inputs_of


def in_pieces(module, inputs):
    """The inputs with pieces for wholes, and the places where they are, as a list; the graph takes them so."""
    context = TracingContext.try_get()
    if torch.is_grad_enabled() or context is None or not torch.distributed.is_available():
        return inputs, []
    from torch.distributed.tensor import DTensor

    nodes = inputs_of(module.graph)
    places = [place for place, value in enumerate(inputs) if isinstance(value, DTensor) and isinstance(value, torch.nn.Parameter)
              and type(value._local_tensor) in (torch.Tensor, torch.nn.Parameter)]
    inputs = list(inputs)
    for place in places:
        whole, node = inputs[place], nodes[place]
        inputs[place] = whole._local_tensor
        static = [DimDynamic.STATIC] * whole._local_tensor.dim()
        context.tensor_to_context[inputs[place]] = StatefulSymbolicContext(
            dynamic_sizes=static, tensor_source=ConstantSource(f"piece {place}"), shape_env_to_source_to_symbol_cache={})
        with module.graph.inserting_after(nodes[-1]):
            made = module.graph.call_function(_putting_together(whole), (node,))
        made.meta["example_value"] = node.meta["example_value"]
        node.meta["example_value"] = node.meta["example_value"]._local_tensor
        node.replace_all_uses_with(made, delete_user_cb=lambda user, made=made: user is not made)
    if places:
        module.recompile()
        check_in_few_words(context.guards_context.dynamo_guards)
    return inputs, places


def _putting_together(whole):
    spec = whole._spec

    def put_together(piece):
        return type(whole).from_local(piece, spec.mesh, spec.placements, run_check=False, shape=spec.shape, stride=spec.stride)

    return put_together


def taking_pieces(run, places):
    """The function, which takes wholes at these places."""
    if not places:
        return run

    def taking(*args):
        given = list(args)
        for place in places:
            given[place] = given[place]._local_tensor
        return run(*given)

    return taking
