# SPDX-License-Identifier: Apache-2.0
"""torch.compile(backend='hidet') gives what PyTorch gives, for the modules of cases.py.

    torch_test.py [NAME ...] [--trace] [--device cuda] [--update]     with the Python that has PyTorch; PYTHONPATH leads to the package

Which operators of each run in PyTorch is listed in in_pytorch.txt, for the CPU; --update writes it."""

import argparse
import copy
import json
import os
import sys
import traceback
import unittest.mock
import warnings

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import checkpoints  # noqa: E402
import operators  # noqa: E402
import saved  # noqa: E402
from cases import CASES  # noqa: E402

import hidet.torch  # noqa: E402
from hidet import _value  # noqa: E402
from hidet.torch import _explain, _part  # noqa: E402

LISTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_pytorch.txt")

TOLERANCE = {torch.float32: (1e-4, 1e-4), torch.float16: (5e-3, 5e-3), torch.bfloat16: (3e-2, 3e-2), torch.float64: (1e-7, 1e-7),
             torch.complex64: (1e-4, 1e-4)}


def leaves(value):
    return torch.utils._pytree.tree_flatten(value)[0]


def same(got, wanted, what):
    got, wanted = leaves(got), leaves(wanted)
    assert len(got) == len(wanted), f"{what}: {len(got)} results for {len(wanted)}"
    for place, (mine, theirs) in enumerate(zip(got, wanted)):
        if not isinstance(theirs, torch.Tensor):
            assert mine == theirs, f"{what} {place}: {mine} for {theirs}"
            continue
        assert mine.dtype == theirs.dtype, f"{what} {place}: {mine.dtype} for {theirs.dtype}"
        assert mine.shape == theirs.shape, f"{what} {place}: {tuple(mine.shape)} for {tuple(theirs.shape)}"
        assert mine.stride() == theirs.stride(), f"{what} {place}: strides {mine.stride()} for {theirs.stride()}"
        relative, absolute = TOLERANCE.get(theirs.dtype, (0, 0))
        torch.testing.assert_close(mine.detach(), theirs.detach(), rtol=relative, atol=absolute, equal_nan=True, msg=lambda said: f"{what} {place}: {said}")


def fresh(makers):
    return [each() for each in makers]


def copies(values):
    return [value.clone() if value.is_contiguous() else value.detach() for value in values]


def check(name):
    function, makers, options = CASES[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    train = options.get("train", False)
    theirs = function() if options.get("module") else function
    mine = copy.deepcopy(theirs) if options.get("module") else function
    if options.get("module"):
        theirs.train(train)
        mine.train(train)
    compiled = torch.compile(mine, backend=hidet.torch.backend, dynamic=options.get("dynamic"))
    kept = []
    for makers in [makers] * options.get("calls", 2) + options.get("sizes", []):
        inputs = fresh(makers)
        given = copies(inputs)
        with torch.set_grad_enabled(train or options.get("grad", False)):
            if train:
                for value in (*inputs, *given):
                    if value.is_floating_point():
                        value.requires_grad_()
            wanted, got = theirs(*inputs), compiled(*given)
            same(got, wanted, "result")
            if train:
                total = lambda values: sum((each * torch.linspace(0.5, 1.5, each.numel()).view(each.shape)).sum() for each in leaves(values))
                total(wanted).backward()
                total(got).backward()
                same([each.grad for each in given], [each.grad for each in inputs], "gradient of an input")
                same([each.grad for each in mine.parameters()], [each.grad for each in theirs.parameters()], "gradient of a parameter")
                for model in (mine, theirs):
                    torch.optim.SGD(model.parameters(), lr=0.01).step()
        if options.get("mutates"):
            same(given, inputs, "input afterwards")
        if options.get("module"):
            same(list(mine.buffers()), list(theirs.buffers()), "buffer afterwards")
        if options.get("writes"):
            for position, each in enumerate(leaves(got)):
                others = copy.deepcopy(leaves(got)[position + 1:])
                each.add_(1)
                same(leaves(got)[position + 1:], others, "a result beside one that was written to")
            continue
        if "between" in options:
            with torch.no_grad():
                for model in (mine, theirs):
                    options["between"](model)
        kept.append((got, copy.deepcopy([each.detach() for each in leaves(got) if isinstance(each, torch.Tensor)])))
    for got, then in kept:
        same([each for each in leaves(got) if isinstance(each, torch.Tensor)], then, "an earlier result")


def check_mistakes():
    """PyTorch's own exception, and the compiled part stays."""
    table = torch.nn.Embedding(5, 3)
    compiled = torch.compile(table, backend=hidet.torch.backend)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            same(compiled(torch.tensor([1, 4])), table(torch.tensor([1, 4])), "result")
            try:
                compiled(torch.tensor([1, 7]))
            except IndexError:
                continue
            raise AssertionError("an index that is outside is taken")
    options = {"nothing": 1}, {"weights": "none"}, {"quantize": "int3"}, {"quantize": "int4", "weights": "inputs"}, {"quantize_limit": 0.1}
    for wrong in {"mode": "fast"}, *({"options": each} for each in options):
        torch._dynamo.reset()
        try:
            torch.compile(table, backend=hidet.torch.backend, **wrong)(torch.tensor([1]))
        except torch._dynamo.exc.BackendCompilerFailed as error:
            assert "ValueError" in str(error), error
            continue
        raise AssertionError(f"{wrong} is taken")


def check_several():
    """PyTorch calls one graph for several modules of one kind, each with weights of its own."""
    for count in 3, 12:  # as constants, and as inputs when they are many
        torch._dynamo.reset()
        models = [torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8)).eval() for _ in range(count)]
        for model in models:
            torch.nn.init.uniform_(model[1].running_var, 0.5, 2)
        compiled = [torch.compile(lambda x, model=model: model(x), backend=hidet.torch.backend) for model in models]
        x = torch.randn(4, 8)
        for _ in range(2):
            for each, model in zip(compiled, models):
                with torch.no_grad():
                    same(each(x), model(x), f"result of {count} modules")
                    model[0].weight.data = torch.randn(8, 8)
                    same(each(x), model(x), f"result of {count} modules with other memory")


def check_readers():
    """Who reads weights through `.data` costs nothing: they stay constants."""
    torch._dynamo.reset()
    model = torch.nn.Linear(8, 8)
    compiled, x = torch.compile(model, backend=hidet.torch.backend), torch.randn(4, 8)
    with torch.no_grad():
        same(compiled(x), model(x), "result")
        made, kept = [], _part._Build
        with unittest.mock.patch.object(_part, "_Build", lambda *args: made.append(args) or kept(*args)):
            copied = copy.deepcopy(model)
            taken = model.weight.data
            same(compiled(x), model(x), "result after the weights were read")
            assert not made, "the graph was compiled again"
            taken.t()[1:].mul_(2)
            same(compiled(x), model(x), "result after a view of the weights was written to")
            assert len(made) == 1, "the graph was not compiled again"
            same(compiled(x), model(x), "result")
            assert len(made) == 1, "the graph was compiled once more"
        assert not torch.equal(copied.weight, model.weight)


def check_few_bits():
    """Weights of few bits are near those of PyTorch, and the fewer, the less so; a limit leaves them."""
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 64)).eval()
    x = torch.randn(5, 256)
    errors = []
    with torch.no_grad():
        wanted = model(x)
        for options in {"quantize_limit": 1e-6}, {}, {"quantize": "fp8"}, {"quantize": "int4"}:
            torch._dynamo.reset()
            compiled = torch.compile(model, backend=hidet.torch.backend, options={"quantize": "int8", **options})
            errors.append(((compiled(x) - wanted).norm() / wanted.norm()).item())
    assert errors[0] < 1e-5 < 1e-3 < errors[1] < errors[2] < errors[3] < 0.2, errors


def check_refused():
    """What a part that is not compiled writes to its inputs is written all the same."""
    def step(cache, x):
        cache.index_copy_(0, torch.tensor([1]), x)
        cache.mul_(2)
        return cache.sum(0)

    torch._dynamo.reset()
    mine, theirs, x = torch.ones(4, 3), torch.ones(4, 3), torch.randn(1, 3)
    with warnings.catch_warnings(record=True) as said, unittest.mock.patch.object(_part.Part, "build", side_effect=RuntimeError("no")):
        warnings.simplefilter("always")
        compiled = torch.compile(step, backend=hidet.torch.backend)
        for _ in range(2):
            same(compiled(mine, x), step(theirs, x), "result of what is not compiled")
            same(mine, theirs, "tensor that it writes to")
    assert any("a part of the graph runs in PyTorch: no" in str(each.message) for each in said)


def check_places():
    """What a module reads may lie where it lay before, with other data, and anywhere else."""
    torch._dynamo.reset()
    model = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 3), torch.nn.ReLU()).eval()
    compiled = torch.compile(model, backend=hidet.torch.backend, mode="reduce-overhead")
    memory = torch.randn(2 * 2 * 4 * 9 * 9 + 3)
    shape = (2, 4, 9, 9)
    first = memory[:2 * 4 * 9 * 9].view(shape)
    kept = []
    with torch.no_grad():
        for x in first, first.neg_(), torch.randn(shape), memory[3:3 + first.numel()].view(shape), first:
            kept.append((compiled(x), model(x)))
    for got, wanted in kept:
        same(got, wanted, "result")


def check_passes():
    """A graph with gradients is one of inference until its first backward pass, and one of training from then on; gradients are right
    in both, also for sizes that are open, while weights change, and for several backward passes of one result."""
    for dynamic in False, True:
        torch._dynamo.reset()
        model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 3))
        own = copy.deepcopy(model)
        compiled = torch.compile(own, backend=hidet.torch.backend, dynamic=dynamic)
        for step in range(5):
            x = torch.randn(4 + (step % 3 if dynamic else 0), 6)
            results = []
            for called, weights in (model, model), (compiled, own):
                given = x.clone().requires_grad_()
                weights.zero_grad()
                result = called(given)
                if step > 1:
                    result.square().sum().backward(retain_graph=step == 3)
                    if step == 3:
                        result.sum().backward()
                results.append([result.detach(), given.grad, *(each.grad for each in weights.parameters())])
                with torch.no_grad():
                    for each in weights.parameters():
                        each -= 0.01 * (torch.ones_like(each) if each.grad is None else each.grad)
            for got, wanted in zip(*reversed(results)):
                same(got, wanted, f"step {step}")


class Lines(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        x = self.linear(x)
        x = torch.sort(x)[0]  # runs in PyTorch where it has no row
        return torch.softmax(x, -1)


def check_lines():
    """The graphs that hidet.studio() opens have the lines of the model, and leave what is compiled as it is."""
    model, x = Lines(), torch.randn(4, 8)
    compiled = torch.compile(model, backend="hidet")
    wanted = compiled(x)
    first = Lines.forward.__code__.co_firstlineno
    for each in model, compiled:
        nodes = [node for graph in _explain.graphs_of(each, x) for node in json.loads(str(_value._library.graph_document(graph)))["graph"]["nodes"]]
        places = {node["op"]: (os.path.basename(node["site"]["file"]), node["site"]["line"] - first) for node in nodes}
        assert places["Matmul"] == ("torch_test.py", 1) and places["Softmax"] == ("torch_test.py", 3), places
    same(compiled(x), wanted, "result beside its graphs")


class RootMeanSquare(torch.nn.Module):
    def __init__(self, epsilon):
        super().__init__()
        self.epsilon = epsilon

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.epsilon)


def check_numbers():
    """Models of one process that differ in an epsilon have it as a constant each, so that their normalisation is one; it may change."""
    x = torch.randn(4, 8)
    for epsilon in 1e-6, 1e-2:
        model = RootMeanSquare(epsilon)
        compiled = torch.compile(torch.nn.Sequential(model), backend="hidet")
        same(compiled(x), model(x), f"epsilon {epsilon}")
        graphs = _explain.graphs_of(compiled, x)
        inputs = [len(json.loads(str(_value._library.graph_document(graph)))["graph"]["inputs"]) for graph in graphs]
        assert inputs == [1], inputs
        model.epsilon = 0.5
        same(compiled(x), model(x), "another epsilon")


def in_pytorch():
    """The operators of what was compiled since the last call, that are not."""
    found = sorted({name.removeprefix("aten.") for counts in _explain._noted for name, _ in counts.others})
    _explain._noted = []
    return " ".join(found)


def same_list(lines, update):
    if update:
        with open(LISTED, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return True
    with open(LISTED, encoding="utf-8") as file:
        listed = file.readlines()
    print("".join(f"in_pytorch.txt: {sign} {line}" for sign, one, other in (("-", listed, lines), ("+", lines, listed)) for line in one if line not in other))
    return lines == listed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    failed = 0
    if options.device == "cpu" and not options.names:
        check_mistakes()
        check_several()
        check_readers()
        check_passes()
        check_few_bits()
        check_refused()
        operators.check()
        check_lines()
        check_numbers()
    if options.device != "cpu":
        torch.set_default_device(options.device)
    if not options.names:
        check_places()
        checkpoints.check()
        saved.check(hidet.torch.backend)
    names = options.names or [name for name in CASES if options.device == "cpu" or not CASES[name][2].get("cpu")]
    _explain._noted, lines = [], []
    for name in names:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                check(name)
                problem = ""
            except Exception as error:
                problem = f"{type(error).__name__}: {str(error).strip()[:400]}"
                if options.trace:
                    traceback.print_exc()
        of_ours = [str(each.message)[:300] for each in said if "runs in PyTorch" in str(each.message)]
        failed += bool(problem or of_ours)
        if others := in_pytorch():
            lines.append(f"{name}: {others}\n")
        print("FAILED" if problem else "said" if of_ours else "ok", name, problem, *of_ours, flush=True)
    if options.device == "cpu" and not options.names:
        failed += not same_list(lines, options.update)
    print(f"{len(names)} modules, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
