# SPDX-License-Identifier: Apache-2.0
"""What ran where, and why."""

import operator

import torch

from hidet.torch._operators import REGISTERED

_noted = None  # the counts of what is compiled, while `explain` asks


class Counts:
    """Of one graph: how many operators are compiled, and which are not, with the reason."""

    def __init__(self, graph, verdicts):
        self.compiled = 0
        self.views = len(verdicts.views)
        self.others = {}  # (operator, reason) -> count
        self.registered = {}  # operator of torch.library that is compiled -> count
        self.few_bits = 0  # matrices that stay so
        for node in graph.nodes:
            if node.op != "call_function" or node.target is operator.getitem or node in verdicts.views:
                continue
            reason = verdicts.reasons.get(node)
            if reason is None:
                self.compiled += 1
                if node.target in REGISTERED:
                    self.registered[str(node.target)] = self.registered.get(str(node.target), 0) + 1
            elif reason != "a number of the host":
                self._other(node, reason)

    def _other(self, node, reason):
        key = (str(node.target), reason)
        self.others[key] = self.others.get(key, 0) + 1

    def take(self, node):
        """A copy to an input, which a part makes after all."""
        key = next(key for key in self.others if key[0] == str(node.target))
        self.others[key] -= 1
        if not self.others[key]:
            del self.others[key]
        self.compiled += 1

    def refuse(self, graph, reason):
        """A part that could not be compiled."""
        for node in graph.nodes:
            if node.op == "call_function" and node.target is not operator.getitem:
                self.compiled -= 1
                if node.target in REGISTERED:
                    self.registered[str(node.target)] -= 1
                self._other(node, reason)


class Explanation:
    """Of all graphs of a model."""

    def __init__(self, graphs):
        self.graphs = graphs

    @property
    def compiled(self):
        return sum(each.compiled for each in self.graphs)

    @property
    def in_pytorch(self):
        return sum(count for each in self.graphs for count in each.others.values())

    @property
    def rows(self):
        """(operator, reason, count), the most frequent first."""
        merged = _merged(each.others for each in self.graphs)
        return sorted(((*key, count) for key, count in merged.items()), key=lambda row: (-row[2], row))

    @property
    def registered(self):
        """Operator of torch.library -> how many of it are compiled, as register_operator says."""
        return {name: count for name, count in _merged(each.registered for each in self.graphs).items() if count}

    @property
    def few_bits(self):
        """How many matrices stay in the few bits in which the model has them."""
        return sum(each.few_bits for each in self.graphs)

    def __str__(self):
        lines = [f"{len(self.graphs)} graphs, {self.compiled} operators compiled, {self.in_pytorch} in PyTorch"]
        lines += [f"{self.few_bits:5}  matrices stay in few bits"] if self.few_bits else []
        lines += [f"{count:5}  {name}: compiled, as registered" for name, count in self.registered.items()]
        lines += [f"{count:5}  {name}: {reason}" for name, reason, count in self.rows]
        return "\n".join(lines)

    __repr__ = __str__


def _merged(tables):
    total = {}
    for table in tables:
        for key, count in table.items():
            total[key] = total.get(key, 0) + count
    return total


def note(counts):
    if _noted is not None:
        _noted.append(counts)


def explain(model, *args, **keywords):
    """Compiles and calls the model with these arguments; gives which of its operators ran in PyTorch, and why."""
    global _noted
    _noted = []
    try:
        torch._dynamo.reset()
        torch.compile(model, backend=_backend())(*args, **keywords)
        return Explanation(_noted)
    finally:
        _noted = None


def graphs_of(model, *args, **keywords):
    """The graphs of Hidet that a call of the model has, compiled or not: those of what runs between operators of PyTorch."""
    from hidet.torch._backend import tracing

    own = getattr(model, "_orig_mod", None) or getattr(model, "_torchdynamo_orig_callable", model)
    found = []
    with torch.no_grad():
        torch.compile(own, backend=tracing(found))(*args, **keywords)
        if not found:  # it may have been compiled too often for one more
            torch._dynamo.reset()
            torch.compile(own, backend=tracing(found))(*args, **keywords)
    return [each for each in found if each is not None]


def _backend():
    from hidet.torch._backend import backend

    return backend
