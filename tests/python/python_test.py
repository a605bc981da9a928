# SPDX-License-Identifier: Apache-2.0
"""`import hidet` in CPython: kernels written in this file, built and run by the emulator, and what goes wrong with them."""

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
from hidet.lang import attrs, f32, i32, printf
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
        self.assertEqual(str(a.dtype), str(hidet.float32))
        self.assertIn("shape", dir(a))
        with self.assertRaises(AttributeError):
            a.no_such_attribute
        with self.assertRaises(IndexError):
            a[5]

    def test_what_hidet_has_no_value_for_is_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "hidet cannot compute with a value of type 'object'"):
            hidet.zeros(object())

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
