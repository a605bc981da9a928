# SPDX-License-Identifier: Apache-2.0
"""Numbers with a fraction that modules have as attributes, such as a normalisation's epsilon. As soon as two models of a process differ
in one, Dynamo makes an input of it, a tensor on the CPU, by which no normalisation is known for what it is and no launch is recorded."""

import torch


def settle(module):
    """Makes them constants of Dynamo's graph. Their values become part of what Dynamo checks before a call; they do not change from
    call to call, as an argument may, which stays what it is."""
    for node in module.graph.find_nodes(op="placeholder"):
        given = node.meta.get("grapharg")
        if given is None or not given.source.guard_source.is_unspecialized_nn_module():
            continue
        for read in [user for user in node.users if user.op == "call_method" and user.target == "item"]:
            value = read.meta.get("example_value")
            if isinstance(value, torch.SymFloat) and value.node.hint is not None:
                _replace(read, float(value))
    module.recompile()


def _replace(node, number):
    def settled(each):
        return number if each is node else each

    for user in list(node.users):
        user.args = torch.fx.map_arg(user.args, settled)
        user.kwargs = torch.fx.map_arg(user.kwargs, settled)
    node.graph.erase_node(node)
