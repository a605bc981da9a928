# SPDX-License-Identifier: Apache-2.0
"""Operators of ours against those of NumPy and PyTorch, on random tensors.

A shape is a list of extents; where a check is called dynamic, an extent may be ("n", 5): 'n' while the operator is traced, and 5
when it runs. `device` is "cpu", "cuda" or "auto": cuda where PyTorch has a GPU, else cpu. What differs by more than
`atol + rtol * |reference|` is an AssertionError.
"""

import sys

import numpy as np

import hidet

from .torch_utils import device_to_torch

DEVICES = ("auto", "cuda", "cpu")


def resolve_test_devices():
    """What "auto" stands for."""
    torch = sys.modules.get("torch")
    return ["cuda"] if torch is not None and torch.cuda.is_available() else ["cpu"]


def _devices(device):
    if device not in DEVICES:
        raise ValueError(f"device is one of {', '.join(DEVICES)}, not '{device}'")
    return resolve_test_devices() if device == "auto" else [device]


def _array(result):
    """Of a tensor of ours or of PyTorch's, as NumPy's; bfloat16, which NumPy lacks, as float32."""
    result = result.detach() if hasattr(result, "detach") else result
    if str(result.dtype).endswith("bfloat16"):
        result = result.to(hidet.float32) if isinstance(result, hidet._value.Value) else result.float()
    return result.cpu().numpy()


def assert_allclose(hidet_result, numpy_result, atol=0, rtol=0):
    np.testing.assert_allclose(_array(hidet_result), numpy_result.astype("float32") if str(numpy_result.dtype) == "bfloat16" else numpy_result,
                               atol=atol, rtol=rtol)


def assert_torch_allclose(hidet_result, torch_result, atol=0, rtol=0):
    np.testing.assert_allclose(_array(hidet_result), _array(torch_result), atol=atol, rtol=rtol)


def _shapes(shape):
    """With numbers, and with the names of those that are not known while tracing."""
    return [each if isinstance(each, int) else each[1] for each in shape], [each if isinstance(each, int) else each[0] for each in shape]


def _on(array, device):
    return hidet.asarray(array).to(device=device)


def _traced(function, tensors, shapes):
    symbols = [hidet.symbol(shape, dtype=each.dtype, device=each.device) for each, shape in zip(tensors, shapes)]
    return hidet.trace_from(function(*symbols), symbols).build()(*tensors)


def _check_numpy(arrays, numpy_op, hidet_op, device, atol, rtol, names=None):
    for each in _devices(device):
        tensors = [_on(array, each) for array in arrays]
        result = hidet_op(*tensors) if names is None else _traced(hidet_op, tensors, names)
        np.testing.assert_allclose(_array(result), numpy_op(*arrays), atol=atol, rtol=rtol)


def _normal(shape, dtype):
    return np.array(np.random.randn(*shape)).astype(dtype)


def check_unary(shape, numpy_op, hidet_op, device="auto", dtype=np.float32, atol=0, rtol=0):
    """On tenths from -1 to 0.9."""
    array = np.array(np.random.randint(low=-10, high=10, size=shape) / 10.0).astype(dtype)
    _check_numpy([array], numpy_op, hidet_op, device, atol, rtol)


def check_unary_dynamic(shape, numpy_op, hidet_op, device="auto", dtype=np.float32, atol=0, rtol=0):
    numbers, names = _shapes(shape)
    _check_numpy([_normal(numbers, dtype)], numpy_op, hidet_op, device, atol, rtol, [names])


def check_binary(a_shape, b_shape, numpy_op, hidet_op, device="auto", dtype=np.float32, atol=0.0, rtol=0.0):
    _check_numpy([_normal(a_shape, dtype), _normal(b_shape, dtype)], numpy_op, hidet_op, device, atol, rtol)


def check_binary_dynamic(a_shape, b_shape, numpy_op, hidet_op, device="auto", dtype=np.float32, atol=0.0, rtol=0.0):
    (a, a_names), (b, b_names) = _shapes(a_shape), _shapes(b_shape)
    _check_numpy([_normal(a, dtype), _normal(b, dtype)], numpy_op, hidet_op, device, atol, rtol, [a_names, b_names])


def check_ternary(a_shape, b_shape, c_shape, numpy_op, hidet_op, device="auto", dtype=np.float32, atol=0.0, rtol=0.0):
    """The third is not negative."""
    arrays = [_normal(a_shape, dtype), _normal(b_shape, dtype), np.abs(_normal(c_shape, dtype))]
    _check_numpy(arrays, numpy_op, hidet_op, device, atol, rtol)


def _check_torch(tensors, torch_func, hidet_func, device, atol, rtol, names=None):
    for each in _devices(device):
        theirs = [tensor.to(device_to_torch(each)) for tensor in tensors]
        ours = [hidet.from_torch(tensor) if each == "cuda" and tensor.is_cuda else hidet.from_torch(tensor.cpu()).to(device=each)
                for tensor in theirs]
        result = hidet_func(*ours) if names is None else _traced(hidet_func, ours, names)
        assert_torch_allclose(result, torch_func(*theirs), atol=atol, rtol=rtol)


def _random(shape, dtype):
    import torch

    dtype = getattr(torch, dtype if isinstance(dtype, str) else np.dtype(dtype).name)
    return torch.randn(*shape, dtype=dtype) if dtype.is_floating_point else torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, dtype=dtype)


def check_torch_unary(shape, torch_func, hidet_func, device="auto", dtype="float32", atol=0.0, rtol=0.0):
    _check_torch([_random(shape, dtype)], torch_func, hidet_func, device, atol, rtol)


def check_torch_binary(a_shape, b_shape, torch_func, hidet_func, device="auto", dtype="float32", atol=0.0, rtol=0.0, a_input_scale=None,
                       b_input_scale=None):
    """A scale is what an operand is multiplied by."""
    operands = [(_random(a_shape, dtype), a_input_scale), (_random(b_shape, dtype), b_input_scale)]
    _check_torch([each if scale is None else each * scale for each, scale in operands], torch_func, hidet_func, device, atol, rtol)


def check_torch_binary_with_inputs(torch_a, torch_b, torch_func, hidet_func, device="auto", atol=0.0, rtol=0.0):
    _check_torch([torch_a, torch_b], torch_func, hidet_func, device, atol, rtol)


def check_torch_binary_dynamic(a_shape, b_shape, torch_func, hidet_func, device="auto", dtype="float32", atol=0.0, rtol=0.0):
    (a, a_names), (b, b_names) = _shapes(a_shape), _shapes(b_shape)
    _check_torch([_random(a, dtype), _random(b, dtype)], torch_func, hidet_func, device, atol, rtol, [a_names, b_names])


def check_torch_ternary(a_shape, b_shape, c_shape, torch_func, hidet_func, device="auto", dtype="float32", atol=0.0, rtol=0.0):
    _check_torch([_random(shape, dtype) for shape in (a_shape, b_shape, c_shape)], torch_func, hidet_func, device, atol, rtol)


def check_3_execution_paths(shape, hidet_ops, numpy_ops, device="auto", dtype="float32", atol=0.0, rtol=0.0):
    """As a graph that is interpreted, and compiled: its first call, and one that finds all as the first left it."""
    for each in _devices(device):
        array = _normal(shape, dtype)
        given = _on(array, each)
        symbol = hidet.symbol(shape, dtype=dtype, device=each)
        graph = hidet.trace_from(hidet_ops(symbol), symbol)
        compiled = graph.build()
        for run in (graph, compiled, compiled):
            assert_allclose(run(given), numpy_ops(array), atol=atol, rtol=rtol)
