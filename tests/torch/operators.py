# SPDX-License-Identifier: Apache-2.0
"""Operators of torch.library that register_operator was told of are computed by Hidet, and fuse."""

import tempfile
import warnings
from pathlib import Path

import torch

import hidet
import hidet.torch
from hidet import ops
from hidet.graph.operator import Operator
from hidet.graph.ops.utils import input_like
from hidet.ir.compute import compute
from hidet.ir.task import Task
from hidet.lang import attrs, f32


def custom(name, fake):
    def declare(function):
        made = torch.library.custom_op(f"hidet_test::{name}", function, mutates_args=())
        made.register_fake(fake)
        return made

    return declare


def like(x, *_):
    return torch.empty_like(x)


class ShiftTask(Task):
    def __init__(self, x, by):
        y = compute("y", shape=x.shape, fcompute=lambda *i: x[i] + by)
        super().__init__(name="shift", inputs=[x], outputs=[y])


class Shift(Operator):
    """With a definition, which fuses, and a kernel."""

    def __init__(self, x, by):
        self.by = by
        super().__init__(inputs=[x], attributes={"by": by}, task=ShiftTask(input_like(x, "x"), by))

    def implement_cpu(self, inputs, outputs):
        n, by = inputs[0].shape[0], self.by
        with hidet.script_module() as script_module:

            @hidet.script
            def shift(x: f32[n], y: f32[n]):
                attrs.func_kind = "cpu_kernel"
                for i in range(n):
                    y[i] = x[i] + by

        return script_module


@custom("shift", like)
def shift(x: torch.Tensor, by: float = 1.0) -> torch.Tensor:
    return x + by


@hidet.torch.register_operator("hidet_test::shift")
def _(x, by):
    return Shift(x, by).outputs[0]


def reversing():
    with hidet.script_module() as script_module:

        @hidet.script
        def turn(x: f32[8], y: f32[8]):
            attrs.func_kind = "cpu_kernel"
            for i in range(8):
                y[i] = x[7 - i]

    return script_module.build()


turned = reversing()


@custom("turn", like)
def turn(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    turned(x, y)
    return y


hidet.torch.register_operator(turn, turned)


@custom("two", lambda x: (torch.empty_like(x), x.new_empty(x.shape[1:])))
def two(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x * 2, x.sum(0)


@hidet.torch.register_operator("hidet_test::two")
def _(x):
    return x * 2.0, ops.sum(x, dims=0)


@custom("doubled", like)
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@hidet.torch.register_operator("hidet_test::doubled")
def _(x):
    return ops.concat([x, x], 0)


@custom("some", like)
def some(x: torch.Tensor, power: int) -> torch.Tensor:
    return x**power


@hidet.torch.register_operator("hidet_test::some")
def _(x, power):
    return x * x if power == 2 else NotImplemented


def run(function, *inputs, dynamic=None):
    """What it says of what ran where; raises where a result is another than PyTorch's."""
    with torch.no_grad():
        torch._dynamo.reset()
        compiled = torch.compile(function, backend=hidet.torch.backend, dynamic=dynamic)
        torch.testing.assert_close(compiled(*inputs), function(*inputs))
        return hidet.torch.explain(function, *inputs)


def check_compiled():
    x = torch.arange(8.0)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("error")
        hidet.torch.dynamo_config.dump_graph_ir(folder)
        said = run(lambda x: shift(x * 2.0, 2.5) * 3.0, x)
        hidet.torch.dynamo_config.reset()
        assert said.in_pytorch == 0 and said.registered == {"hidet_test.shift.default": 1}, said
        graphs = [each.read_text() for each in Path(folder).glob("*.optimised.txt")]
        assert graphs and all("FlowGraph(MultiplyScalar, UserOperator, MultiplyScalar)" in each for each in graphs), graphs
        for function, given, dynamic in ((lambda x: shift(x) * 3.0, torch.randn(6), True), (lambda x: turn(x * 2.0) * 3.0, x, None),
                                         (lambda x: two(x + 1.0)[1] * 3.0, torch.randn(3, 4), None),
                                         (lambda x: two(x + 1.0), torch.randn(3, 4), True), (lambda x: some(x, 2), x, None)):
            said = run(function, given, dynamic=dynamic)
            assert said.in_pytorch == 0 and sum(said.registered.values()) == 1, said


def check_left():
    """What is wrong is said, and does not take its neighbours to PyTorch."""
    for function, x, dynamic, why in (
        (lambda x: doubled(x + 1) * 2, torch.randn(3, 4), None, "gives an extent of 6 where PyTorch gives 3"),
        (lambda x: doubled(x + 1) * 2, torch.randn(3, 4), True, "gives an extent of 6 where PyTorch gives 3"),
        (lambda x: turn(x + 1) * 2, torch.arange(8.0), True, "a built module wants extents that are numbers"),
        (lambda x: two(x + 1)[0] * 2, torch.randn(3), None, None),
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            run(function, x, dynamic=dynamic)
        said = [str(each.message) for each in said if "runs in PyTorch" in str(each.message)]
        assert all(why in each for each in said) if why else not said, said
        assert bool(said) == bool(why), said
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = run(lambda x: some(x, 3) + 1, torch.randn(4))
        assert said.in_pytorch == 1 and "left to PyTorch" in str(said), said


def check_refused():
    library = torch.library.Library("hidet_test_more", "DEF")
    for schema in "write(Tensor(a!) x) -> ()", "view(Tensor(a) x) -> Tensor(a)", "list(Tensor x) -> Tensor[]", "parts(Tensor x) -> Tensor":
        library.define(schema)
    library.impl("parts", lambda x: x + 1, "CompositeImplicitAutograd")
    refused = {"hidet_test_more::write": "writes", "hidet_test_more::view": "view", "hidet_test_more::list": "else than tensors",
               "hidet_test_more::parts": "in no graph", "aten::relu": "of PyTorch", "hidet_test_more::none": "has no operator"}
    for name, why in refused.items():
        try:
            hidet.torch.register_operator(name, lambda x: x)
        except ValueError as error:
            assert why in str(error), error
            continue
        raise AssertionError(f"{name} is taken")
    try:
        hidet.torch.register_operator(shift, turned)
    except ValueError as error:
        assert "'by'" in str(error), error
    else:
        raise AssertionError("a built module is taken for an operator that takes a number")


def check():
    check_compiled()
    check_left()
    check_refused()
