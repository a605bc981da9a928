# SPDX-License-Identifier: Apache-2.0
"""Modules of PyTorch, compiled by hidet, against themselves."""

import hidet


def device_to_torch(hidet_device):
    """The name that PyTorch has for a device of ours."""
    name = str(hidet_device)
    if name.split(":")[0] not in ("cpu", "cuda"):
        raise ValueError(f"PyTorch has no device '{name}' that hidet computes on")
    return name


def check_module(model, args, device, atol=1e-4, rtol=1e-4, dynamic=False, dynamic_indices=None):
    """Raises an AssertionError where a compiled module gives other shapes, dtypes or values than eager mode does.

    dynamic          sizes of the arguments are left open
    dynamic_indices  {argument: [dimensions that are left open]}
    """
    import torch

    device = device_to_torch(device)
    model = model.to(device).eval()
    given = [each.clone().to(device) if isinstance(each, torch.Tensor) else each for each in args]
    for position, dimensions in (dynamic_indices or {}).items():
        for dimension in dimensions:
            torch._dynamo.mark_dynamic(given[position], dimension)
    exact = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    try:
        expected = model(*(each.clone() if isinstance(each, torch.Tensor) else each for each in given))
    finally:
        torch.backends.cudnn.allow_tf32 = exact
    actual = torch.compile(lambda *inputs: model(*inputs), backend="hidet", dynamic=dynamic)(*given)
    expected, actual = ([each] if isinstance(each, torch.Tensor) else list(each) for each in (expected, actual))
    assert len(expected) == len(actual), f"eager mode gives {len(expected)} results, hidet {len(actual)}"
    for number, (right, ours) in enumerate(zip(expected, actual)):
        assert right.shape == ours.shape, f"result {number} is {tuple(right.shape)} in eager mode, {tuple(ours.shape)} of hidet"
        torch.testing.assert_close(ours, right, atol=atol, rtol=rtol, equal_nan=True)


def FunctionalModule(op):
    """A module whose forward() is a function."""
    import torch

    class Functional(torch.nn.Module):
        def forward(self, *args, **keywords):
            return op(*args, **keywords)

    return Functional()


class Backend:
    """How a model is compiled: backend "hidet", "eager" or another one of torch.compile; of no mode with None."""

    def __init__(self, backend, mode, dtype, cache=""):
        self.backend, self.mode, self.dtype, self.cache = backend, mode, dtype, cache
        if backend == "hidet" and cache:
            hidet.option.cache_dir(hidet.option.get_cache_dir() + cache)

    def compile(self, model):
        import torch

        return model if self.backend == "eager" else torch.compile(model, backend=self.backend, mode=self.mode)


def bench_model(model, inputs, bench_iters=100, warmup_iters=10, true_outputs=None):
    """(milliseconds of a call, (mean absolute, mean relative) difference from the true outputs; None without these)"""
    import statistics
    import time

    import torch

    wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for _ in range(warmup_iters):
        outputs = model(*inputs)
    times = []
    for _ in range(bench_iters):
        wait()
        start = time.perf_counter()
        outputs = model(*inputs)
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), None if true_outputs is None else _difference(outputs, true_outputs)


def _difference(outputs, true_outputs):
    outputs, true_outputs = ([each] if hasattr(each, "shape") else list(each) for each in (outputs, true_outputs))
    apart = [(ours.float() - right.float()).abs() for ours, right in zip(outputs, true_outputs)]
    relative = [each / (right.float().abs() + 1e-6) for each, right in zip(apart, true_outputs)]
    return sum(each.mean().item() for each in apart) / len(apart), sum(each.mean().item() for each in relative) / len(relative)
