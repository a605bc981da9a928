# SPDX-License-Identifier: Apache-2.0
"""Changes of weights that go past PyTorch's count of versions: those through `.data`, which shares memory with the weight and has a
count of its own. So who asks for `.data` of a watched one gets a tensor whose count is known here; most that ask, such as
copy.deepcopy(), do not write."""

import weakref

import torch

_taken = weakref.WeakValueDictionary()  # storage that has constants of a compiled part -> _Taken
_total = 0
_PLAIN = torch._C.TensorBase.data


class _Taken:
    """What was given as `.data` of a storage: a tensor of each geometry, with which all others of that share their count."""

    __slots__ = ("__weakref__", "tensors")

    def __init__(self):
        self.tensors = {}


class Watched:
    """Tensors, and all that shares memory with them."""

    def __init__(self, tensors):
        if torch.Tensor.data is _PLAIN:
            torch.Tensor.data = property(_get, _PLAIN.__set__, _PLAIN.__delete__, _PLAIN.__doc__)
        self._taken = [_taken.setdefault(storage, _Taken()) for storage in {_storage(each) for each in tensors}]
        self._given = []
        self._seen = None

    def writes(self):
        """Through what was given as `.data` of one, and its views, so far."""
        if self._seen != _total:
            self._seen = _total
            self._given = [tensor for taken in self._taken for tensor in taken.tensors.values()]
        return sum([each._version for each in self._given])


def _storage(tensor):
    return tensor.untyped_storage()._cdata


def _get(tensor):
    global _total
    given = _PLAIN.__get__(tensor)
    try:
        taken = _taken.get(_storage(tensor))
    except (NotImplementedError, RuntimeError):  # of a kind that has none
        taken = None
    if taken is None or given.is_inference():  # which has no count
        return given
    geometry = (given.dtype, given.shape, given.stride(), given.storage_offset(), given.is_conj(), given.is_neg())
    first = taken.tensors.setdefault(geometry, given)
    _total += first is given
    return first.detach()
