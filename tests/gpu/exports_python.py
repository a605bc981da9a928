# SPDX-License-Identifier: Apache-2.0
"""What was exported for Python, called on a GPU: exports.py runs this with the folder of the exports. A row of JSON a line."""

import importlib
import json
import os
import pathlib
import statistics
import sys
import time

FOLDER = sys.argv[1]


def row(name, state, note=""):
    print(json.dumps({"name": name, "state": state, "note": note}), flush=True)


def attempt(name):
    def decorate(function):
        try:
            row(name, "passed", function() or "")
        except ModuleNotFoundError as missing:
            row(name, "skipped", f"this Python has no {missing.name}")
        except Exception as error:
            row(name, "failed", f"{type(error).__name__}: {error}".replace("\n", " ")[:200])
        return function

    return decorate


def microseconds(function):
    """Of a call on the host, which does not wait for the GPU."""
    import torch

    samples = []
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(100):
            function()
        samples.append((time.perf_counter() - start) * 1e4)
    torch.cuda.synchronize()
    return statistics.median(samples)


def vectors():
    import torch

    return torch.randn(1000, device="cuda"), torch.randn(1000, device="cuda"), torch.zeros(1000, device="cuda")


sys.path.insert(0, os.path.join(FOLDER, "torch"))


@attempt("torch/vector_addition")
def called():
    import torch
    import vector_addition

    a, b, c = vectors()
    vector_addition.vector_addition(a, b, c)
    torch.testing.assert_close(c, a + b)
    return f"{microseconds(lambda: vector_addition.vector_addition(a, b, c)):.2f} us a call"


@attempt("torch/in another stream")
def streams():
    import torch
    import vector_addition

    a, b, c = vectors()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        vector_addition.vector_addition(a, b, c)
    stream.synchronize()
    torch.testing.assert_close(c, a + b)


@attempt("torch/opcheck")
def checked():
    import torch
    import dynamic_matmul

    a, b = torch.randn(33, 7, device="cuda"), torch.randn(7, 5, device="cuda")
    operator = torch.ops.dynamic_matmul.dynamic_matmul.default
    return str(torch.library.opcheck(operator, (a, b, torch.zeros(33, 5, device="cuda"))))


@attempt("torch/compile")
def compiled():
    import torch
    import dynamic_matmul

    @torch.compile(fullgraph=True)
    def scaled(a, b):
        c = torch.empty(a.shape[0], b.shape[1], device=a.device)
        dynamic_matmul.dynamic_matmul(a * 2, b, c)
        return c + 1

    for rows in (33, 50, 64):
        a, b = torch.randn(rows, 16, device="cuda"), torch.randn(16, 5, device="cuda")
        torch.testing.assert_close(scaled(a, b), a * 2 @ b + 1, atol=1e-4, rtol=1e-4)


@attempt("torch/few_rows_matmul")
def tensor_maps():
    import torch
    import few_rows_matmul

    a, b = (torch.randn(*shape, device="cuda", dtype=torch.float16) for shape in ((5, 456), (456, 200)))
    c = torch.zeros(5, 200, device="cuda", dtype=torch.float16)
    few_rows_matmul.few_rows_matmul_1(a, b, c)
    torch.testing.assert_close(c, a @ b, atol=1e-1, rtol=1e-2)


@attempt("torch/CUDA graph")
def captured():
    import torch
    import vector_addition

    a, b, c = vectors()
    vector_addition.vector_addition(a, b, c)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        vector_addition.vector_addition(a, b, c)
    a.add_(1)
    graph.replay()
    torch.testing.assert_close(c, a + b)


@attempt("torch/errors")
def refused():
    import torch
    import vector_addition

    a, b, c = vectors()
    for wrong, kind in ((a.half(), TypeError), (a[:999], ValueError), (torch.zeros(2000, device="cuda")[::2], ValueError)):
        try:
            vector_addition.vector_addition(wrong, b, c)
        except kind:
            continue
        raise AssertionError(f"{wrong.shape} {wrong.dtype} is taken")


@attempt("tvm-ffi/PyTorch")
def through_tvm_ffi():
    import torch
    import tvm_ffi

    module = tvm_ffi.load_module(os.path.join(FOLDER, "tvm-ffi", "vector_addition.so"))
    a, b, c = vectors()
    module.vector_addition(a, b, c)
    torch.testing.assert_close(c, a + b)
    product = tvm_ffi.load_module(os.path.join(FOLDER, "tvm-ffi", "dynamic_matmul.so"))
    x, y, z = torch.randn(33, 7, device="cuda"), torch.randn(7, 5, device="cuda"), torch.zeros(33, 5, device="cuda")
    product.dynamic_matmul(x, y, z)
    torch.testing.assert_close(z, x @ y, atol=1e-4, rtol=1e-4)
    return f"{microseconds(lambda: module.vector_addition(a, b, c)):.2f} us a call"


@attempt("tvm-ffi/functions of the CPU")
def on_the_cpu_through_tvm_ffi():
    import numpy
    import torch
    import tvm_ffi

    module = tvm_ffi.load_module(os.path.join(FOLDER, "tvm-ffi", "both.so"))
    x = numpy.arange(600, dtype="float32").reshape(20, 30)
    y, wanted = numpy.zeros_like(x), x * 3 + numpy.arange(30) // 4
    module.both_2(x, y, 3.0, 4)
    assert (y == wanted).all() and module.both_3_total(x) == x.sum(dtype="float64") and module.both_1_larger(3, -5) == 3
    z = torch.zeros(20, 30)
    module.both_2(torch.from_numpy(x), z, 3.0, 4)
    assert (z.numpy() == wanted).all()
    a, b = torch.randn(5, 32, device="cuda"), torch.zeros(5, 32, device="cuda")
    module.both_1(a, b)
    torch.testing.assert_close(b, a * 2)
    for wrong in (lambda: module.both_2(a, b, 3.0, 4), lambda: module.both_1(z, z)):
        try:
            wrong()
        except ValueError:
            continue
        raise AssertionError("memory of another device is taken")
    return f"{microseconds(lambda: module.both_1_larger(3, -5)):.2f} us a call"


@attempt("torch/functions of the CPU")
def on_the_cpu_through_torch():
    import torch
    import both

    x, y = torch.randn(20, 30), torch.empty(20, 30)
    both.both_2(x, y, 3.0, 4)
    torch.testing.assert_close(y, x * 3 + torch.arange(30) // 4)
    torch.library.opcheck(torch.ops.both.both_2.default, (x, y, 3.0, 4))
    a, b = torch.randn(5, 32, device="cuda"), torch.zeros(5, 32, device="cuda")
    both.both_1(a, b)
    torch.testing.assert_close(b, a * 2)
    for wrong, kind in ((lambda: both.both_2(torch.randn(20, 30, device="cuda"), torch.empty(20, 30, device="cuda"), 3.0, 4), NotImplementedError),
                        (lambda: both.both_3_total(a), ValueError)):
        try:
            wrong()
        except kind:
            continue
        raise AssertionError("memory of the GPU is taken")
    return f"{microseconds(lambda: both.both_2(x, y, 3.0, 4)):.2f} us a call"


@attempt("torch, tvm-ffi/f16 and bf16 numbers")
def short_numbers_of_a_kernel():
    import torch
    import tvm_ffi
    import short_numbers

    x, y = torch.randn(32, device="cuda"), torch.zeros(32, device="cuda")
    slope, offset = torch.tensor(1.2001).half().item(), torch.tensor(-3.3).bfloat16().item()
    for function in (short_numbers.short_numbers,
                     tvm_ffi.load_module(os.path.join(FOLDER, "tvm-ffi", "short_numbers.so")).short_numbers):
        function(x, y.zero_(), 1.2001, -3.3)
        torch.testing.assert_close(y, x * slope + offset)


@attempt("tvm-ffi/CuPy")
def through_cupy():
    import cupy
    import tvm_ffi

    module = tvm_ffi.load_module(os.path.join(FOLDER, "tvm-ffi", "vector_addition.so"))
    a, b, c = cupy.arange(1000, dtype="float32"), cupy.ones(1000, dtype="float32"), cupy.zeros(1000, dtype="float32")
    module.vector_addition(a, b, c)
    assert bool((c == a + b).all())


@attempt("tvm-ffi/JAX")
def through_jax():
    import jax
    import jax_tvm_ffi
    import numpy
    import tvm_ffi

    module = tvm_ffi.load_module(os.path.join(FOLDER, "tvm-ffi", "vector_addition.so"))
    jax_tvm_ffi.register_ffi_target("vector_addition", module.vector_addition, arg_spec=["args", "rets"], platform="gpu")
    a, b = jax.numpy.arange(1000, dtype="float32"), jax.numpy.ones(1000, dtype="float32")
    c = jax.ffi.ffi_call("vector_addition", jax.ShapeDtypeStruct((1000,), "float32"))(a, b)
    numpy.testing.assert_allclose(numpy.asarray(c), numpy.asarray(a) + 1)


@attempt("hf-kernel/softmax")
def through_kernels():
    import torch
    from kernels import get_local_kernel

    kernel = get_local_kernel(pathlib.Path(FOLDER) / "hf-kernel")
    function = getattr(kernel, kernel.__all__[0])
    schema = getattr(torch.ops, kernel._space).softmax.default._schema
    return f"{function.__name__}: {schema}"


@attempt("triton/vector_addition")
def beside_triton():
    importlib.import_module("triton")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from exports_triton import add

    a, b, c = vectors()
    return f"{microseconds(lambda: add[(8,)](a, b, c, 1000, BLOCK=128)):.2f} us a call, to compare with"
