# SPDX-License-Identifier: Apache-2.0
"""`import hidet` in CPython: kernels written in this file, built and run by the emulator, and what goes wrong with them."""

import importlib
import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from contextlib import redirect_stdout

import hidet
from hidet.lang import attrs, f32, i32, printf, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

HERE = os.path.abspath(__file__)


def line_of(text):
    with open(HERE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line and "line_of" not in line)


def scaled_by(factor, n):
    """A kernel of a size and a number that the function around it has."""
    with hidet.script_module() as module:

        @hidet.script
        def scaled(x: f32[n], y: f32[n]):
            attrs.cuda.grid_dim = (n + 31) // 32
            attrs.cuda.block_dim = 32
            i = blockIdx.x * 32 + threadIdx.x
            if i < n:
                y[i] = x[i] * factor

    return module.build()


def square(x):
    """Host code of CPython's, which a kernel calls while it is translated."""
    return x * x


class Reductions(unittest.TestCase):
    def test_sums_of_a_channel_over_all_images_are_those_of_the_cpu(self):
        for shape, dims in ((4, 6, 5, 7), [0, 2, 3]), ((2, 3, 4, 8), [1, 3]), ((16, 5, 1, 12), [0, 3]), ((2, 3, 4, 5), [0, 2]):
            for name in "sum", "mean", "max", "prod":
                x = hidet.randn(list(shape), device="cuda")
                symbol = hidet.symbol_like(x)
                reduced = getattr(hidet.ops, name)
                got = hidet.graph.optimize(hidet.trace_from(reduced(symbol * 0.5, dims), symbol))(x).cpu()
                wanted = reduced(x.cpu() * 0.5, dims)
                for a, b in zip(got.flatten().tolist(), wanted.flatten().tolist()):
                    self.assertAlmostEqual(a, b, delta=1e-4 * max(1.0, abs(b)))


class Kernels(unittest.TestCase):
    def test_a_kernel_has_the_names_of_its_closure_and_of_its_annotations(self):
        for factor, n in (2.0, 40), (0.5, 7):
            x, y = hidet.arange(n, dtype="float32"), hidet.zeros([n])
            scaled_by(factor, n)(x.cuda(), y := y.cuda())
            self.assertEqual(y.cpu().tolist(), [i * factor for i in range(n)])

    def test_functions_of_python_are_called_with_what_the_kernel_computes(self):
        with hidet.script_module() as module:

            @hidet.script
            def add(a: i32, b: i32) -> i32:
                return a + b

            @hidet.script
            def kernel(x: i32[32]):
                attrs.cuda.grid_dim = 1
                attrs.cuda.block_dim = 32
                x[threadIdx.x] = add(square(threadIdx.x), len([1, 2, 3]))

        x = hidet.zeros([32], dtype="int32", device="cuda")
        module.build()(x)
        self.assertEqual(x.tolist(), [i * i + 3 for i in range(32)])

    def test_mistakes_are_exceptions_with_the_lines_of_this_file(self):
        with self.assertRaises(Exception) as raised:
            with hidet.script_module():

                @hidet.script
                def wrong(x: f32[8]):
                    attrs.cuda.grid_dim = 1
                    attrs.cuda.block_dim = 32
                    x[threadIdx.x] = y[0]  # which is nowhere

        text = str(raised.exception)
        self.assertIn(f"{HERE}:{line_of('# which is nowhere')}:38: error: ", text)
        self.assertIn("                    x[threadIdx.x] = y[0]", text)

    def test_warnings_are_pythons_own_at_the_line_of_the_kernel(self):
        with self.assertWarns(hidet.HidetWarning) as warned:
            with hidet.script_module():

                @hidet.script
                def idle(x: f32[8]):
                    attrs.cuda.grid_dim = 1
                    attrs.cuda.block_dim = 32
                    x[0] + 1.0  # which does nothing

        self.assertEqual((warned.filename, warned.lineno), (HERE, line_of("# which does nothing")))
        self.assertIn("[no-effect]", str(warned.warning))

    def test_what_a_kernel_prints_goes_where_python_prints(self):
        with hidet.script_module() as module:

            @hidet.script
            def says():
                attrs.cuda.grid_dim = 1
                attrs.cuda.block_dim = 1
                printf("%d and %d\n", 1, 2)

        with redirect_stdout(io.StringIO()) as out:
            print("before")
            module.build()()
        self.assertEqual(out.getvalue(), "before\n1 and 2\n")

    def test_an_exception_of_a_callback_arrives_as_it_is(self):
        def fails(x):
            raise KeyError("of Python's own")

        with self.assertRaises(KeyError) as raised:
            with hidet.script_module():

                @hidet.script
                def kernel(x: f32[8]):
                    attrs.cuda.grid_dim = 1
                    attrs.cuda.block_dim = 32
                    x[0] = fails(x[1])

        self.assertEqual(raised.exception.args, ("of Python's own",))

    def test_findings_of_wrong_calls_are_exceptions(self):
        kernel = scaled_by(2.0, 8)
        with self.assertRaises(Exception) as raised:
            kernel(hidet.zeros([9], device="cuda"), hidet.zeros([8], device="cuda"))
        self.assertIn("9", str(raised.exception))


def reversed_by(n, is_ordered):
    """A kernel that reads what other threads wrote, with or without waiting for them."""
    with hidet.script_module() as module:

        @hidet.script
        def turned(x: f32[n], y: f32[n]):
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            tile = shared_tensor("float32", [n])
            tile[threadIdx.x] = x[threadIdx.x]
            if is_ordered:
                syncthreads()
            y[threadIdx.x] = tile[n - 1 - threadIdx.x]  # the read

    return module.build()


class Reports(unittest.TestCase):
    def test_what_calls_do_wrong_is_a_table_and_no_exception(self):
        x, y = hidet.arange(64, dtype="float32").cuda(), hidet.zeros([64], device="cuda")
        wrong = hidet.emulate(reversed_by(64, False), x, y)
        self.assertFalse(wrong.ok)
        finding = wrong.findings[0]
        self.assertEqual((finding["severity"], finding.file, finding.line), ("error", HERE, line_of("# the read")))
        self.assertIn("tile", finding["message"])
        self.assertIn("# the read", str(wrong))
        self.assertIn("<td>", wrong._repr_html_())

    def test_a_call_without_findings_has_its_result_and_says_in_how_many_orders(self):
        x, y = hidet.arange(64, dtype="float32").cuda(), hidet.zeros([64], device="cuda")
        right = hidet.emulate(reversed_by(64, True), x, y)
        self.assertTrue(right.ok and right, str(right))
        self.assertEqual(y.cpu().tolist(), [63.0 - i for i in range(64)])
        self.assertEqual(str(right), "no findings" + (f" in {right.orders} orders" if right.orders > 1 else ""))
        few = hidet.emulate(reversed_by(64, False), x, y, seed=3)
        self.assertFalse(few.ok)

    def test_host_code_of_python_is_emulated_with_all_that_it_calls(self):
        def twice(x):
            y, z = hidet.zeros([40], device="cuda"), hidet.zeros([40], device="cuda")
            scaled_by(2.0, 40)(x, y)
            scaled_by(3.0, 40)(y, z)
            return z.cpu().tolist()

        result = hidet.emulate(twice, hidet.ones([40], device="cuda"))
        self.assertEqual((result.ok, result.value), (True, [6.0] * 40))

    def test_exceptions_of_the_host_code_arrive_as_they_are(self):
        with self.assertRaises(ZeroDivisionError):
            hidet.emulate(lambda: 1 / 0)
        with self.assertRaises(ValueError):
            hidet.emulate(lambda: 1, orders=0)
        self.assertTrue(hidet.emulate(lambda: 1).ok)  # the first has ended
        with self.assertRaises(RuntimeError):
            hidet.emulate(hidet.emulate, lambda: 1)

    def test_what_a_call_costs_is_read_off_its_kernels_and_nothing_runs(self):
        n = 1024
        with hidet.script_module() as module:

            @hidet.script
            def strided(x: f32[n * 32], y: f32[n]):
                attrs.cuda.grid_dim = n // 128
                attrs.cuda.block_dim = 128
                i = blockIdx.x * 128 + threadIdx.x
                y[i] = x[i * 32]  # both

        kernel = module.build()
        x, y = hidet.ones([n * 32], device="cuda"), hidet.zeros([n], device="cuda")
        explained = hidet.explain(kernel, x, y)
        self.assertEqual(y.cpu().tolist(), [0.0] * n)
        found = explained["strided"]
        load, store = (next(row for row in found.accesses if row["access"].startswith(kind)) for kind in ("load", "store"))
        self.assertEqual(load.line, line_of("# both"))
        self.assertEqual(load["moves"], 8 * load["ideal"])
        self.assertEqual(store["moves"], store["ideal"])
        self.assertEqual([row["access"] for row in found.findings], [load["access"]])
        self.assertGreater(found.seconds, 0)
        self.assertIn("iframe", explained._repr_html_())
        self.assertIn("<svg", found.roofline._repr_svg_())
        self.assertEqual(len(hidet.explain(kernel)), 1)
        with self.assertRaises(KeyError):
            explained["another"]

    def test_a_notebook_shows_a_module_as_its_ir_and_its_cuda(self):
        page = scaled_by(2.0, 40)._repr_html_()
        self.assertIn("__global__", page)
        self.assertIn("predicted", page)
        self.assertIsNone(hidet.ones([2])._repr_html_())


class Spaces(unittest.TestCase):
    def test_a_function_runs_with_its_first_candidate_that_passes(self):
        tried = []

        @hidet.tune.space(1, warps=[3, 4, 8], unroll=lambda level: [level, 2])
        def build(n, warps, unroll):
            tried.append((warps, unroll))
            hidet.tune.check(warps % 2 == 0, "an even number of warps")
            return scaled_by(float(warps), n)

        y = hidet.zeros([8], device="cuda")
        build(8)(hidet.ones([8], device="cuda"), y)
        self.assertEqual(y.cpu().tolist(), [4.0] * 8)
        self.assertEqual(tried, [(3, 1), (3, 2), (4, 1)])
        tried.clear()
        build(8, warps=8)
        self.assertEqual(tried, [(8, 1)])
        with self.assertRaises(hidet.tune.ScheduleError) as raised:
            build(8, 3)
        self.assertIn("an even number of warps", str(raised.exception))

    def test_defaults_come_first_and_choices_may_be_of_several_parameters(self):
        @hidet.tune.space(2, combinations={"a, b": [(1, 2), (3, 4)]}, c=[5, 6])
        @hidet.tune.space(1, a=[7])
        def chosen(a=0, b=0, c=0):
            hidet.tune.check(a > 0)
            return a, b, c

        self.assertEqual(chosen(), (7, 0, 0))
        self.assertEqual(chosen(a=2), (2, 0, 0))

    def test_mistakes_in_a_space_are_told_where_it_is_made(self):
        def function(a):
            return a

        for level, candidates, message in (
            (0, {"a": [1]}, "level 0"),
            (1, {"b": [1]}, "no parameter 'b'"),
            (1, {"a": []}, "no candidates"),
            (1, {"combinations": {"a, a": [(1, 2)]}}, "given twice"),
            (1, {"combinations": {"a, b": [1]}}, "a tuple of 2"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                hidet.tune.space(level, **candidates)(function)

    def test_a_search_of_a_function_of_python_is_refused_by_name(self):
        build = hidet.tune.space(1, a=[1])(lambda a: a)
        hidet.option.search_space(2)
        try:
            with self.assertRaisesRegex(NotImplementedError, r"search_space\(2\)"):
                build()
        finally:
            hidet.option.search_space(0)
        self.assertEqual(build(), 1)


class Values(unittest.TestCase):
    def test_lists_tuples_dicts_and_numbers_are_pythons_own(self):
        self.assertEqual(hidet.zeros([2, 3]).shape, (2, 3))
        self.assertEqual(hidet.arange(3).tolist(), [0, 1, 2])
        self.assertIsInstance(hidet.arange(3).tolist(), list)
        self.assertEqual(len(hidet.zeros([4, 2])), 4)

    def test_operators_index_and_attributes_are_those_of_tensors(self):
        a = hidet.arange(6, dtype="float32").reshape([2, 3])
        self.assertEqual((2 - a)[1].tolist(), [-1.0, -2.0, -3.0])
        self.assertEqual(a[0, 1:].tolist(), [1.0, 2.0])
        self.assertEqual((str(a.dtype), a.dtype.name), ("hidet.float32", "float32"))
        self.assertIn("shape", dir(a))
        with self.assertRaises(AttributeError):
            a.no_such_attribute
        with self.assertRaises(IndexError):
            a[5]

    def test_a_builder_finishes_its_function_at_the_end_of_the_block_and_not_by_an_exception(self):
        from hidet.ir.builders import FunctionBuilder

        with FunctionBuilder(name="nothing", kind="cpu_kernel") as builder:
            pass
        self.assertEqual(builder.func.name, "nothing")
        with self.assertRaises(KeyError):
            with FunctionBuilder(name="nothing", kind="cpu_kernel") as builder:
                raise KeyError
        self.assertIsNone(builder.func)

    def test_what_hidet_has_no_value_for_is_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "hidet cannot compute with a value of type 'object'"):
            hidet.zeros(object())

    def test_tensors_are_instances_of_tensor_with_data_and_without(self):
        for each in (hidet.ones([2]), hidet.symbol([2]), hidet.graph.zeros([1])):
            self.assertIsInstance(each, hidet.Tensor)
            self.assertIsInstance(each, hidet.graph.Tensor)
        self.assertNotIsInstance(3, hidet.Tensor)
        self.assertNotIsInstance(hidet.float32, hidet.Tensor)

    def test_names_that_there_are_not_are_what_python_expects(self):
        self.assertFalse(hasattr(hidet, "nothing"))
        with self.assertRaisesRegex(ImportError, "no attribute 'nothing'"):
            exec("from hidet.graph import nothing", {})
        with self.assertRaises(ModuleNotFoundError):
            importlib.import_module("hidet.graph.nothing")
        with self.assertRaisesRegex(ModuleNotFoundError, "hidet.ops.conv2d"):
            importlib.import_module("hidet.cuda.cudnn")

    def test_functions_say_what_they_take(self):
        listed = inspect.signature(hidet.ops.conv2d).parameters
        self.assertEqual(list(listed)[:6], ["data", "weight", "stride", "dilations", "groups", "padding"])
        self.assertIs(listed["data"].default, inspect.Parameter.empty)
        self.assertIs(listed["stride"].default, ...)
        self.assertEqual(inspect.signature(hidet.ops.matmul).parameters["transpose_b"].kind, inspect.Parameter.KEYWORD_ONLY)

    def test_the_device_that_is_emulated_is_described(self):
        properties = hidet.cuda.properties()
        self.assertEqual((properties.major, properties.minor), hidet.cuda.compute_capability())
        self.assertGreater(properties.multiProcessorCount, 0)
        with self.assertRaisesRegex(ValueError, "device 0"):
            hidet.cuda.properties(1)

    def test_dlpack_shares_memory_both_ways(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no NumPy")
        array = numpy.arange(8, dtype=numpy.float32)
        scaled_by(3.0, 8)(array, array)
        self.assertEqual(array.tolist(), [3.0 * i for i in range(8)])
        tensor = hidet.zeros([3])
        numpy.from_dlpack(tensor)[1] = 5
        tensor.numpy()[2] = 6
        self.assertEqual(tensor.tolist(), [0.0, 5.0, 6.0])
        hidet.from_numpy(array)[0] = 7.0
        self.assertEqual(array[0], 7.0)
        with self.assertRaisesRegex(ValueError, "contiguous"):
            hidet.from_dlpack(array[::2])


class Process(unittest.TestCase):
    def run_python(self, text):
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)

    def test_importing_starts_nothing_and_imports_no_torch(self):
        done = self.run_python("import importlib.util, os, sys\n"
                               "if importlib.util.find_spec('numpy'): import numpy\n"
                               "tasks = lambda: len(os.listdir('/proc/self/task'))\n"
                               "before = tasks()\n"
                               "import hidet\n"
                               "children = open('/proc/self/task/%d/children' % os.getpid()).read()\n"
                               "print(tasks() - before, len(children.split()), 'torch' in sys.modules)")
        self.assertEqual(done.stdout.split(), ["0", "0", "False"], done.stderr)

    def test_the_interpreter_ends_with_values_alive(self):
        done = self.run_python("import hidet\nkept = [hidet.zeros([8]), hidet.ops]\nimport builtins\nbuiltins.kept = kept")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    GRAPH = ("import hidet, os, sys, threading\n"
             "def graph(n):\n"
             "    a = hidet.symbol([n, 64])\n"
             "    return hidet.trace_from(hidet.ops.relu(hidet.ops.matmul(a, hidet.ones([64, n]))), [a]).build()\n")

    def test_a_child_that_was_forked_computes_and_compiles(self):
        done = self.run_python(self.GRAPH + "f, x = graph(96), hidet.ones([96, 64])\n"
                               "f(x)\n"
                               "child = os.fork()\n"
                               "if child == 0:\n"
                               "    print(f(x).tolist()[0][0], graph(33)(hidet.ones([33, 64])).tolist()[0][0], flush=True)\n"
                               "    os._exit(0)\n"
                               "print(os.waitpid(child, 0)[1])")
        self.assertEqual(done.stdout.split(), ["64.0", "64.0", "0"], done.stderr)

    def test_the_interpreter_ends_while_another_thread_compiles(self):
        done = self.run_python(self.GRAPH + "begun = threading.Event()\n"
                               "def forever():\n"
                               "    for n in range(40, 10000):\n"
                               "        graph(n)(hidet.ones([n, 64]))\n"
                               "        begun.set()\n"
                               "threading.Thread(target=forever, daemon=True).start()\n"
                               "begun.wait()")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_example_of_the_readme_runs(self):
        with open(os.path.join(os.path.dirname(HERE), "..", "..", "README.md"), encoding="utf-8") as file:
            section = file.read().partition("\n## In CPython\n")[2].partition("\n## ")[0]
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "example.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(re.search(r"```python\n(.*?)```", section, re.DOTALL)[1])
            done = subprocess.run([sys.executable, script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "[0.0, 3.0, 6.0, 9.0, 12.0]\n")

    def test_graphs_are_saved_and_loaded_where_the_program_says(self):
        x = hidet.symbol(["n", 3], device="cpu")
        graph = hidet.graph.optimize(hidet.trace_from(hidet.ops.matmul(x, hidet.randn([3, 70])), [x]))
        given = hidet.randn([4, 3])
        expected = graph(given).tolist()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "parts", "graph.hidet")
            graph.save(path)
            self.assertEqual(hidet.FlowGraph.load(path)(given).tolist(), expected)
            graph.build().save(path)
            self.assertEqual(hidet.load_compiled_graph(path, trust=True)(given).tolist(), expected)
            with self.assertRaisesRegex(ValueError, "holds no graph"):
                hidet.load_graph(path)
            with self.assertRaisesRegex(OSError, "cannot find"):
                hidet.load_graph(os.path.join(folder, "none.hidet"))
            with self.assertRaisesRegex(OSError, "cannot find"):
                hidet.graph.frontend.from_onnx(os.path.join(folder, "none.onnx"))

    def test_two_threads_take_turns(self):
        errors = []

        def work():
            try:
                for n in range(5, 25):
                    assert hidet.arange(n).tolist() == list(range(n))
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])


if __name__ == "__main__":
    unittest.main()
