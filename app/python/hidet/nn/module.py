# SPDX-License-Identifier: Apache-2.0
"""Module: weights and modules below it, by name."""

import hidet


class Module:
    """A subclass makes weights (hidet tensors) and other modules attributes of itself in __init__(), and has a forward()."""

    def __init__(self):
        self.name = None

    def forward(self, *args, **keywords):
        raise NotImplementedError(f"'{type(self).__name__}' has no forward()")

    def __call__(self, *args, **keywords):
        return self.forward(*args, **keywords)

    def _own(self, kind):
        return ((name, value) for name, value in vars(self).items() if isinstance(value, kind))

    def named_modules(self, prefix=""):
        """(name with dots, module) of those below."""
        for name, module in self._own(Module):
            yield prefix + name, module
            yield from module.named_modules(f"{prefix}{name}.")

    def named_parameters(self, prefix="", recursive=True):
        for name, tensor in self._own(hidet.Tensor):
            yield prefix + name, tensor
        for name, module in self._own(Module) if recursive else ():
            yield from module.named_parameters(f"{prefix}{name}.")

    def parameters(self, recursive=True):
        return (tensor for _, tensor in self.named_parameters(recursive=recursive))

    def state_dict(self):
        return dict(self.named_parameters())

    def load_state_dict(self, state_dict):
        """Weights of the names that there are, of hidet or what can be one (PyTorch, NumPy). KeyError: there is no such weight, or one is
        missing; ValueError: it has another shape."""
        known = self.state_dict()
        apart = sorted(set(known) ^ set(state_dict))
        if apart:
            raise KeyError(f"weights that only one of the two has: {', '.join(apart)}")
        owners = {"": self, **{f"{name}.": module for name, module in self.named_modules()}}
        for name, value in state_dict.items():
            tensor = hidet.from_dlpack(value) if hasattr(value, "__dlpack__") else hidet.asarray(value)
            if tuple(tensor.shape) != tuple(known[name].shape):
                raise ValueError(f"'{name}' is of shape {tuple(known[name].shape)}, and is given one of {tuple(tensor.shape)}")
            before, dot, last = name.rpartition(".")
            setattr(owners[before + dot], last, tensor.to(dtype=known[name].dtype, device=known[name].device))

    def _moved(self, move):
        for module in (self, *(module for _, module in self.named_modules())):
            for name, tensor in list(module._own(hidet.Tensor)):
                setattr(module, name, move(tensor))
        return self

    def cpu(self):
        return self._moved(lambda tensor: tensor.cpu())

    def cuda(self):
        return self._moved(lambda tensor: tensor.cuda())

    def to(self, dtype=None, device=None):
        def move(tensor):
            keeps = dtype is None or not tensor.dtype.is_float()
            return tensor.to(dtype=tensor.dtype if keeps else dtype, device=tensor.device if device is None else device)

        return self._moved(move)

    def flow_graph_for(self, inputs):
        """The graph of forward() for tensors like these, or symbols."""
        symbols = [each if each.is_symbolic() else hidet.symbol_like(each) for each in inputs]
        return hidet.trace_from(self(*symbols), inputs=symbols)

    def extra_str(self):
        """What str() says beside the name of the class."""
        return ""

    def __str__(self):
        lines = [each for each in [self.extra_str()] if each]
        lines += [f"({name}): {module}" for name, module in self._own(Module)]
        if len(lines) <= 1 and not any("\n" in line or line.startswith("(") for line in lines):
            return f"{type(self).__name__}({''.join(lines)})"
        inside = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {inside}\n)"

    __repr__ = __str__
