# SPDX-License-Identifier: Apache-2.0
"""What hidet.capture() keeps of calls with arrays of JAX, made again by hidetc; and that it hears of nothing that JAX does alone."""

import json
import os
import subprocess
import tempfile
import unittest

import hidet
import jax
import jax.numpy as jnp
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as module:

    @hidet.script
    def scaled(x: f32[32], y: f32[32], shift: i32):
        attrs.cuda.block_dim = 32
        attrs.cuda.grid_dim = 1
        y[threadIdx.x] = x[threadIdx.x] * 2.0 + shift


kernel = module.build()


class Jax(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.folder = os.path.join(self.home.name, "kept")

    def kept(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return json.load(file)

    def made_again(self, tail):
        with open(os.path.join(self.folder, "replay.py"), "a", encoding="utf-8") as file:
            file.write(tail + "\n")
        done = subprocess.run([os.environ["HIDETC"], "run", "replay.py", "--target", "emulate"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_its_arrays_are_arguments_of_kernels_and_operators(self):
        x, y = jnp.arange(32, dtype=jnp.float32), hidet.zeros([32])
        with hidet.capture(self.folder):
            kernel(x, y, jnp.int32(3))
            hidet.ops.relu(x - 5)
        first, second = self.kept("capture.json")["calls"]
        self.assertEqual((first["function"], second["runs"]), ("scaled", "hidet.ops.relu"))
        self.assertEqual([(each["dtype"], each["shape"], each["device"]) for each in first["arguments"]],
                         [("float32", [32], "cpu"), ("float32", [32], "cpu"), ("int32", [], "cpu")])
        self.assertEqual(self.kept("versions.json")["jax"], jax.__version__)
        self.assertEqual(self.made_again("print(y_1.tolist() + results_of_2.tolist())"),
                         [2.0 * i + 3 for i in range(32)] + [max(i - 5.0, 0) for i in range(32)])

    def test_what_it_does_by_itself_is_named_and_no_folder_is_written(self):
        product = jax.jit(lambda a, b: a @ b)
        for call in (lambda: jnp.dot(jnp.ones(4), jnp.ones(4)), lambda: product(jnp.ones((4, 4)), jnp.ones((4, 4)))):
            with self.assertWarnsRegex(hidet.HidetWarning, "JAX and NumPy do by themselves is not heard of"), hidet.capture(self.folder):
                call()
            self.assertFalse(os.path.exists(self.folder))


if __name__ == "__main__":
    unittest.main()
