# SPDX-License-Identifier: Apache-2.0
"""The stubs that app/python/stubs.py writes: all names are in them, and a checker of types finds mistakes by them."""

import ast
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import hidet

PACKAGE = os.path.dirname(hidet.__file__)
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app", "python", "stubs.py")

RIGHT = """\
import hidet
from hidet import ops, tune
from hidet.lang import attrs, cast, f32, i32, register_tensor
from hidet.lang.cuda import atomic_add, blockIdx, threadIdx

with hidet.script_module() as module:

    @hidet.script
    def kernel(a: f32[64, 32], n: i32):
        attrs.cuda.block_dim = 64
        attrs.cuda.grid_dim = (n + 63) // 64
        sums = register_tensor(f32, shape=[4])
        sums[0] = a[blockIdx.x, threadIdx.x]
        atomic_add(~a[0, 0], cast(sums[0], f32))


def run() -> None:
    x = hidet.randn([1, 3, 8, 8], device='cpu')
    y = ops.relu(hidet.ops.conv2d(x, hidet.ones([4, 3, 3, 3]), stride=[1, 1]) * 2.0)
    graph: hidet.FlowGraph = hidet.trace_from(hidet.symbol_like(x) + 1.0)
    tune.check(y.reshape(1, -1).shape[0] == 1, 'one row')
    print(graph(x), hidet.cuda.device_count() + 1, hidet.emulate(ops.relu, x).ok, hidet.option.get_option('search_space'))
"""
WRONG = """\
import hidet
from hidet.lang import f33
hidet.ops.conv2d(hidet.randn([1]), hidet.randn([1]), strides=2)
hidet.zeros([2]).reshpae(2)
hidet.ops.conv2(1)
hidet.randn([2], dtpye='float32')
"""


def written(folder):
    subprocess.run([sys.executable, "-B", SCRIPT, "--package", PACKAGE, "--out", folder], check=True)
    out = {}
    for base, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(base, name), encoding="utf-8") as file:
                out[os.path.relpath(os.path.join(base, name), folder)] = file.read()
    return out


def names_of(tree):
    """What the file of a module says that it has."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (each.id for each in node.targets)
        elif isinstance(node, ast.ImportFrom):
            yield from (each.asname for each in node.names if each.asname)


class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = os.path.join(cls.folder.name, "hidet")
        cls.files = written(cls.out)
        cls.trees = {path: ast.parse(text, path) for path, text in cls.files.items() if path.endswith(".pyi")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_same_bytes_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(written(folder), self.files)

    def test_all_names_are_there(self):
        self.assertGreater(len(self.trees), 100)
        for path, tree in self.trees.items():
            module = ".".join(["hidet", *path.split(os.sep)[:-1]])
            if module in ("hidet.graph.nn", "hidet.testing") or module.startswith("hidet.testing."):
                continue  # another module's names, and those for which NumPy is needed
            found, there = importlib.import_module(module), set(names_of(tree))
            for name in dir(found):
                if name.isidentifier() and not name.startswith("_") and name not in there:
                    value = getattr(found, name, None)
                    is_imported = isinstance(value, types.ModuleType) and not value.__name__.startswith("hidet.")
                    self.assertTrue(value is None or is_imported, f"{module}.{name} has no declaration")

    def test_parameters_are_those_of_the_compiler(self):
        functions = {node.name: node for node in self.trees[os.path.join("ops", "__init__.pyi")].body if isinstance(node, ast.FunctionDef)}
        conv2d = functions["conv2d"].args
        self.assertEqual([each.arg for each in conv2d.args], ["data", "weight", "stride", "dilations", "groups", "padding"])
        self.assertEqual(len(conv2d.defaults), 4)
        self.assertEqual(ast.unparse(functions["relu"].returns), "hidet.Tensor")
        self.assertEqual(ast.unparse(functions["split"].returns), "Any")

    def test_modules_of_python_alone_have_none(self):
        self.assertFalse([path for path in self.files if path.startswith(("nn", "torch"))])
        self.assertEqual(self.files["py.typed"], "partial\n")

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_a_checker_finds_what_is_wrong(self):
        for name in ("_report.py", "_value.py"):
            shutil.copy(os.path.join(PACKAGE, name), self.out)
        findings = {}
        for name, text in (("right", RIGHT), ("wrong", WRONG)):
            path = os.path.join(self.folder.name, f"{name}.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([sys.executable, "-m", "mypy", "--check-untyped-defs", "--ignore-missing-imports", "--cache-dir", os.devnull,
                                   path], capture_output=True, text=True, cwd=self.folder.name, env={**os.environ, "MYPYPATH": self.folder.name})
            findings[name] = [int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith(f"{name}.py:") and ": error:" in line]
        self.assertEqual(findings, {"right": [], "wrong": [2, 3, 4, 5, 6]})


if __name__ == "__main__":
    unittest.main()
