# SPDX-License-Identifier: Apache-2.0
"""A product of few rows, the sum of it over the processes, and what is added to that, as one operator where one kernel does it."""

import torch
from torch.library import define, impl, register_fake

define("hidet::product_sum", "(Tensor x, Tensor weight, Tensor? addend, str group) -> Tensor")


@impl("hidet::product_sum", "CompositeExplicitAutograd")
def product_sum(x, weight, addend, group):
    total = torch.ops._c10d_functional.wait_tensor(torch.ops._c10d_functional.all_reduce(x @ weight.t(), "sum", group))
    return total if addend is None else total + addend


@register_fake("hidet::product_sum")
def product_sum_of_fakes(x, weight, addend, group):
    return x.new_empty((x.shape[0], weight.shape[0]))


def join_products(graph):
    from hidet.torch import _groups

    for node in list(graph.nodes):
        if node.target is torch.ops._c10d_functional.all_reduce.default and node.args[1] == "sum":
            _join(graph, node, _groups.product_fits)


def _join(graph, reduced, fits):
    product, between = reduced.args[0], []
    while product.target in _RESHAPES and len(product.users) == 1:
        between.append(product)
        product = product.args[0]
    is_product = product.target is torch.ops.aten.mm.default and len(product.users) == 1
    weight = _transposed(product.args[1]) if is_product else None
    wait = _only_user(reduced)
    if weight is None or wait is None or not fits(product.args[0].meta["val"], weight.meta["val"], reduced.args[2]):
        return
    added = _only_user(wait)
    addend = _addend(added, wait) if added is not None else None
    last = added if addend is not None else wait
    flat, shape = product.meta["val"], list(last.meta["val"].shape)
    with graph.inserting_before(last):
        if addend is not None:
            addend = _made(graph, torch.ops.aten.reshape.default, (addend, list(flat.shape)), flat)
        total = _made(graph, torch.ops.hidet.product_sum.default, (product.args[0], weight, addend, reduced.args[2]), flat)
        result = _made(graph, torch.ops.aten.reshape.default, (total, shape), last.meta["val"])
    last.replace_all_uses_with(result)
    for each in dict.fromkeys([last, wait, reduced, *between, product]):
        graph.erase_node(each)


_RESHAPES = (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default, torch.ops.aten.reshape.default)


def _made(graph, target, args, value):
    node = graph.call_function(target, args)
    node.meta["val"] = value
    return node


def _only_user(node):
    return next(iter(node.users)) if len(node.users) == 1 else None


def _transposed(node):
    """What it is the transpose of; None: it is none."""
    is_transpose = node.target is torch.ops.aten.t.default or (node.target is torch.ops.aten.permute.default and list(node.args[1]) == [1, 0])
    return node.args[0] if is_transpose else None


def _addend(added, total):
    """What is added to it, of the same kind; None: nothing is."""
    if added.target is not torch.ops.aten.add.Tensor or added.kwargs or list(added.args).count(total) != 1:
        return None
    other = next(each for each in added.args if each is not total)
    value = other.meta["val"] if isinstance(other, torch.fx.Node) else None
    is_alike = isinstance(value, torch.Tensor) and (value.shape, value.dtype) == (total.meta["val"].shape, total.meta["val"].dtype)
    return other if is_alike else None
