# SPDX-License-Identifier: Apache-2.0
"""What Dynamo checks before each call of a model that parallelize_module has divided, in fewer words.

Below a module whose dictionaries nobody has changed Dynamo checks nothing, as long as all that hangs there is of kinds that it knows. A
DTensor and the hooks of torch.distributed are not, so that each call would look at thousands of things, for longer than GPUs work on a
token. Here each has one check of all that Dynamo's had looked at, which is run where a dictionary above it has changed."""

import functools
import types

import torch
from torch._dynamo.source import DictGetItemSource
from torch._guards import Guard

HOOKS = ("_forward_hooks", "_forward_pre_hooks")


def check_in_few_words(guards):
    """The guards of the graph that is being compiled: those of each hook and each divided weight become one."""
    owned = {}
    for guard in guards:
        owner, is_divided = _owner(guard.originating_source)
        if owner is not None:
            of_owner = owned.setdefault(owner, ([], []))
            of_owner[0].append(guard)
            of_owner[1].append(is_divided)
    for owner, (own, divided) in owned.items():
        is_hook = _member(owner.base) in HOOKS
        if is_hook or any(divided):
            guards.inner.difference_update(own)
            guards.add(Guard(owner, functools.partial(_check_once, _content_of_hook if is_hook else _content_of_weight, own)))


def _owner(source):
    """The hook or parameter of a module that the source is, or lies within, and whether it lies within a divided one."""
    is_divided = False
    while source is not None:
        base = getattr(source, "base", None)
        if isinstance(source, DictGetItemSource) and _member(base) in (*HOOKS, "_parameters"):
            return source, is_divided
        is_divided = is_divided or _member(source) == "_local_tensor"
        source = base
    return None, False


def _member(source):
    """Of the object that it is an attribute of."""
    while source is not None and not hasattr(source, "member") and not isinstance(source, DictGetItemSource):
        source = getattr(source, "base", None)
    return getattr(source, "member", None) or getattr(source, "index", None)


def _check_once(content_of, own, builder, guard):
    """Makes the guard. `own`: those in whose place it is, for what it does not know."""
    content = content_of(builder.get(guard))
    if content is None:
        for each in own:
            each.create(builder)
        return
    words = [f"is as {guard.name} was"]
    builder.get_guard_manager(guard).add_lambda_guard(lambda value: content_of(value) == content, words, guard.user_stack)


def _content_of_weight(value):
    from torch.distributed.tensor import DTensor

    if type(value) is not DTensor:
        return None
    piece = value._local_tensor
    return (value._spec.mesh, value._spec.placements, value.requires_grad, value.is_inference(), value.dtype, value.shape, value.stride(), type(piece),
            piece.dtype, piece.device, piece.shape, piece.stride(), piece.layout, piece.requires_grad, piece.is_inference())


def _content_of_hook(hook):
    """None: it is not PyTorch's own, or has something in it that may change."""
    if not getattr(hook, "__module__", "").startswith("torch.distributed.tensor"):
        return None
    try:
        return _content(hook)
    except TypeError:
        return None


def _content(value):
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor.placement_types import Placement

    if isinstance(value, types.FunctionType):
        return value.__code__, _content(value.__defaults__), _content(tuple(each.cell_contents for each in value.__closure__ or ()))
    if isinstance(value, functools.partial):
        return _content(value.func), _content(value.args), _content(tuple(sorted(value.keywords.items())))
    if isinstance(value, tuple):
        return tuple(map(_content, value))
    if value is None or isinstance(value, (bool, int, float, str, type, torch.dtype, DeviceMesh, Placement)):
        return type(value), value
    raise TypeError(f"{type(value)} may change")
