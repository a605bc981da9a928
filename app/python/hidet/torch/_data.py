# SPDX-License-Identifier: Apache-2.0
"""Changes of weights that go past PyTorch's count of versions: those through `.data`, which shares memory with the weight and has a
count of its own. So it is seen here who asks for it."""

import torch

_counts = {}  # storage that has constants of a compiled part -> how often `.data` of it was asked for
_total = 0
_PLAIN = torch._C.TensorBase.data


class Watched:
    """Tensors, and all that shares memory with them."""

    def __init__(self, tensors):
        if torch.Tensor.data is _PLAIN:
            torch.Tensor.data = property(_get, _PLAIN.__set__, _PLAIN.__delete__, _PLAIN.__doc__)
        self._begin = {storage: _counts.setdefault(storage, 0) for storage in map(_storage, tensors)}
        self._seen = _total

    def is_taken(self):
        """Whether somebody has asked for `.data` of one since, and so may write to it at any time."""
        if self._seen == _total:
            return False
        if any(_counts[storage] != count for storage, count in self._begin.items()):
            return True
        self._seen = _total
        return False


def _storage(tensor):
    return tensor.untyped_storage()._cdata


def _get(tensor):
    global _total
    try:
        storage = _storage(tensor)
    except (NotImplementedError, RuntimeError):  # of a kind that has none
        storage = None
    if storage in _counts:
        _counts[storage] += 1
        _total += 1
    return _PLAIN.__get__(tensor)
