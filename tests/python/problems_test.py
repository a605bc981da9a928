# SPDX-License-Identifier: Apache-2.0
"""python -m hidet.import_problem: definitions of FlashInfer-Bench and problems of KernelBench as scripts, and what is wrong with them.
With a Python that has PyTorch, their references run, too."""

import copy
import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from hidet import import_problem as command
from hidet.import_problem import import_problem, run_reference

HIDETC = os.environ["HIDETC"]
HAS_TORCH = importlib.util.find_spec("torch") is not None

PRODUCT = {
    "name": "gemm_n8_k4",
    "op_type": "gemm",
    "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 8}, "K": {"type": "const", "value": 4}},
    "inputs": {"A": {"shape": ["M", "K"], "dtype": "float16"}, "B": {"shape": ["N", "K"], "dtype": "float16"}, "scale": {"shape": None, "dtype": "float32"}},
    "outputs": {"C": {"shape": ["M", "N"], "dtype": "float32"}},
    "reference": "import torch\n\n@torch.no_grad()\ndef run(A, B, scale):\n    '''A product.'''\n    M, K = A.shape\n"
                 "    return {'C': torch.matmul(A.to(torch.float32), B.T.to(torch.float32)) * scale}\n",
}
WORKLOADS = [
    {"definition": "gemm_n8_k4", "workload": {"uuid": "a", "axes": {"M": 5}, "inputs": {"A": {"type": "random"}, "scale": {"type": "scalar", "value": 0.5}}}},
    {"definition": "gemm_n8_k4", "workload": {"uuid": "b", "axes": {"M": 3}, "inputs": {"scale": {"type": "scalar", "value": 2}}}, "solution": None},
    {"definition": "gemm_n8_k4", "workload": {"uuid": "c", "axes": {"M": 7}, "inputs": {"A": {"type": "safetensors", "path": "x", "tensor_key": "A"}}}},
]
# It stands for what a script cannot run: a loop with a condition.
LOOP = "import torch\n\ndef run(A, B, scale):\n    C = A.float() @ B.float().T\n    for _ in range(1):\n        if True:\n            C = C * scale\n    return C\n"
SOLVED = "C[i // 8, i % 8] = scale * (" + " + ".join(f"f32(A[i // 8, {k}]) * f32(B[i % 8, {k}])" for k in range(4)) + ")"

RELU = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, factor: float):
        super(Model, self).__init__()
        self.factor = factor

    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.relu(A - B) * self.factor


N = 2 * 4


def get_inputs():
    A = torch.rand(N, N // 2)
    return [A, torch.randn((N, 4))]


def get_init_inputs():
    return [3.0]
"""
LAYER = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.rand(4, 8)]


def get_init_inputs():
    return [8]
"""


def stored(tensors, *, header=None, more=b""):
    """A file of safetensors with these: name -> (dtype, shape, bytes)."""
    said, data = {}, b""
    for name, (dtype, shape, own) in tensors.items():
        said[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(own)]}
        data += own
    text = header if header is not None else json.dumps({"__metadata__": {"format": "pt"}} | said).encode()
    return struct.pack("<Q", len(text)) + text + data + more


class Imports(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home)

    def path(self, *names):
        return os.path.join(self.home, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return self.path(name)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def imported(self, text, workloads=None, name="given.json"):
        listed = self.write("w.jsonl", "".join(json.dumps(each) + "\n" for each in workloads)) if workloads else None
        return import_problem(self.write(name, text), listed, self.path("out"))

    def hidetc(self, *words):
        done = subprocess.run([HIDETC, *words], cwd=self.home, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def check_solved(self, name, solution):
        """The script is content with a kernel that does what it should."""
        text = self.read("out", f"{name}.py")
        self.assertEqual(text.count("pass  # to be written"), 1)
        begin = text.index("pass  # to be written")
        self.write(f"out/{name}.py", text[:begin] + solution + text[text.index("\n", begin):])
        code, said = self.hidetc("run", f"out/{name}.py", "--target", "emulate")
        self.assertEqual(code, 0, said)


class Definitions(Imports):
    def test_a_reference_of_plain_calls_becomes_a_function_of_the_script(self):
        self.imported(PRODUCT, WORKLOADS)
        text = self.read("out", "gemm_n8_k4.py")
        for said in ("# studio: build(5)\n# studio: build(3)\n", "N = 8\nK = 4\n", "{'M': 5, 'scale': 0.5},\n    {'M': 3, 'scale': 2.0},\n]",
                     "TOLERANCE = {'atol': 0.01, 'rtol': 0.01}", "def gemm_n8_k4(A: f16[M, K], B: f16[N, K], scale: f32, C: f32[M, N]):",
                     "def reference(A, B, scale):\n    M, K = A.shape\n    return torch.matmul(", "Of the workloads 1 are left out"):
            self.assertIn(said, text)
        self.assertEqual(self.hidetc("check", "out/gemm_n8_k4.py")[0], 0)
        code, said = self.hidetc("run", "out/gemm_n8_k4.py", "--target", "emulate")
        self.assertEqual(code, 1)
        self.assertIn("[tensors-differ]", said)  # nothing is written yet
        self.check_solved("gemm_n8_k4", SOLVED)

    def test_without_workloads_axes_have_a_size_of_ours(self):
        self.imported(PRODUCT)
        self.assertIn("    {'M': 16, 'scale': 1.0},\n", self.read("out", "gemm_n8_k4.py"))

    def test_the_reference_is_there_as_it_came(self):
        self.imported(PRODUCT)
        self.assertEqual(self.read("out", "reference.py"), PRODUCT["reference"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["definition.json", "gemm_n8_k4.py", "problem.json", "reference.py"])

    def test_what_is_not_known_to_mean_the_same_is_no_function_of_the_script(self):
        reference = PRODUCT["reference"]
        for text in (LOOP, reference.replace("torch.matmul", "torch.no_such_function"), reference.replace("* scale", "* open('x')"),
                     reference.replace("* scale", "* ().__class__"), reference.replace("import torch\n", "import torch, os\nos.system('touch ran')\n"),
                     reference.replace("@torch.no_grad()", "@print"), reference.replace("M, K = A.shape", "hidet = A"),
                     reference.replace("'C'", "'D'"), "def run(A, B, scale, *, more=print('ran')):\n    return A\n"):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            self.imported({**PRODUCT, "reference": text})
            script = self.read("out", "gemm_n8_k4.py")
            self.assertNotIn("def reference(", script, text)
            self.assertIn("--run-reference", script)
            self.assertEqual(self.hidetc("check", "out/gemm_n8_k4.py")[0], 0, text)
            self.assertIn("cannot read 'case_0/", self.hidetc("run", "out/gemm_n8_k4.py", "--target", "emulate")[1])
        self.assertFalse(os.path.exists("ran") or os.path.exists(self.path("ran")))

    def test_every_type_has_a_name_in_the_script(self):
        types = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int32", "int16", "int8", "uint8", "bool")
        for shape in (["M"], []):
            inputs = {f"x{place}": {"shape": shape, "dtype": each} for place, each in enumerate(types)}
            self.imported({**PRODUCT, "axes": {"M": {"type": "var"}}, "inputs": inputs, "outputs": {"y": {"shape": shape, "dtype": "float32"}},
                           "reference": f"def run({', '.join(inputs)}):\n    return x1\n"})
            self.assertEqual(self.hidetc("check", "out/gemm_n8_k4.py"), (0, "out/gemm_n8_k4.py: no mistakes found in 1 module with 1 function\n"))
            self.check_solved("gemm_n8_k4", "y[i] = x1[i]")
            shutil.rmtree(self.path("out"))

    def test_the_same_file_gives_the_same_bytes(self):
        self.imported(PRODUCT, WORKLOADS)
        os.rename(self.path("out"), self.path("first"))
        self.imported(PRODUCT, WORKLOADS)
        for name in os.listdir(self.path("first")):
            self.assertEqual(self.read("out", name), self.read("first", name))


class InputsOfFiles(Imports):
    WORKLOADS = [{"definition": "gemm_n8_k4", "workload": {"axes": {"M": 2}, "inputs": {
        "A": {"type": "safetensors", "path": "./blob/x.safetensors", "tensor_key": "given"}, "scale": {"type": "scalar", "value": 1.0}}}}, WORKLOADS[0]]
    HALVES = struct.pack("<8e", *range(8))

    def store(self, data, at="blob"):
        os.makedirs(self.path(at), exist_ok=True)
        with open(self.path(at, "x.safetensors"), "wb") as file:
            file.write(data)

    def changed(self, **how):
        out = copy.deepcopy(self.WORKLOADS)
        out[0]["workload"]["inputs"]["A"].update(how)
        return out

    def test_they_are_beside_the_script_and_the_kernel_gets_them(self):
        self.store(stored({"other": ("I64", [1], bytes(8)), "given": ("F16", [2, 4], self.HALVES)}))
        self.imported(PRODUCT, self.WORKLOADS)
        with open(self.path("out", "case_0", "A.npy"), "rb") as file:
            kept = file.read()
        self.assertTrue(kept.endswith(self.HALVES) and len(kept) % 64 == 16 and b"'<f2'" in kept and b"(2, 4)" in kept)
        self.assertEqual(os.listdir(self.path("out", "case_0")), ["A.npy"])
        text = self.read("out", "gemm_n8_k4.py")
        self.assertIn("KEPT = [['A'], []]", text)
        self.assertNotIn("are left out", text)
        self.check_solved("gemm_n8_k4", SOLVED)
        seen = self.read("out", "gemm_n8_k4.py").replace("    wanted = reference(", "    print(float(A[1, 3].item()))\n    wanted = reference(", 1)
        self.write("out/gemm_n8_k4.py", seen)
        self.assertEqual(self.hidetc("run", "out/gemm_n8_k4.py", "--target", "emulate")[1].split()[0], "7.0")

    def test_types_that_numpy_lacks_are_bits(self):
        for own, dtype, element in (("BF16", "bfloat16", "<H"), ("F8_E4M3", "float8_e4m3fn", "B"), ("F8_E5M2", "float8_e5m2", "B")):
            self.store(stored({"given": (own, [2, 4], struct.pack("<" + element.strip("<") * 8, *range(8)))}))
            definition = copy.deepcopy(PRODUCT)
            definition["inputs"]["A"]["dtype"] = dtype
            self.imported(definition, self.WORKLOADS)
            self.check_solved("gemm_n8_k4", SOLVED)
            shutil.rmtree(self.path("out"))

    def test_paths_begin_at_the_folder_of_all_data(self):
        os.makedirs(self.path("workloads", "gemm"))
        self.store(stored({"given": ("F16", [2, 4], self.HALVES)}))
        listed = self.write("workloads/gemm/w.jsonl", "".join(json.dumps(each) + "\n" for each in self.WORKLOADS))
        import_problem(self.write("given.json", PRODUCT), listed, self.path("out"))
        self.assertTrue(os.path.exists(self.path("out", "case_0", "A.npy")))

    def test_a_workload_whose_file_is_not_here_is_left_out(self):
        self.imported(PRODUCT, self.WORKLOADS)
        self.assertIn("Of the workloads 1 are left out", self.read("out", "gemm_n8_k4.py"))

    def test_bad_files_are_refused_by_name(self):
        whole = ("F16", [2, 4], self.HALVES)
        at = lambda begin, end, **more: json.dumps({"given": {"dtype": "F16", "shape": [2, 4], "data_offsets": [begin, end]} | more}).encode()
        two = json.dumps({name: {"dtype": "F16", "shape": [2, 4], "data_offsets": offsets} for name, offsets in (("given", [0, 16]), ("x", [8, 24]))}).encode()
        apart = json.dumps({name: {"dtype": "F16", "shape": [2, 4], "data_offsets": offsets} for name, offsets in (("given", [0, 16]), ("x", [20, 36]))}).encode()
        for words, data in (
            ("ends before its header does", b""),
            ("ends before its header does", b"\1\0\0\0\0\0\0\0"),
            ("header of '.*' is 100000001 bytes long, and 100000000 at most", struct.pack("<Q", 100_000_001)),
            ("header of '.*' is 18446744073709551615 bytes long", b"\xff" * 8),
            ("is no JSON", stored({}, header=b"{")),
            ("is no JSON", stored({}, header=b"\xff\xfe")),
            ("is nested too deeply", stored({}, header=b"[" * 200000)),
            ("is no object", stored({}, header=b"[]")),
            ("says a name twice", stored({}, header=b'{"given": {}, "given": {}}')),
            ("'given' of '.*' is no object", stored({}, header=b'{"given": 1}')),
            ("dtype 'F7'; known are", stored({"given": ("F7", [2, 4], self.HALVES)})),
            ("no list of extents", stored({}, header=at(0, 16, shape=[2, -4]))),
            ("no list of extents", stored({}, header=at(0, 16, shape=[True]))),
            ("are no two numbers", stored({}, header=at(16, 0))),
            ("are no two numbers", stored({}, header=at(0, 16, data_offsets=[0, 16, 32]))),
            ("its offsets say 12", stored({}, header=at(0, 12), more=bytes(12))),
            ("16 bytes, and its offsets say", stored({}, header=at(0, 1 << 40), more=bytes(16))),
            ("lies behind its end", stored({}, header=at(0, 16), more=bytes(8))),
            ("leaves a hole before it", stored({}, header=at(8, 24), more=bytes(24))),
            ("'x' of '.*' overlaps another one", stored({}, header=two, more=bytes(24))),
            ("'x' of '.*' leaves a hole", stored({}, header=apart, more=bytes(36))),
            ("bytes that belong to no tensor", stored({"given": whole}, more=b"x")),
            ("has no tensor 'given'", stored({"x": whole})),
            (r"'A' is float16\[2, 4\], and float16\[4, 2\] in", stored({"given": ("F16", [4, 2], self.HALVES)})),
            (r"'A' is float16\[2, 4\], and int16\[2, 4\] in", stored({"given": ("I16", [2, 4], self.HALVES)})),
        ):
            self.store(data)
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, words):
                self.imported(PRODUCT, self.WORKLOADS)
            self.assertFalse(os.path.exists(self.path("out")))

    def test_a_path_that_leaves_the_data_is_refused(self):
        for path in ("../x.safetensors", "/etc/passwd", "blob/../../x", "", "a\0b", 7, None):
            with self.subTest(path=path), self.assertRaisesRegex(ValueError, "no tensor of a file below the data"):
                self.imported(PRODUCT, self.changed(path=path))
        os.makedirs(self.path("blob"))
        os.mkfifo(self.path("blob", "x.safetensors"))
        with self.assertRaisesRegex(ValueError, "is no file"):
            self.imported(PRODUCT, self.WORKLOADS)


class Malformed(Imports):
    def refused(self, words, text, workloads=None, name="given.json"):
        begun = time.monotonic()
        before = {**dict.fromkeys(os.listdir(self.home))}
        with self.assertRaisesRegex(ValueError, words):
            self.imported(text, workloads, name)
        self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(set(os.listdir(self.home)) - set(before) - {name, "w.jsonl"}, set())

    def changed(self, *path, value):
        out = copy.deepcopy(PRODUCT)
        at = out
        for each in path[:-1]:
            at = at[each]
        at[path[-1]] = value
        return out

    def test_definitions(self):
        for words, text in (
            ("is no JSON", "{"),
            ("nested too deeply", "[" * 100000),
            ("is no object", "[]"),
            ("larger than 4 MiB", "x" * (5 << 20)),
            ("zero byte", "\0"),
            ("is called 'a; import os', which is no name", self.changed("name", value="a; import os")),
            ("is called '../out', which is no name", self.changed("name", value="../out")),
            ("is called 7, which", self.changed("name", value=7)),
            ("which is no name", self.changed("name", value="x" * 1000)),
            ("which is no name", self.changed("name", value="lambda")),
            ("which is no name", self.changed("name", value="ａ")),
            ("axis is called 'M\\\\nimport os'", self.changed("axes", value={"M\nimport os": {"type": "var"}})),
            ("axis 'N' is 1000000000000000000000; an extent", self.changed("axes", "N", value={"type": "const", "value": 10**21})),
            ("an extent is a whole number", self.changed("axes", "N", value={"type": "const", "value": -1})),
            ("an extent is a whole number", self.changed("axes", "N", value={"type": "const", "value": True})),
            ("an extent is a whole number", self.changed("axes", "N", value={"type": "const", "value": "8"})),
            ("'C' would have 34359738352 elements|elements, and", self.changed("axes", "N", value={"type": "const", "value": 2**31 - 1}) | {
                "outputs": {"C": {"shape": ["N", "N"], "dtype": "float32"}}}),
            ("an extent is a whole number", self.changed("inputs", "A", "shape", value=json.loads("[" * 900 + "]" * 900))),
            ("neither const nor var", self.changed("axes", "N", value={"type": "other"})),
            ("axes, and 32 at most", self.changed("axes", value={f"x{i}": {"type": "var"} for i in range(33)})),
            ("there are 0 inputs", self.changed("inputs", value={})),
            ("'inputs' is no object", self.changed("inputs", value=[])),
            ("names 'Q', which is no axis", self.changed("inputs", "A", "shape", value=["Q"])),
            ("no list of at most 16", self.changed("inputs", "A", "shape", value=["M"] * 17)),
            ("has the dtype 'float7'", self.changed("inputs", "A", "dtype", value="float7")),
            ("has the dtype a list", self.changed("inputs", "A", "dtype", value=[])),
            ("stands for two things", self.changed("outputs", value={"A": {"shape": ["M"], "dtype": "float32"}})),
            ("has no 'reference'", self.changed("reference", value=None)),
            ("defines no function run", self.changed("reference", value="x = 1\n")),
            ("is no Python", self.changed("reference", value="def run(:\n")),
            ("nested too deeply|is no Python", self.changed("reference", value="def run(A, B, scale):\n    return " + "(" * 5000)),
            ("nested too deeply|is no Python", self.changed("reference", value="x = " + "-" * 200000 + "1")),
            ("is no Python", self.changed("reference", value="def run(): return '\ud800'")),
        ):
            self.refused(words, text)

    def test_workloads(self):
        def workload(**changed):
            return [{"definition": "gemm_n8_k4", "workload": {"axes": {"M": 5}, "inputs": {}} | changed}]

        for words, given in (
            ("a workload is of 'other', and the definition", [{"definition": "other", "workload": {}}]),
            ("axis 'M' of a workload is None", workload(axes={})),
            ("axis 'M' of a workload is 0", workload(axes={"M": 0})),
            ("is no object", workload(inputs=[])),
            ("'scale' of a workload is 'x', and no number", workload(inputs={"scale": {"type": "scalar", "value": "x"}})),
            ("'scale' of a workload is nan, and no number", workload(inputs={"scale": {"type": "scalar", "value": float("nan")}})),
            ("no workload can be made here", [WORKLOADS[2]]),
        ):
            self.refused(words, PRODUCT, given)

    def test_problems(self):
        for words, text in (
            ("defines no class Model", "x = 1\n"),
            ("defines no function get_inputs", "class Model:\n    pass\n"),
            ("is no Python", "class Model(:\n"),
            ("an extent is a whole number", RELU.replace("2 * 4", "-4")),
            ("elements, and", RELU.replace("2 * 4", "2000000000").replace("(N, 4)", "(N, N // 2)")),
        ):
            self.refused(words, text, name="1_x.py")
        with self.assertRaisesRegex(ValueError, "takes no workloads"):
            self.imported(RELU, WORKLOADS, "1_x.py")

    def test_names_of_the_script_are_not_taken(self):
        self.imported({**PRODUCT, "axes": {"build": {"type": "var"}}, "inputs": {"torch": {"shape": ["build"], "dtype": "float32"}},
                       "outputs": {"check": {"shape": ["build"], "dtype": "float32"}}, "reference": "def run(torch):\n    return torch\n"})
        self.assertEqual(self.hidetc("check", "out/gemm_n8_k4.py")[0], 0)
        shutil.rmtree(self.path("out"))
        self.imported({**PRODUCT, "axes": {"number": {"type": "var"}}, "inputs": {"kernel": {"shape": ["number"], "dtype": "float32"}},
                       "outputs": {"count": {"shape": ["number"], "dtype": "float32"}}, "reference": "def run(kernel):\n    assert True\n    return kernel\n"})
        self.assertEqual(self.hidetc("check", "out/gemm_n8_k4.py")[0], 0)

    def test_a_pipe_is_not_waited_for_and_nothing_is_written_over(self):
        os.mkfifo(self.path("pipe.json"))
        with self.assertRaisesRegex(ValueError, "is no file"):
            import_problem(self.path("pipe.json"), None, self.path("out"))
        self.imported(PRODUCT)
        with self.assertRaisesRegex(FileExistsError, "is not written over"):
            self.imported(PRODUCT)
        with self.assertRaises(FileNotFoundError):
            import_problem(self.path("none.json"))

    def test_the_command_says_what_is_wrong_in_one_line(self):
        done = subprocess.run([sys.executable, "-B", "-m", command.__name__, self.write("given.json", "[]")], cwd=self.home, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "error: the definition is no object\n"))
        done = subprocess.run([sys.executable, "-B", "-m", command.__name__, self.write("given.json", PRODUCT)], cwd=self.home, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, os.path.realpath(self.path("gemm_n8_k4")) + "\n"))


class Problems(Imports):
    def test_a_model_without_parameters_becomes_a_function_of_the_script(self):
        self.imported(RELU, name="1_relu-x.py")
        text = self.read("out", "problem_1_relu_x.py")
        for said in ("def reference(A, B):\n    return torch.relu(A - B) * 3.0\n", "A = torch.rand([8, 4])\n    B = torch.randn([8, 4])\n",
                     "(A: f32[8, 4], B: f32[8, 4], out: f32[shape])", "TOLERANCE = {'atol': 0.0001, 'rtol': 0.0001}"):
            self.assertIn(said, text)
        self.assertEqual(self.hidetc("check", "out/problem_1_relu_x.py")[0], 0)
        solution = "out[i // 4, i % 4] = 3.0 * (A[i // 4, i % 4] - B[i // 4, i % 4]) if A[i // 4, i % 4] > B[i // 4, i % 4] else 0.0"
        self.check_solved("problem_1_relu_x", solution)

    def test_of_a_model_with_layers_the_script_waits_for_its_reference(self):
        words = [sys.executable, "-B", "-m", command.__name__, self.write("2_layer.py", LAYER), "-o", "out"]
        done = subprocess.run(words, cwd=self.home, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.partition(":")[0]), (0, "note"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["problem.json", "reference.py"])
        self.assertEqual(self.read("out", "reference.py"), LAYER)


@unittest.skipUnless(HAS_TORCH, "there is no PyTorch")
class References(Imports):
    def test_it_gets_the_inputs_that_came_from_files(self):
        InputsOfFiles.store(self, stored({"given": ("F16", [2, 4], InputsOfFiles.HALVES)}))
        self.imported({**PRODUCT, "reference": LOOP}, InputsOfFiles.WORKLOADS)
        run_reference(self.path("out"))
        with open(self.path("out", "case_0", "A.npy"), "rb") as file:
            self.assertTrue(file.read().endswith(InputsOfFiles.HALVES))
        self.check_solved("gemm_n8_k4", SOLVED)

    def test_what_it_takes_and_gives_is_kept_for_each_case(self):
        self.imported({**PRODUCT, "reference": LOOP}, WORKLOADS)
        run_reference(self.path("out"))
        self.assertEqual(sorted(os.listdir(self.path("out", "case_1"))), ["A.npy", "B.npy", "C.npy"])
        self.check_solved("gemm_n8_k4", SOLVED)

    def test_a_model_gets_its_script_with_its_parameters_and_keeps_it(self):
        self.imported(LAYER, name="2_layer.py")
        run_reference(self.path("out"))
        text = self.read("out", "problem_2_layer.py")
        self.assertIn("(x0: f32[4, 8], norm_weight: f32[8], norm_bias: f32[8], out: f32[4, 8])", text)
        self.assertEqual(self.hidetc("check", "out/problem_2_layer.py")[0], 0)
        self.assertIn("[tensors-differ]", self.hidetc("run", "out/problem_2_layer.py", "--target", "emulate")[1])
        self.write("out/problem_2_layer.py", "mine")
        run_reference(self.path("out"))
        self.assertEqual(self.read("out", "problem_2_layer.py"), "mine")

    def test_a_reference_that_gives_something_else_is_told(self):
        for text, words in ((LOOP.replace("return C", "return C, C"), "gives 2 results, and 1 are expected"),
                            (LOOP.replace("return C", "return 1.0"), "'C' is a float"), (LOOP.replace("return C", "return C.T"), "tensor of shape \\[8, 16\\]")):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            self.imported({**PRODUCT, "reference": text})
            with self.assertRaisesRegex(ValueError, words):
                run_reference(self.path("out"))
        with self.assertRaises(FileNotFoundError):
            run_reference(self.home)


if __name__ == "__main__":
    unittest.main()
