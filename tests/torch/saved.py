# SPDX-License-Identifier: Apache-2.0
"""What aot_compile() makes is loaded by another process, and computes there without Dynamo.

    saved.py FOLDER      is that process, which check() starts"""

import io
import os
import subprocess
import sys
import tempfile
import warnings

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cases import Block, Classifier  # noqa: E402


def several(x, y):
    """Results that are views, one that is an input, and a constant."""
    z = torch.relu(x) * y
    return z, z[0], y, z.softmax(-1) + torch.tensor([1.0, 2.0, 3.0], device=x.device)


def written(x, y):
    x += y
    return x.sort(-1).values


# name -> (module or function, sizes of the inputs, those of other calls, options)
SAVED = {
    "block": (Block, [(2, 7, 16)], [[(3, 9, 16)], [(2, 12, 16)]], {"open": (0, 1)}),
    "classifier": (Classifier, [(2, 3, 12, 12)], [], {"mode": "reduce-overhead"}),
    "training": (Classifier, [(2, 3, 12, 12)], [], {"train": True}),
    "several": (several, [(4, 3), (4, 3)], [], {}),
    "written": (written, [(4, 3), (4, 3)], [], {}),
}


def made(function):
    """The module or nothing, and the function that is compiled."""
    if not isinstance(function, type):
        return None, function
    torch.manual_seed(1)
    model = function().eval()
    return model, model.forward


def called(function, model, inputs, train):
    """Results, inputs afterwards, and gradients."""
    given = [each.clone() for each in inputs]
    with torch.set_grad_enabled(train):
        results = function(*([model] if model else []), *given)
    found = [*(results if isinstance(results, tuple) else [results]), *given]
    if train:
        model.zero_grad()
        results.square().sum().backward()
        found += [each.grad for each in model.parameters()]
    return found


def same(got, wanted, what):
    assert len(got) == len(wanted), f"{what}: {len(got)} results for {len(wanted)}"
    for mine, theirs in zip(got, wanted):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4, msg=lambda said: f"{what}: {said}")


def load(path):
    with open(path, "rb") as file:
        return torch.compiler.load_compiled_function(file, f_globals=globals())


def save(name, folder, backend):
    function, sizes, others, options = SAVED[name]
    model, compilable = made(function)
    train = options.get("train", False)
    inputs = [[torch.randn(size) for size in each] for each in [sizes, *others]]
    example = tuple(each.clone() for each in inputs[0])
    torch._dynamo.mark_dynamic(example[0], options.get("open", ()))
    compiled = torch.compile(compilable, backend=backend, fullgraph=True, mode=options.get("mode"))
    with torch.set_grad_enabled(train):
        compiled = compiled.aot_compile((example, {}))
    compiled.save_compiled_function(os.path.join(folder, name))
    plain = type(model).forward if model else function
    wanted = [called(plain, model, each, train) for each in inputs]
    same(called(compiled, model, inputs[0], train), wanted[0], f"{name}, before it was saved")
    torch.save((inputs, wanted, model and model.state_dict()), os.path.join(folder, name + ".data"))


def check_refused(backend):
    compiled = torch.compile(Block().forward, backend=backend, fullgraph=True, dynamic=True)
    try:
        compiled.aot_compile(((torch.randn(2, 7, 16),), {}))
    except RuntimeError as error:
        assert "mark_dynamic" in str(error), error
        return
    raise AssertionError("a size of a head that is open is taken")


def check(backend):
    torch._dynamo.reset()
    with torch._dynamo.config.patch(enable_aot_compile=True), tempfile.TemporaryDirectory() as folder:
        check_refused(backend)
        for name in SAVED:
            save(name, folder, backend)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
        subprocess.run([sys.executable, "-B", __file__, folder], check=True, env=environment)
        check_damage(os.path.join(folder, "several"))


def check_damage(path):
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[content.index(b"hidet graphs") + 200] ^= 1
    try:
        torch.compiler.load_compiled_function(io.BytesIO(bytes(content)), f_globals=globals())
    except RuntimeError as error:
        assert "damaged" in str(error), error
        return
    raise AssertionError("a damaged file is loaded")


def no_dynamo(*_, **__):
    raise AssertionError("Dynamo runs again")


def main(folder):
    warnings.simplefilter("error", RuntimeWarning)  # of what runs in PyTorch
    torch._dynamo.symbolic_convert.InstructionTranslator.__init__ = no_dynamo
    for name, (function, _, _, options) in SAVED.items():
        inputs, wanted, state = torch.load(os.path.join(folder, name + ".data"))
        if inputs[0][0].is_cuda:  # as torch_test.py sets it; guards ask for it
            torch.set_default_device("cuda")
        model, _ = made(function)
        if model:
            model.load_state_dict({key: value * 0 for key, value in state.items()})
        compiled = load(os.path.join(folder, name))
        for weights in [None, state] if model else [None]:  # which the graph has as constants are those of the call
            if weights:
                model.load_state_dict(weights)
            for given, results in zip(inputs, wanted):
                found = called(compiled, model, given, options.get("train", False))
                if weights or not model:
                    same(found, results, f"{name}, loaded")


if __name__ == "__main__":
    main(sys.argv[1])
