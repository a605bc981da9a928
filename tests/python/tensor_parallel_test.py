# SPDX-License-Identifier: Apache-2.0
"""`--tensor-parallel N`: a block of a transformer in several processes gives what one gives, from its file and from a package."""

import array
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from distributed_test import free_port  # noqa: E402

HIDETC = os.environ["HIDETC"]
HIDET_RUN = os.path.join(os.path.dirname(HIDETC), "hidet-run")

BLOCK = """
import hidet
from hidet import ops

width, inner, heads = 512, 2048, 8


def linear(x, rows, columns):
    return ops.matmul(x, hidet.randn([rows, columns]) * rows ** -0.5)


def by_heads(x):
    return ops.transpose(ops.reshape(x, [1, 64, heads, width // heads]), [0, 2, 1, 3])


def attention(x):
    q, k, v = [by_heads(linear(x, width, width)) for _ in range(3)]
    scores = ops.matmul(q, ops.transpose(k, [0, 1, 3, 2])) * (width // heads) ** -0.5
    mixed = ops.transpose(ops.matmul(ops.softmax(scores, axis=-1), v), [0, 2, 1, 3])
    return linear(ops.reshape(mixed, [1, 64, width]), width, width)


def mlp(x):
    return linear(ops.silu(linear(x, width, inner)) * linear(x, width, inner), inner, width)


x = hidet.symbol([1, 64, width])
y = x + attention(ops.rms_normalize(x, dims=[-1]))
y = y + mlp(ops.rms_normalize(y, dims=[-1]))
graph = hidet.trace_from(y, inputs=[x])
"""


PRODUCTS = """
import hidet
from hidet import ops

x = hidet.symbol([256, 1024], device='cuda')
wide = ops.relu(ops.matmul(x, hidet.randn([1024, 2048], device='cuda') * 0.03))
graph = hidet.trace_from(ops.matmul(wide, hidet.randn([2048, 1024], device='cuda') * 0.03), inputs=[x])
"""

# A token behind others: one product for queries, keys and values, fewer heads of keys than of queries, keys that are turned by their
# places, and caches that come in and go out.
LLAMA = """
import hidet
from hidet import ops

width, inner, heads, groups, size, before = 1024, 2816, 16, 4, 64, 128


def linear(x, rows, columns):
    return ops.matmul(x, hidet.randn([rows, columns]) * rows ** -0.5)


def by_heads(x, count):
    return ops.transpose(ops.reshape(x, [1, 1, count, size]), [0, 2, 1, 3])


def turned(x, cos, sin):
    return x * cos + ops.concat([-x[:, :, :, size // 2:], x[:, :, :, :size // 2]], axis=3) * sin


def repeated(x):
    every = ops.broadcast(ops.unsqueeze(x, [2]), [1, groups, heads // groups, before + 1, size])
    return ops.reshape(every, [1, heads, before + 1, size])


def layer(x, cos, sin, past_keys, past_values):
    joined = linear(ops.rms_normalize(x, dims=[-1]), width, (heads + 2 * groups) * size)
    rest = heads * size
    q, k, v = joined[:, :, :rest], joined[:, :, rest:rest + groups * size], joined[:, :, rest + groups * size:]
    keys = ops.concat([past_keys, turned(by_heads(k, groups), cos, sin)], axis=2)
    values = ops.concat([past_values, by_heads(v, groups)], axis=2)
    scores = ops.matmul(turned(by_heads(q, heads), cos, sin), ops.transpose(repeated(keys), [0, 1, 3, 2])) * size ** -0.5
    mixed = ops.matmul(ops.softmax(scores, axis=-1), repeated(values))
    x = x + linear(ops.reshape(ops.transpose(mixed, [0, 2, 1, 3]), [1, 1, heads * size]), heads * size, width)
    up = linear(ops.rms_normalize(x, dims=[-1]), width, 2 * inner)
    return x + linear(ops.silu(up[:, :, :inner]) * up[:, :, inner:], inner, width), keys, values


x, cos, sin = hidet.symbol([1, 1, width]), hidet.symbol([1, 1, 1, size]), hidet.symbol([1, 1, 1, size])
caches = [hidet.symbol([1, groups, before, size]) for _ in range(4)]
y, results = x, []
for i in (0, 2):
    y, keys, values = layer(y, cos, sin, caches[i], caches[i + 1])
    results += [keys, values]
graph = hidet.trace_from([y, *results], inputs=[x, cos, sin, *caches])
"""


BATCH = """
import hidet
from hidet import ops

x = hidet.symbol([8, 64, 512])
wide = ops.silu(ops.matmul(ops.rms_normalize(x, dims=[-1]), hidet.randn([512, 2048]) * 0.04))
graph = hidet.trace_from(x + ops.matmul(wide, hidet.randn([2048, 512]) * 0.04), inputs=[x])
"""


def message(*fields):
    """Of protobuf: (number, an integer, text, or bytes)."""
    out = b""
    for number, value in fields:
        data = value.encode() if isinstance(value, str) else value
        out += varint(number << 3 | (0 if isinstance(data, int) else 2))
        out += varint(data) if isinstance(data, int) else varint(len(data)) + data
    return out


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def two_products():
    """A model in ONNX: products with 512 x 2048 and 2048 x 512 numbers, and max(x, 0) between."""
    chance = random.Random(7)

    def weight(name, rows, columns):
        values = array.array("f", [chance.uniform(-0.04, 0.04) for _ in range(rows * columns)])
        return message((1, rows), (1, columns), (2, 1), (8, name), (9, values.tobytes()))

    def tensor(name):
        shape = message(*[(1, message((1, extent))) for extent in (64, 512)])
        return message((1, name), (2, message((1, message((1, 1), (2, shape))))))

    def node(op, output, *inputs):
        return message(*[(1, each) for each in inputs], (2, output), (4, op))

    nodes = node("MatMul", "a", "x", "first"), node("Relu", "b", "a"), node("MatMul", "y", "b", "second")
    graph = message(*[(1, each) for each in nodes], (2, "products"), (5, weight("first", 512, 2048)), (5, weight("second", 2048, 512)),
                    (11, tensor("x")), (12, tensor("y")))
    return message((1, 8), (7, graph), (8, message((2, 13))))


def numbers(path):
    with open(path, "rb") as file:
        data = file.read()
    values = array.array("f")
    values.frombytes(data[10 + int.from_bytes(data[8:10], "little"):])
    return values


def bytes_of(tensor):
    """Of a text: float32[256, 1024]."""
    dtype, extents = tensor.rstrip("]").split("[")
    return math.prod(map(int, extents.split(", "))) * int(re.sub(r"\D", "", dtype)) // 8


OF_TWO, OF_FOUR, OF_MESH = ("--tensor-parallel", "2"), ("--tensor-parallel", "4"), ("--mesh", "data=2,tensor=2")


class Model(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "block.py")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(BLOCK)

    def hidetc(self, *words, verb="run", **variables):
        return subprocess.run([HIDETC, "model", verb, self.path, *words], env={**os.environ, **variables}, capture_output=True, text=True,
                              timeout=120, check=False)

    def results(self, *words, target="cpu"):
        output = os.path.join(self.folder.name, "".join(words))
        done = self.hidetc("--target", target, "--output", output, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(name for name in os.listdir(output) if name.startswith("output_"))
        return [numbers(os.path.join(output, name)) for name in names], done.stdout + done.stderr

    def result(self, *words, target="cpu"):
        results, said = self.results(*words, target=target)
        return results[0], said

    def test_several_processes_compute_what_one_does(self):
        wanted, _ = self.result()
        for count in ("2", "4"):
            got, said = self.result("--tensor-parallel", count)
            self.assertEqual(len(got), 64 * 512)
            self.assertLess(max(abs(one - other) for one, other in zip(got, wanted)), 1e-4)
            self.assertIn("2 steps on the host", said)  # a sum behind attention, and one behind the two products
        left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("hidet-model-")]
        self.assertEqual(left, [])

    def test_a_token_of_a_language_model_is_that_of_one_process(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(LLAMA)
        wanted, _ = self.results()
        self.assertEqual(len(wanted), 5)
        for count in ("2", "4"):
            got, said = self.results("--tensor-parallel", count)
            for one, other in zip(got, wanted):
                self.assertLess(max(map(abs, map(float.__sub__, one, other))), 1e-4)
            if count == "2":
                # Of a layer: two sums, and what it adds to its caches: once its new keys and values, once the product of all of them.
                self.assertIn("7 steps on the host", said)

    def test_replicas_compute_parts_of_the_batch(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(BATCH)
        wanted, _ = self.result()
        for mesh, steps in (("data=2", "1 step on the host"), ("data=4", "1 step on the host"), ("data=2,tensor=2", "2 steps on the host")):
            got, said = self.result("--mesh", mesh)
            self.assertEqual(len(got), 8 * 64 * 512)
            self.assertLess(max(abs(one - other) for one, other in zip(got, wanted)), 1e-4)
            self.assertIn(steps, said)  # what is gathered at the end, and the sum of the two products

    def test_stages_of_a_pipeline_compute_what_one_process_does(self):
        for model, shape, more in ((BLOCK, 64 * 512, ()), (BATCH, 8 * 64 * 512, ("pipe=2,parts=4",))):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(model)
            wanted, _ = self.result()
            for mesh in ("pipe=2", "pipe=3", *more):
                got, said = self.result("--mesh", mesh)
                self.assertEqual(len(got), shape)
                self.assertLess(max(abs(one - other) for one, other in zip(got, wanted)), 1e-4)
                self.assertEqual(said.count("ran on"), 1)  # the first one speaks

    def test_each_stage_has_its_own_operators_and_weights(self):
        self.path = os.path.join(self.folder.name, "products.onnx")
        with open(self.path, "wb") as file:
            file.write(two_products())
        whole = self.hidetc("--target", "cpu", verb="compile").stdout
        stage = self.hidetc("--target", "cpu", "--mesh", "pipe=2", verb="compile").stdout
        self.assertIn("weights    8 MiB", whole)
        self.assertRegex(stage, "weights    4.* MiB")
        self.assertRegex(stage, r"Matmul +stage 1, in 2 parts of the batch\n")
        self.assertRegex(self.hidetc("--target", "cpu", "--mesh", "pipe=2,parts=4", verb="compile").stdout, r"Matmul +stage 1, in 4 parts of the batch\n")

    def test_what_a_pipeline_does_not_take_is_refused(self):
        done = self.hidetc("--target", "cpu", "--mesh", "pipe=40")
        self.assertIn("a pipeline has an operator for each stage or more: 40 stages", done.stderr)
        self.assertIn("the batch has no 3 equal parts", self.hidetc("--target", "cpu", "--mesh", "pipe=2,parts=3").stderr)
        for verb, words, said in (("run", ("--mesh", "pipe=2,tensor=2"), "'pipe' goes without 'data' and 'tensor'"),
                                  ("run", ("--mesh", "tensor=2,parts=2"), "'parts' of the batch are what stages of 'pipe' work on"),
                                  ("run", ("--mesh", "pipe=1", "--place", "a=whole"), "'--tensor-parallel' says how many"),
                                  ("run", ("--mesh", "pipe=2", "--compare"), "'--compare' is of one process"),
                                  ("bench", ("--mesh", "pipe=2"), "stages of a pipeline have different steps"),
                                  ("compile", ("--mesh", "pipe=2", "-o", self.path + ".hidet"), "what runs packages has no pipelines")):
            done = self.hidetc("--target", "cpu", *words, verb=verb)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_a_mesh_that_the_model_has_not_is_refused(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(BATCH)
        for mesh, said in (("data=3", "the first dimension of an input has to be known, and a multiple of 3"), ("rows=2", "'rows=2' is no axis of a mesh"),
                           ("data=0", "'data=0' is no axis of a mesh"), ("data=16,tensor=8", "is of 128 processes, and 64 are the most")):
            done = self.hidetc("--mesh", mesh)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        self.assertIn("both say how many", self.hidetc("--mesh", "data=2", "--tensor-parallel", "2").stderr)

    def test_an_operator_is_placed_where_the_user_wants_it(self):
        self.path = os.path.join(self.folder.name, "products.onnx")
        with open(self.path, "wb") as file:
            file.write(two_products())
        done = self.hidetc("--target", "cpu", "--tensor-parallel", "2", verb="compile")
        self.assertRegex(done.stdout, r"Matmul +split along 1")
        done = self.hidetc("--target", "cpu", "--tensor-parallel", "2", "--place", "a=whole", "--place", "y=split along 0", verb="compile")
        self.assertRegex(done.stdout, r"Matmul +whole")
        self.assertRegex(done.stdout, r"Matmul +split along 0")
        done = self.hidetc("--target", "cpu", "--tensor-parallel", "2", "--place", "a=split along 7", verb="compile")
        self.assertIn("cannot be placed 'split along 7', but: whole, split along 1, partial sums, split along 0", done.stderr)
        done = self.hidetc("--target", "cpu", "--tensor-parallel", "2", "--place", "b2=whole", verb="compile")
        self.assertIn("the model has no operator 'b2'", done.stderr)
        done = self.hidetc("--target", "cpu", "--place", "a=whole", verb="compile")
        self.assertIn("'--tensor-parallel' says how many", done.stderr)

    def test_what_the_slowest_process_takes_is_measured(self):
        done = self.hidetc("--target", "cpu", "--tensor-parallel", "2", "--json", verb="bench")
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = json.loads(done.stdout)
        self.assertGreater(measured["seconds"]["median"], 0)
        sums = [step for step in measured["steps"] if step["kernel"] == "AllReduce"]
        self.assertEqual(len(sums), 2, measured["steps"])
        self.assertTrue(all(step["seconds"] > 0 for step in sums))
        self.assertRegex(self.hidetc("--target", "cpu", "--tensor-parallel", "2", verb="bench").stdout, "runs of the slowest of 2 processes")

    def test_processes_that_somebody_else_has_started_share_the_model(self):
        named = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        words = [HIDETC, "model", "run", self.path, "--target", "cpu", "--tensor-parallel", "2"]
        ranks = [subprocess.Popen(words, env={**os.environ, **named, "RANK": str(rank), "LOCAL_RANK": str(rank)}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(2)]
        said = [rank.communicate(timeout=120) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], said)
        self.assertIn("float32[1, 64, 512]", said[0][0])
        self.assertEqual(said[1][0], "")

    def test_a_process_that_is_killed_is_named(self):
        for shared in (OF_TWO, ("--mesh", "pipe=2")):
            running = subprocess.Popen([HIDETC, "model", "run", self.path, "--target", "cpu", *shared], text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                os.kill(self.other(running.pid), signal.SIGKILL)
                _, said = running.communicate(timeout=60)
            finally:
                running.kill()
            self.assertNotEqual(running.returncode, 0)
            self.assertRegex(said, r"another process of the model has ended|rank 1 \(process \d+\) has ended")

    def other(self, parent):
        """The copy of the command that it has started."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for name in os.listdir("/proc"):
                try:
                    with open(f"/proc/{name}/environ", "rb") as file, open(f"/proc/{name}/cmdline", "rb") as words:
                        if f"hidet-model-{parent}\0".encode() in file.read() and b"\0model\0" in words.read():
                            return int(name)
                except (OSError, ValueError):
                    continue
            time.sleep(0.01)
        raise AssertionError("no other process has been started")

    def package(self, *shared):
        self.path = os.path.join(self.folder.name, "products.onnx")
        with open(self.path, "wb") as file:
            file.write(two_products())
        path = os.path.join(self.folder.name, "".join(shared) + ".hidet")
        done = self.hidetc("--target", "cpu", *shared, "-o", path, verb="compile")
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def run_package(self, path, *command):
        output = path + ".results"
        done = subprocess.run([*command, path, "--trust", "--output", output], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return numbers(os.path.join(output, "output_0.npy")), done.stdout + done.stderr

    def test_a_package_of_several_processes_gives_what_one_of_one_gives(self):
        alone = self.package()
        commands = ((HIDET_RUN, "run"), (HIDETC, "model", "run"))
        wanted = [self.run_package(alone, *command)[0] for command in commands]
        for shared in (OF_TWO, OF_FOUR, OF_MESH):
            path = self.package(*shared)
            self.assertLess(os.path.getsize(path), 1.5 * os.path.getsize(alone))  # each has its part of the weights
            for command, of_one in zip(commands, wanted):
                got, said = self.run_package(path, *command)
                self.assertEqual(len(got), 64 * 512)
                self.assertLess(max(abs(one - other) for one, other in zip(got, of_one)), 1e-4)
                self.assertEqual(said.count("ran on"), 1)  # the first one speaks
        left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith(("hidet-run-", "hidet-model-"))]
        self.assertEqual(left, [])

    def test_what_a_package_of_several_processes_does_not_take_is_refused(self):
        package = self.package(*OF_TWO)
        for verb, words, wanted in (("run", OF_TWO, "a package says how many processes share it"),
                                    ("run", ("--remote", "localhost"), "what is of several goes without '--remote'"),
                                    ("run", (), "'--trust' allows it"),
                                    ("bench", (), "is a compiled package, which 'hidetc model run' runs and 'hidet-run time' measures")):
            done = subprocess.run([HIDETC, "model", verb, package, *words], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(wanted, done.stderr)
        done = subprocess.run([HIDETC, "model", "run", package, "--trust"], env={**os.environ, "RANK": "0", "WORLD_SIZE": "3"}, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertIn("the model is of 2 processes, and this is one of 3", done.stderr)

    def test_all_processes_run_as_often_as_the_one_that_traces(self):
        trace = os.path.join(self.folder.name, "trace.json")
        for path in (self.path, self.package(*OF_TWO)):
            words = ("--trust",) if path.endswith(".hidet") else OF_TWO
            self.path = path
            done = self.hidetc("--target", "cpu", "--trace", trace, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(trace, encoding="utf-8") as file:
                self.assertTrue(json.load(file)["traceEvents"])
            os.remove(trace)

    def test_processes_that_somebody_else_has_started_run_a_package(self):
        named = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        words = [HIDET_RUN, "time", self.package(*OF_TWO), "--trust", "--runs", "5"]
        ranks = [subprocess.Popen(words, env={**os.environ, **named, "RANK": str(rank), "LOCAL_RANK": str(rank)}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(2)]
        said = [rank.communicate(timeout=60) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], said)
        self.assertIn("median of 5", said[0][0])
        self.assertEqual(said[1][0], "")
        done = subprocess.run(words, env={**os.environ, "RANK": "0", "WORLD_SIZE": "3"}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "hidet-run: the package is of 2 processes, and this is one of 3\n"))
        done = subprocess.run(words[:-2], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "hidet-run: processes that share a model run it equally often: --runs N says how often\n"))

    def test_a_process_of_a_package_that_is_killed_ends_the_others_with_its_name(self):
        for shared, count, killed in ((OF_TWO, 2, 1), (OF_FOUR, 4, 3), (OF_MESH, 4, 3)):
            running = subprocess.Popen([HIDET_RUN, "time", self.package(*shared), "--trust", "--runs", "10000000"], text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                others = [self.started(f"HIDET_RUN_MEETING=file://{tempfile.gettempdir()}/hidet-run-{running.pid}", rank)
                          for rank in range(1, count)]
                time.sleep(0.5)  # until they exchange, which nothing outside shows
                begin = time.monotonic()
                os.kill(others[killed - 1], signal.SIGKILL)
                _, said = running.communicate(timeout=60)
            finally:
                running.kill()
            self.assertLess(time.monotonic() - begin, 10)
            self.assertEqual(running.returncode, 1)
            self.assertRegex(said, rf"rank {killed} \(process {others[killed - 1]}\) has ended")
            self.assertFalse([each for each in others if os.path.exists(f"/proc/{each}")])

    def started(self, variable, rank):
        """The process that has this variable and rank."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{name}/environ", "rb") as file, open(f"/proc/{name}/cmdline", "rb") as words:
                        variables = file.read().split(b"\0")
                        if variable.encode() in variables and f"RANK={rank}".encode() in variables and b"\0time\0" in words.read():
                            return int(name)
                except OSError:
                    continue
            time.sleep(0.01)
        raise AssertionError("no other process has been started")

    def test_another_number_of_processes_is_refused(self):
        done = self.hidetc("--tensor-parallel", "2", RANK="0", WORLD_SIZE="3", MASTER_PORT="1")
        self.assertEqual((done.returncode, done.stderr), (2, "error: the model is of 2 processes, and this is one of 3 [bad-value]\n"))

    def test_kernels_of_a_gpu_share_a_model(self):
        """Emulated, and exchanged through memory. What takes a GPU as little time as the block is not worth an exchange."""
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(PRODUCTS)
        wanted, _ = self.result(target="emulate")
        got, said = self.result("--tensor-parallel", "2", target="emulate")
        self.assertLess(max(abs(one - other) for one, other in zip(got, wanted)), 1e-3)
        self.assertIn("1 step on the host", said)

    def test_kernels_of_a_gpu_are_stages_of_a_pipeline(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(PRODUCTS)
        wanted, _ = self.result(target="emulate")
        got, _ = self.result("--mesh", "pipe=2", target="emulate")
        self.assertLess(max(abs(one - other) for one, other in zip(got, wanted)), 1e-3)

    def test_the_exchanges_that_are_predicted_are_those_of_a_run(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(PRODUCTS)
        done = self.hidetc("--arch", "sm_90a", "--scale", "4", "--json", verb="compile")
        self.assertEqual(done.returncode, 0, done.stderr)
        predicted = {(mesh["data"], mesh["tensor"]): mesh for mesh in json.loads(done.stdout)["meshes"]}
        trace = os.path.join(self.folder.name, "trace.json")
        for data, tensor in ((1, 2), (1, 4), (2, 1), (2, 2)):
            done = self.hidetc("--target", "emulate", "--mesh", f"data={data},tensor={tensor}", "--trace", trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(trace, encoding="utf-8") as file:
                made = [event["args"]["tensors"][-1] for event in json.load(file)["traceEvents"] if event["name"] in ("AllGather", "AllReduce")]
            mesh = predicted[data, tensor]
            self.assertEqual((mesh["exchanges"], mesh["exchangedBytes"]), (len(made), sum(map(bytes_of, made))), made)
            self.assertGreater(len(made), 0)


if __name__ == "__main__":
    unittest.main()
