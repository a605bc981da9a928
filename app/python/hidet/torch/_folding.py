# SPDX-License-Identifier: Apache-2.0
"""Constants of a graph that only PyTorch can compute, such as masks that a model makes anew in each call: computed once."""

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from hidet.torch._packed import Constants
from hidet.torch._partition import exchanges

MOST_ELEMENTS = 1 << 24  # of one


def folded(module, reasons):
    """Whether something was: nodes of the graph that PyTorch would run (`reasons`) and that read no input become attributes of the module."""
    graph = module.graph
    constants = Constants(graph, {node: getattr(module, node.target) for node in graph.nodes if node.op == "get_attr"})
    found = [node for node in reasons if constants.has(node) and _may_be_kept(node)]
    with unset_fake_temporarily(), torch.no_grad():
        values = {}
        computed = [constants.value(node, values) for node in found]
    for node, value in zip(found, computed):
        _keep(module, node, value)
    for node in reversed(list(graph.nodes)):
        if constants.has(node) and not node.users:
            graph.erase_node(node)
    return bool(found)


def _may_be_kept(node):
    value = node.meta.get("val")
    is_tensor = isinstance(value, torch.Tensor) and value.layout is torch.strided and all(isinstance(each, int) for each in value.shape)
    is_pure = not exchanges(node) and not getattr(getattr(node.target, "_schema", None), "is_mutable", False)
    return is_tensor and is_pure and value.numel() <= MOST_ELEMENTS and all(each.op != "output" for each in node.users)


def _keep(module, node, value):
    name = f"constant_of_{node.name}"
    module.register_buffer(name, value)
    with module.graph.inserting_before(node):
        kept = module.graph.get_attr(name)
    kept.meta = dict(node.meta)
    node.replace_all_uses_with(kept)
