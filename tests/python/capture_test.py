# SPDX-License-Identifier: Apache-2.0
"""hidet.capture(): what is written of calls, and that hidetc makes them again. With a Python that has PyTorch, parts of torch.compile, too."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import warnings

import hidet
from hidet._text import plain_text
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "capture"))
from helper import offset, shifted_by  # noqa: E402

HIDETC = os.environ["HIDETC"]
HAS_TORCH = importlib.util.find_spec("torch") is not None
LIMIT = float("inf")


def scaled_by(factor, n, *, block=32):
    with hidet.script_module() as module:

        @hidet.script
        def scaled(x: f32[n], y: f32[n], shift: i32):
            attrs.cuda.block_dim = block
            attrs.cuda.grid_dim = (n + block - 1) // block
            at = blockIdx.x * block + threadIdx.x
            if at < n and x[at] < LIMIT:
                y[at] = x[at] * factor + shift

    return module.build()


def module_with_offset():
    with hidet.script_module() as module:

        @hidet.script
        def moved(x: f32[8]):
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 8
            x[threadIdx.x] += offset()

    return module


@hidet.script
def doubled(x: f32[64]):
    attrs.cuda.block_dim = 32
    attrs.cuda.grid_dim = 2
    x[blockIdx.x * 32 + threadIdx.x] *= 2.0


with hidet.script_module() as module_at_top:

    @hidet.script
    def halved(x: f32[64], at_most: f32):
        attrs.cuda.block_dim = 64
        attrs.cuda.grid_dim = 1
        if x[threadIdx.x] < at_most:
            x[threadIdx.x] *= 0.5


halving = module_at_top.build()

with hidet.script_module() as module_at_top:

    @hidet.script
    def negated(x: f32[64], at_most: f32):
        attrs.cuda.block_dim = 64
        attrs.cuda.grid_dim = 1
        if x[threadIdx.x] < at_most:
            x[threadIdx.x] = -x[threadIdx.x]


negating = module_at_top.build()


def built(kernel):
    module = hidet.script_module()
    module.append_function(kernel)
    return module.build()


def copied(dtype):
    with hidet.script_module() as module:

        @hidet.script
        def copy(x: hidet.ir.data_type(dtype)[4], y: hidet.ir.data_type(dtype)[4]):
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 4
            y[threadIdx.x] = x[threadIdx.x]

    return module.build()


class Captures(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home)
        self.folder = os.path.join(self.home, "kept")

    def read(self, name, folder=None):
        with open(os.path.join(folder or self.folder, name), "rb") as file:
            return file.read()

    def calls(self):
        return json.loads(self.read("capture.json"))["calls"]

    def hidetc(self, *words, code=0):
        done = subprocess.run([HIDETC, *words], cwd=self.home, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else done.stdout

    def replayed(self, tail):
        """What a replay prints with some lines at its end, by hidetc and by CPython."""
        script = self.read("replay.py").decode() + tail + "\n"
        with open(os.path.join(self.folder, "longer.py"), "w", encoding="utf-8") as file:
            file.write(script)
        told = self.hidetc("run", "kept/longer.py", "--target", "emulate")
        if importlib.util.find_spec("numpy"):
            python = subprocess.run([sys.executable, "-B", "longer.py"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((python.stdout, python.returncode), (told, 0), python.stderr)
        os.remove(os.path.join(self.folder, "longer.py"))
        return told

    def left(self):
        return sorted(os.listdir(self.home))


class Foreign:
    """An array of a library that says no more of it than DLPack does, as JAX's."""

    def __init__(self, tensor):
        self.shape, self.dtype, self._tensor = tuple(tensor.shape), tensor.dtype, tensor

    def __dlpack__(self, **keywords):
        return self._tensor.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()


class Kernels(Captures):
    def test_arrays_of_another_library_are_arguments(self):
        x, y = Foreign(hidet.arange(40, dtype="float32")), hidet.zeros([40])
        with hidet.capture(self.folder):
            scaled_by(2.0, 40)(x, y, 3)
            hidet.ops.relu(x)
        first, second = self.calls()
        self.assertEqual([(each["dtype"], each["shape"], each["strides"]) for each in (first["arguments"][0], second["arguments"][0])], [("float32", [40], [1])] * 2)
        self.assertEqual(first["arguments"][0]["file"], second["arguments"][0]["file"])
        self.assertEqual(self.replayed("print(y_1.tolist()[39], results_of_2.tolist()[39])"), "81.0 39.0\n")

    def test_a_call_is_made_again_with_its_arguments_as_they_were_before_it(self):
        x, y = hidet.arange(40, dtype="float32", device="cuda"), hidet.zeros([40], device="cuda")
        with hidet.capture(self.folder):
            scaled_by(2.0, 40)(x, y, 3)
        self.assertEqual(sorted(os.listdir(self.folder)), ["capture.json", "kernels.py", "replay.py", "versions.json", "x_1.npy", "y_1.npy"])
        self.assertTrue(self.read("y_1.npy").endswith(bytes(160)))
        call, = self.calls()
        self.assertEqual(call, {
            "call": 1, "function": "scaled", "runs": "kernels.built_1", "positional": 3, "stream": "default",
            "arguments": [{"name": "x", "dtype": "float32", "shape": [40], "strides": [1], "device": "cuda", "file": "x_1.npy"},
                          {"name": "y", "dtype": "float32", "shape": [40], "strides": [1], "device": "cuda", "file": "y_1.npy"},
                          {"name": "shift", "value": 3}]})
        self.assertEqual(self.replayed("print(y_1.cpu().tolist()[39])"), f"{y.cpu().tolist()[39]}\n")
        self.hidetc("check", "kept/replay.py")
        self.assertIn("scaled(f32[40], f32[40], 3) on emulator\n  not checked: emulated without findings",
                      self.hidetc("try", "kept/replay.py", "--check-only", "--target", "emulate"))

    def test_nothing_is_captured_before_and_after(self):
        module, x = built(doubled), hidet.ones([64], device="cuda")
        module(x)
        with hidet.capture(self.folder):
            module(x)
        module(x)
        self.assertEqual(len(self.calls()), 1)
        self.assertEqual(x.cpu().tolist()[0], 8.0)
        self.assertEqual(self.replayed("print(x_1.cpu().tolist()[0])"), "4.0\n")

    def test_each_module_is_that_of_its_own_call_of_the_factory(self):
        twice, thrice = scaled_by(2.0, 8), scaled_by(3.0, 8)
        x, y = hidet.ones([8], device="cuda"), hidet.zeros([8], device="cuda")
        with hidet.capture(self.folder):
            twice(x, y, 0)
            thrice(x, y, 0)
            twice["scaled"](x, y, 1)
        self.assertEqual([each["runs"] for each in self.calls()], ["kernels.built_1", "kernels.built_2", "kernels.built_1['scaled']"])
        self.assertEqual(self.replayed("print([each.cpu().tolist()[0] for each in (y_1, y_2, y_3)])"), "[2.0, 3.0, 3.0]\n")

    def test_a_call_of_a_factory_that_cannot_be_said_is_no_other_call(self):
        class Three(float):
            pass

        scaled_by(2.0, 8)
        with self.assertWarnsRegex(hidet.HidetWarning, "no call of 'scaled_by' with plain values is known that made 'scaled'"):
            with hidet.capture(self.folder):
                scaled_by(Three(3.0), 8)(hidet.ones([8], device="cuda"), hidet.zeros([8], device="cuda"), 0)

    def test_modules_of_a_file_by_one_name_are_told_apart(self):
        x = hidet.ones([64], device="cuda")
        with hidet.capture(self.folder):
            for module in (halving, negating, halving):
                module(x, LIMIT)
        self.assertEqual([each["runs"] for each in self.calls()], ["kernels.built_1", "kernels.built_2", "kernels.built_1"])
        self.assertEqual(self.calls()[0]["arguments"][1], {"name": "at_most", "value": "inf"})
        self.assertEqual(self.replayed("print(x_1.cpu().tolist()[0], x_2.cpu().tolist()[0], x_3.cpu().tolist()[0])"), "0.5 -0.5 -0.25\n")

    def test_threads_are_captured_together(self):
        module, tensors = built(doubled), [hidet.ones([64], device="cuda") for _ in range(4)]
        with hidet.capture(self.folder):
            threads = [threading.Thread(target=module, args=(each,)) for each in tensors]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        self.assertEqual([each["call"] for each in self.calls()], [1, 2, 3, 4])
        self.replayed("")

    def test_whatever_speaks_dlpack_is_an_argument(self):
        class Array:
            def __init__(self, tensor):
                self._tensor = tensor

            def __dlpack__(self, **options):
                return self._tensor.__dlpack__(**options)

            def __dlpack_device__(self):
                return self._tensor.__dlpack_device__()

        with hidet.capture(self.folder):
            scaled_by(2.0, 8)(Array(hidet.ones([8])), Array(hidet.zeros([8])), 0)
        self.assertEqual([(each["shape"], each["strides"], each["device"]) for each in self.calls()[0]["arguments"][:2]], [([8], [1], "cpu")] * 2)
        self.assertEqual(self.replayed("print(y_1.tolist()[0])"), "2.0\n")

    def test_equal_tensors_are_one_file(self):
        x, y = hidet.ones([8], device="cuda"), hidet.zeros([8], device="cuda")
        with hidet.capture(self.folder):
            for _ in range(3):
                scaled_by(2.0, 8)(x, y, 0)
        self.assertEqual(len([each for each in os.listdir(self.folder) if each.endswith(".npy")]), 3)  # y changes once

    def test_the_same_calls_give_the_same_bytes(self):
        for name in ("kept", "again"):
            with hidet.capture(os.path.join(self.home, name)):
                scaled_by(2.0, 8)(hidet.ones([8], device="cuda"), hidet.zeros([8], device="cuda"), 0)
                graph = hidet.symbol([2, 3], dtype="float32")
                hidet.trace_from(hidet.ops.relu(graph) * 2.0, graph)(hidet.ones([2, 3]))
        names = sorted(os.listdir(self.folder))
        self.assertEqual(sorted(os.listdir(os.path.join(self.home, "again"))), names)
        for name in names:
            self.assertEqual(self.read(name), self.read(name, os.path.join(self.home, "again")), name)
            if name != "versions.json":
                self.assertNotIn(self.home.encode(), self.read(name))
                self.assertNotIn(os.path.dirname(os.path.abspath(__file__)).encode(), self.read(name))

    def test_plain_values_are_written_as_python_reads_them_and_in_one_order(self):
        for value, text in (({"b", "a", "c"}, "{'a', 'b', 'c'}"), (frozenset({2, 1}), "frozenset({1, 2})"), (set(), "set(())"),
                            ([LIMIT, (1,), {"k": -LIMIT}], "[float('inf'), (1,), {'k': float('-inf')}]"), ((), "()")):
            self.assertEqual(plain_text(value), text)
            self.assertEqual(eval(text), value)

    def test_functions_of_other_files_come_along(self):
        x = hidet.zeros([8], device="cuda")
        module = module_with_offset()
        with hidet.capture(self.folder):
            module.build()(x)
            shifted_by(2)(x)
        self.assertEqual([each["runs"] for each in self.calls()], ["kernels.built_1", "kernels_2.built_1"])
        self.assertIn("from kernels_2 import offset", self.read("kernels.py").decode())
        self.assertEqual(self.replayed("print(x_1.cpu().tolist()[0], x_2.cpu().tolist()[0])"), f"{offset()} {offset() + 2}\n")

    def test_types_that_numpy_lacks_come_back(self):
        for dtype in ("bfloat16", "float8_e4m3", "bool", "int64", "float16"):
            x = hidet.ones([4], device="cuda").to(dtype=dtype)
            with hidet.capture(self.folder):
                copied(dtype)(x, hidet.zeros([4], dtype=dtype, device="cuda"))
            self.assertEqual(self.calls()[0]["arguments"][0]["dtype"], dtype)
            self.assertEqual(self.replayed("print(y_1.dtype.name, y_1.cpu().to(dtype='float32').tolist())"),
                             f"{dtype} [1.0, 1.0, 1.0, 1.0]\n", dtype)

    def test_a_call_that_fails_is_there(self):
        with self.assertRaisesRegex(ValueError, "must have shape"), hidet.capture(self.folder):
            built(doubled)(hidet.ones([63], device="cuda"))
        self.assertEqual(self.calls()[0]["arguments"][0]["shape"], [63])

    def test_what_cannot_be_made_again_is_named(self):
        n = 8

        def within():
            with hidet.script_module() as module:

                @hidet.script
                def inner(x: f32[n]):
                    attrs.cuda.grid_dim = 1
                    attrs.cuda.block_dim = 8
                    x[threadIdx.x] = 1.0

            return module.build()

        with self.assertWarnsRegex(hidet.HidetWarning, "left out of the capture: 'inner' is written in a class or a block"):
            with hidet.capture(self.folder):
                within()(hidet.zeros([8], device="cuda"))
        self.assertIsNone(self.calls()[0]["runs"])
        self.assertIn("# Call 1, of inner, cannot be made again: 'inner' is written in a class", self.read("replay.py").decode())
        self.replayed("")

    def test_of_large_tensors_there_may_be_statistics_alone(self):
        x, y = hidet.arange(40, dtype="float32", device="cuda"), hidet.zeros([40], device="cuda")
        with hidet.capture(self.folder, values=False, limit=100):
            scaled_by(2.0, 40)(x, y, 3)
        self.assertEqual([each for each in os.listdir(self.folder) if each.endswith(".npy")], [])
        found = self.calls()[0]["arguments"][0]
        self.assertEqual((found["seed"], found["statistics"]["min"], found["statistics"]["max"], found["statistics"]["mean"]), (1, 0.0, 39.0, 19.5))
        self.assertAlmostEqual(found["statistics"]["deviation"], 11.5434, 3)
        tail = "print(abs(x_1.cpu().to(dtype='float64').mean().item() - 19.5) < 10, x_1.shape)"
        self.assertTrue(self.replayed(tail).startswith("True"))
        with hidet.capture(self.folder, values=False):  # the usual limit is a MiB
            scaled_by(2.0, 40)(x, y, 3)
        self.assertIn("x_1.npy", os.listdir(self.folder))

    def test_a_decorated_function_is_captured_anew_at_each_call(self):
        @hidet.capture(self.folder)
        def work(times):
            for _ in range(times):
                built(doubled)(hidet.ones([64], device="cuda"))
            return times

        self.assertEqual((work(3), len(self.calls())), (3, 3))
        self.assertEqual((work(1), len(self.calls())), (1, 1))


class Folders(Captures):
    def capture(self, **options):
        with hidet.capture(self.folder, **options):
            built(doubled)(hidet.ones([64], device="cuda"))

    def test_a_capture_is_replaced_and_nothing_else_is(self):
        self.capture()
        self.capture()
        self.assertEqual(self.left(), ["kept"])
        with open(os.path.join(self.folder, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("mine")
        with self.assertRaisesRegex(FileExistsError, "holds 'notes.txt', which no capture has written"):
            self.capture()
        self.assertEqual(self.read("notes.txt"), b"mine")
        os.remove(os.path.join(self.folder, "notes.txt"))
        with open(os.path.join(self.folder, "capture.json"), "w", encoding="utf-8") as file:
            file.write('{"format": "other", "files": ["replay.py"]}')
        with self.assertRaisesRegex(FileExistsError, "which no capture has written"):
            self.capture()
        shutil.rmtree(self.folder)
        with open(self.folder, "w", encoding="utf-8"):
            with self.assertRaisesRegex(FileExistsError, "is no folder"):
                self.capture()
        self.assertEqual(self.left(), ["kept"])

    def test_a_link_that_leads_out_of_the_folder_is_not_followed(self):
        self.capture()
        os.rename(os.path.join(self.folder, "x_1.npy"), os.path.join(self.home, "x_1.npy"))
        os.symlink("../x_1.npy", os.path.join(self.folder, "x_1.npy"))
        said = self.hidetc("run", "kept/replay.py", "--target", "emulate", code=1)
        self.assertIn("cannot read 'x_1.npy': it is not below the folder of the script [file-unreadable]", said)

    def test_captures_do_not_nest_and_options_are_checked(self):
        with hidet.capture(self.folder):
            with self.assertRaisesRegex(RuntimeError, "captures do not nest"), hidet.capture(os.path.join(self.home, "other")):
                pass
            hidet.ones([2]) + 1.0
        self.assertEqual(self.left(), ["kept"])
        for options, error in (({"values": 1}, TypeError), ({"limit": -1}, ValueError)):
            with self.assertRaises(error):
                hidet.capture(self.folder, **options)


class Graphs(Captures):
    def graph(self):
        x = hidet.symbol([2, 3], dtype="float32")
        return hidet.trace_from(hidet.ops.relu(x) * 2.0 + hidet.asarray([1.0, 2.0, 3.0]), x)

    def test_a_graph_traced_or_compiled_runs_again(self):
        graph = self.graph()
        given = hidet.asarray([[1.0, -1.0, 2.0], [0.0, 3.0, -2.0]])
        with hidet.capture(self.folder):
            graph(given)
            wanted = graph.build()([given])
        self.assertEqual([each["runs"] for each in self.calls()], ["graph_1.hidet", "graph_1.hidet"])
        self.assertEqual(self.replayed("print(results_of_1.tolist() == results_of_2.tolist(), results_of_1.tolist())"), f"True {wanted.tolist()}\n")
        self.hidetc("check", "kept/replay.py")
        self.hidetc("model", "run", "kept/graph_1.hidet", "--target", "emulate", "--output", "out")
        self.assertEqual(os.listdir(os.path.join(self.home, "out")), ["output_0.npy"])

    def test_without_values_weights_stay_out(self):
        with hidet.capture(self.folder, values=False):
            self.graph()(hidet.ones([2, 3]))
        self.assertEqual(self.calls()[0]["runs"], "graph_1.json")
        self.assertIn("hidetc model run graph_1.json", self.read("replay.py").decode())
        self.hidetc("model", "run", "kept/graph_1.json", "--target", "emulate")


    def test_a_graph_that_runs_beside_its_caller_is_a_call_and_a_replay_of_launches_says_what_it_lacks(self):
        x = hidet.symbol([2, 3], dtype="float32", device="cuda")
        graph = hidet.trace_from(hidet.ops.relu(x), x).build()
        given, launches = hidet.ones([2, 3], device="cuda"), graph.cuda_graph()
        with self.assertWarnsRegex(hidet.HidetWarning, "'replay' of a graph of CUDA"), hidet.capture(self.folder):
            graph.run_async([given])
            launches.replay()
        self.assertEqual([each["runs"] for each in self.calls()], ["graph_1.hidet", None])


class Operators(Captures):
    def test_what_computes_at_once_is_a_call(self):
        x, y = hidet.asarray([[1.0, -2.0], [3.0, 4.0]]), hidet.ones([2, 2])
        with hidet.capture(self.folder):
            results = [hidet.ops.relu(x), x @ y, 2.0 - x, -x, x.sum(1), hidet.ops.concat([x, y], axis=0), x < 1.0]
        self.assertEqual([each["runs"] for each in self.calls()], ["hidet.ops.relu", "@", "-", "-", ".sum", "hidet.ops.concat", "<"])
        names = ", ".join(f"results_of_{number}.tolist()" for number in range(1, 8))
        self.assertEqual(self.replayed(f"print([{names}])"), f"{[each.tolist() for each in results]}\n")
        self.hidetc("run", "kept/replay.py", "--target", "emulate")

    def test_where_nothing_is_called_nothing_is_written_and_that_is_said(self):
        with self.assertWarnsRegex(hidet.HidetWarning, "nothing of Hidet was called"), hidet.capture(self.folder):
            x = hidet.symbol([2, 3])
            hidet.trace_from(hidet.ops.relu(x) * 2.0 + 1.0, x)
            hidet.zeros([2]).cpu()
        self.assertEqual(self.left(), [])
        x = hidet.ones([2])
        with hidet.capture(self.folder):
            x + x
        made = self.calls()
        with self.assertWarns(hidet.HidetWarning), hidet.capture(self.folder):
            pass
        self.assertEqual(self.calls(), made)

    def test_none_is_heard_of_afterwards(self):
        x = hidet.ones([2])
        with hidet.capture(self.folder):
            x + x
        made = self.calls()
        x + x
        hidet.ops.relu(x)
        self.assertEqual(len(made), 1)
        self.assertEqual(self.calls(), made)


@unittest.skipUnless(HAS_TORCH, "there is no PyTorch")
class Torch(Captures):
    def test_parts_of_torch_compile_are_graphs_with_their_inputs(self):
        import torch

        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
        compiled, x = torch.compile(model, backend="hidet"), torch.randn(2, 4)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled(x)
            with hidet.capture(self.folder):
                wanted = compiled(x)
        call, = self.calls()
        self.assertEqual((call["function"], call["runs"], call["arguments"][0]["shape"]), ("part", "graph_1.hidet", [2, 4]))
        told = self.replayed("print(results_of_1.tolist() if isinstance(results_of_1, hidet.Tensor) else results_of_1[0].tolist())")
        self.assertTrue(torch.allclose(torch.tensor(json.loads(told)), wanted, atol=1e-5))
        self.assertEqual(json.loads(self.read("versions.json"))["torch"], torch.__version__)

    def test_tensors_of_pytorch_and_arrays_of_numpy_are_arguments(self):
        import numpy
        import torch

        x = torch.arange(8, dtype=torch.float32)
        with hidet.capture(self.folder):
            scaled_by(2.0, 8)(x, numpy.zeros(8, dtype=numpy.float32), numpy.int32(3))
        self.assertEqual([each["strides"] for each in self.calls()[0]["arguments"][:2]], [[1], [1]])
        self.assertEqual(self.calls()[0]["arguments"][2], {"name": "shift", "value": 3})
        self.assertEqual(self.replayed("print(y_1.tolist()[7])"), "17.0\n")

    def test_strides_are_noted_of_what_does_not_lie_row_after_row(self):
        import torch

        x = torch.arange(16, dtype=torch.float32).reshape(4, 4).t()
        with self.assertRaises(ValueError), hidet.capture(self.folder):
            scaled_by(2.0, 16)(x, torch.zeros(16), 0)
        self.assertEqual(self.calls()[0]["arguments"][0]["strides"], [1, 4])


    def test_a_replay_of_launches_that_pytorch_holds_is_named_and_made(self):
        import torch

        replayed = []
        with unittest.mock.patch.object(torch.cuda.CUDAGraph, "replay", lambda graph: replayed.append(graph)):
            made = torch.cuda.CUDAGraph.replay
            with self.assertWarnsRegex(hidet.HidetWarning, "'replay' of a graph of CUDA, which holds launches"), hidet.capture(self.folder):
                torch.cuda.CUDAGraph.replay("a graph")
            self.assertIs(torch.cuda.CUDAGraph.replay, made)
        self.assertEqual(replayed, ["a graph"])
        self.assertEqual([each["runs"] for each in self.calls()], [None])

    def test_what_pytorch_and_numpy_do_by_themselves_is_not_heard_of(self):
        import numpy
        import torch

        with self.assertWarnsRegex(hidet.HidetWarning, "what PyTorch, JAX and NumPy do by themselves"), hidet.capture(self.folder):
            torch.ones(4) @ torch.ones(4)
            numpy.ones(4) @ numpy.ones(4)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
