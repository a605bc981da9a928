# SPDX-License-Identifier: Apache-2.0
"""Operators of torch.library that the user says how to compute."""

import torch

from hidet._value import Value, _library
from hidet.graph.ops.opaque import OpaqueOperator
from hidet.torch._aten import ROWS, Refused
from hidet.torch._aten.rows import dtype_of, is_tensor

REGISTERED = set()  # of the keys of ROWS


def register_operator(operator, function=None):
    """Says how an operator of torch.library is computed in graphs that are compiled from now on.

        @hidet.torch.register_operator("mylib::scale")
        def scale(x, factor): ...

    The function takes tensors of hidet for tensors, and the operator's other arguments as they are, all of them and in its order; it gives
    a tensor, or a tuple of as many as the operator gives. NotImplemented leaves a use of the operator to PyTorch. A built module of Hidet
    Script may stand in its place, which takes the operator's tensors and then its results, in shapes of as many elements: nothing is
    fused with it.

    Raises ValueError for an operator that cannot be in a compiled graph."""
    overload = _overload(operator)
    if function is None:
        return lambda given: register_operator(overload, given)
    if isinstance(function, Value) and _library.type_name_of(function) == "CompiledModule":
        computed = _of_kernels(overload, function)
    elif callable(function):
        computed = function
    else:
        raise TypeError(f"{overload} is computed by a function or a built module, not by a '{type(function).__name__}'")
    ROWS[overload] = _row(overload, computed)
    REGISTERED.add(overload)
    return function


def _overload(operator):
    """Of a name, an overload, or what torch.library.custom_op makes."""
    if isinstance(operator, torch._ops.OpOverload):
        found = operator
    else:
        name = getattr(operator, "_qualname", operator)
        namespace, _, rest = str(name).partition("::")
        packet, _, overload = rest.partition(".")
        found = getattr(getattr(getattr(torch.ops, namespace), packet, None), overload or "default", None)
        if found is None:
            raise ValueError(f"torch.library has no operator {name!r}")
    problem = _against(found)
    if problem:
        raise ValueError(f"{found} {problem}")
    return found


def _against(overload):
    schema = overload._schema
    if overload.namespace in ("aten", "prim", "prims"):
        return "is an operator of PyTorch: it has a row in hidet.torch._aten, or is to get one there"
    if schema.is_mutable:
        return "writes into its arguments"
    if any(each.alias_info is not None for each in schema.returns):
        return "gives a view of its arguments"
    if not schema.returns or any(str(each.type) != "Tensor" for each in schema.returns):
        return "gives something else than tensors"
    if overload.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd):
        return "is in no graph: PyTorch puts what it calls there"
    return None


def _row(overload, function):
    arguments, count = overload._schema.arguments, len(overload._schema.returns)

    def computed(context, *args, **keywords):
        given = {each.name: value for each, value in zip(arguments, args)} | keywords
        values = {each.name: given[each.name] if each.name in given else each.default_value for each in arguments}
        by_name = {each.name: values.pop(each.name) for each in arguments if each.kwarg_only}
        if isinstance(function, _Kernels):
            by_name["context"] = context
        result = function(*values.values(), **by_name)
        if result is NotImplemented:
            raise Declined("left to PyTorch by what register_operator was given")
        results = tuple(result) if isinstance(result, (list, tuple)) else (result,)
        if not all(map(is_tensor, results)):
            raise Refused("its function gives something else than tensors of hidet")
        if len(results) != count:
            raise Refused(f"its function gives {len(results)} results where PyTorch gives {count}")
        return results if count > 1 else results[0]

    return computed


class Declined(Refused):
    """On purpose."""


class _Kernels:
    """A built module as a function of tensors."""

    def __init__(self, name, names, module):
        self._name, self._names, self._module = name, names, module

    def __call__(self, *tensors, context):
        results = context.result if isinstance(context.result, (tuple, list)) else [context.result]
        shapes = [context.extents(each.shape) for each in results]
        if not all(isinstance(extent, int) for shape in (*shapes, *(each.shape for each in tensors)) for extent in shape):
            raise Refused("a built module wants extents that are numbers")
        like = [(shape, dtype_of(each), each.device.type) for shape, each in zip(shapes, results)]
        return tuple(_Opaque(self, dict(zip(self._names, tensors)), like).outputs)


class _Opaque(OpaqueOperator):
    def __init__(self, kernels, inputs, like):
        self.kernels, self.like = kernels, like
        super().__init__(name=kernels._name, inputs=inputs)

    def symbolic_forward(self, **inputs):
        return {f"y{place}": self.symbol(shape, dtype=dtype, device=device) for place, (shape, dtype, device) in enumerate(self.like)}

    def implement_cpu(self, inputs, outputs):
        return self.kernels._module

    def implement_cuda(self, inputs, outputs):
        return self.kernels._module


def _of_kernels(overload, module):
    for each in overload._schema.arguments:
        if str(each.type) != "Tensor" or each.kwarg_only:
            raise ValueError(f"a built module takes tensors alone, and {overload} has '{each.name}': register a function instead")
    return _Kernels(overload._opname, [each.name for each in overload._schema.arguments], module)
