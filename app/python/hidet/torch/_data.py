# SPDX-License-Identifier: Apache-2.0
"""Changes of weights that go past PyTorch's count of versions: those through `.data`, which shares memory with the weight and has a
count of its own. So who asks for `.data` of a watched one gets a tensor whose count is known here; most that ask, such as
copy.deepcopy(), do not write."""

import weakref

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

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


def plain(value):
    """The tensors that AOTAutograd makes of an input: of a DTensor, the part that this process has."""
    if not is_traceable_wrapper_subclass(value):
        return [value]
    return [each for name in value.__tensor_flatten__()[0] for each in plain(getattr(value, name))]


def own(tensor, whole):
    """What is written to `whole`, a DTensor, goes past the count of the tensor that it holds."""
    if whole is not tensor:
        tensor._hidet_whole = weakref.ref(whole)


def counted(tensor):
    """Whose counts of versions say what was written to the tensor."""
    whole = getattr(tensor, "_hidet_whole", lambda: None)()
    return [tensor.detach()] + ([] if whole is None else [whole])


def is_owned(tensor):
    return hasattr(tensor, "_hidet_whole")


def _storage(tensor):
    return plain(tensor)[0].untyped_storage()._cdata


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
    return first if is_traceable_wrapper_subclass(first) else first.detach()
