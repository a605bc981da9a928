# SPDX-License-Identifier: Apache-2.0
"""Modules in order."""

from .module import Module


class ModuleList(Module):
    """Modules by number; it computes nothing itself."""

    def __init__(self, modules=()):
        super().__init__()
        for number, module in enumerate(modules):
            setattr(self, str(number), module)

    def __iter__(self):
        return iter([module for _, module in self._own(Module)])

    def __len__(self):
        return sum(1 for _ in self)

    def __getitem__(self, index):
        return list(self)[index]


class Sequential(ModuleList):
    """Each takes what the one before gives. Sequential(a, b), or Sequential({"first": a, "second": b})."""

    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            super().__init__()
            for name, module in modules[0].items():
                setattr(self, name, module)
        else:
            super().__init__(modules)

    def forward(self, x):
        for module in self:
            x = module(x)
        return x
