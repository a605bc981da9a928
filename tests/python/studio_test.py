# SPDX-License-Identifier: Apache-2.0
"""hidet.studio(): what the window is given, by a program that stands in for it and by the window itself; and kernels in notebooks."""

import html.parser
import json
import linecache
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import warnings

import hidet
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx

HERE = os.path.abspath(__file__)
WINDOW = os.environ.get("HIDET_STUDIO_PROGRAM")  # the real one, where it was built


def scaled_by(factor, n, *, block=32):
    with hidet.script_module() as module:

        @hidet.script
        def scaled(x: f32[n], y: f32[n], shift: i32):
            attrs.cuda.grid_dim = (n + block - 1) // block
            attrs.cuda.block_dim = block
            i = blockIdx.x * block + threadIdx.x
            if i < n:
                y[i] = x[i] * factor + shift

    return module.build()


@hidet.script
def doubled(x: f32[64]):
    attrs.cuda.grid_dim = 2
    attrs.cuda.block_dim = 32
    x[blockIdx.x * 32 + threadIdx.x] *= 2.0


CELL = '''
import math
import hidet as h
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx as thread
from fractions import Fraction
N = 64
FACTORS = {"a": (2.0, 3)}
half = Fraction(1, 2)

def helper(x):
    return x * FACTORS["a"][0] + math.pi

@h.script
def twice(x: f32) -> f32:
    attrs.func_kind = "cuda_internal"
    return x * float(half)

@h.script
def alone(x: f32[N], y: f32[N]):
    attrs.cuda.grid_dim = 2
    attrs.cuda.block_dim = 32
    i = blockIdx.x * 32 + thread.x
    y[i] = helper(x[i])

@h.script
def with_fraction(x: f32[N]):
    attrs.cuda.grid_dim = 1
    attrs.cuda.block_dim = 64
    x[thread.x] = twice(x[thread.x])

def factory(n):
    with h.script_module() as module:
        @h.script
        def inner(x: f32[n]):
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            x[thread.x] = 1.0
    return module.build()
'''


def line_of(text):
    with open(HERE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line and "line_of" not in line)


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited a minute")
        time.sleep(0.01)


class Opened(unittest.TestCase):
    """HIDET_STUDIO is a script that keeps what it is given, and is there until the pipe `go` says something."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder], check=True)
        os.mkfifo(self.path("go"))
        self.stand_in("""
cp -r "$(dirname "$2")" "$home/seen"
stat -c %a "$(dirname "$2")" > "$home/mode"
streams=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2)
echo "$streams" > "$home/streams"
printf '%s\\n' "$@" > "$home/arguments.part"
mv "$home/arguments.part" "$home/arguments"
read -r line < "$home/go"
""")
        environment = unittest.mock.patch.dict(os.environ, {"HIDET_STUDIO": self.path("studio"), "QT_QPA_PLATFORM": "offscreen"})
        environment.start()
        self.addCleanup(environment.stop)
        self.addCleanup(self.close)

    def path(self, name):
        return os.path.join(self.folder, name)

    def stand_in(self, text):
        with open(self.path("studio"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nhome='{self.folder}'\n{text}")
        os.chmod(self.path("studio"), 0o755)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def workspace(self):
        wait_for(lambda: os.path.exists(self.path("arguments")))
        self.option, self.given = self.read("arguments").splitlines()
        return json.loads(self.read(os.path.join("seen", os.path.basename(self.given))))

    def document(self):
        documents = self.workspace()["documents"]
        self.assertEqual(len(documents), 1)
        return documents[0]

    def close(self):
        """What was kept of it goes with the window."""
        if hasattr(self, "given"):
            pipe = os.open(self.path("go"), os.O_RDWR)  # which waits for nobody
            os.write(pipe, b"\n")
            wait_for(lambda: not os.path.exists(os.path.dirname(self.given)))
            os.close(pipe)

    def tensor(self, name):
        with open(self.path(os.path.join("seen", name)), "rb") as file:
            return file.read()

    def test_a_kernel_with_tensors_is_its_line_the_call_that_made_it_and_files(self):
        hidet.studio(scaled_by(2.0, 40), hidet.arange(40, dtype="float32", device="cuda"), shift=3, y=hidet.zeros([40]))
        document = self.document()
        self.assertEqual((self.option, os.path.basename(self.given)), ("--new-window", "scaled.hidet-workspace"))
        self.assertEqual((document["path"], document["line"]), (HERE, line_of("def scaled(x")))
        self.assertEqual(document["calls"], ["scaled_by(2.0, 40, block=32)"])
        plan, folder = document["plans"]["plan"], os.path.dirname(self.given)
        self.assertEqual(plan["function"], "scaled")
        self.assertEqual(plan["arguments"], [{"name": "x", "fill": "file", "file": f"{folder}/x.npy"}, {"name": "shift", "value": "3"},
                                             {"name": "y", "fill": "file", "file": f"{folder}/y.npy"}])
        self.assertTrue(self.tensor("x.npy").startswith(b"\x93NUMPY") and self.tensor("x.npy").endswith(b"\0\0\x1c\x42"))  # 39.0

    def test_the_call_returns_at_once_and_leaves_a_process_of_its_own(self):
        begun = time.monotonic()
        hidet.studio(doubled)
        self.assertLess(time.monotonic() - begun, 5)  # the window is there until it is closed
        self.assertEqual(self.document(), {"path": HERE, "line": line_of("def doubled(")})
        self.assertEqual(self.read("mode"), "700\n")
        self.assertEqual(self.read("streams"), "/dev/null\n" * 3)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_a_function_of_python_is_called_with_plain_values(self):
        hidet.studio(scaled_by, 0.5, n=7)
        self.assertEqual(self.document(), {"path": HERE, "line": line_of("def scaled_by("), "calls": ["scaled_by(0.5, n=7)"]})

    def test_a_graph_and_a_module_of_layers_are_documents(self):
        class Layer(hidet.nn.Module):
            def forward(self, x):
                return hidet.ops.relu(x) * 2.0

        hidet.studio(Layer(), hidet.ones([2, 3]))
        documents = self.workspace()["documents"]
        folder = os.path.dirname(self.given)
        graph = json.loads(self.read("seen/Layer.json"))
        name = graph["graph"]["values"][graph["graph"]["inputs"][0]]["name"]
        self.assertEqual(documents, [{"path": f"{folder}/Layer.json", "inputs": {name: f"{folder}/{name}.npy"}}])
        self.assertEqual((graph["format"], graph["graph"]["nodes"][0]["op"]), ("hidet-graph", "Relu"))
        self.assertTrue(self.tensor(f"{name}.npy").endswith(6 * b"\0\0\x80\x3f"))  # ones

    def cell(self, text=CELL, name="<cell 7>"):
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space = {"__name__": "__main__"}
        exec(compile(text, name, "exec"), space)
        return space

    def script(self):
        document = self.document()
        self.assertNotIn("path", document)
        with open(self.path("script.py"), "w", encoding="utf-8") as file:
            file.write(document["unsaved"])
        return document

    def run_script(self, tail=""):
        program = f"import runpy; space = runpy.run_path({self.path('script.py')!r}); {tail}"
        return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    def test_a_kernel_of_a_notebook_is_a_script_that_runs_by_itself(self):
        space = self.cell()
        space["x"] = hidet.ones([64])
        exec("import hidet; hidet.studio(alone, x)", space)
        document = self.script()
        self.assertIn("threadIdx as thread", document["unsaved"])
        self.assertNotIn("Fraction", document["unsaved"])  # nothing that it does not use
        self.assertEqual([each["name"] for each in document["plans"]["plan"]["arguments"]], ["x"])
        told = self.run_script("x = hidet.ones([64], device='cuda'); y = hidet.zeros([64], device='cuda');"
                               "space['built'](x, y); print(y.cpu().tolist()[63])".replace("hidet.", "space['hidet']."))
        self.assertAlmostEqual(float(told), 2 + 3.14159265, places=5)

    def test_what_is_no_plain_value_is_named(self):
        space = self.cell()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            exec("import hidet; hidet.studio(with_fraction)", space)
        self.assertEqual([str(each.message) for each in said], ["not written, as they are no plain values: 'half' (Fraction)"])
        self.assertIn("# Not written, as they are no plain values: 'half' (Fraction).", self.script()["unsaved"])

    def test_a_factory_of_a_notebook_keeps_the_call(self):
        space = self.cell()
        exec("import hidet; hidet.studio(factory(16))", space)
        document = self.script()
        self.assertEqual(document["calls"], ["factory(16)"])
        self.assertEqual(self.run_script("print(space['factory'](16))"), "<CompiledModule>\n")

    def test_what_cannot_be_opened_is_refused_and_leaves_nothing(self):
        before = set(os.listdir(tempfile.gettempdir()))
        module = scaled_by(2.0, 40)
        for call, kind, words in (
            (lambda: hidet.studio(3), TypeError, "not a 'int'"),
            (lambda: hidet.studio(hidet.ones([2])), TypeError, "not a 'Tensor'"),
            (lambda: hidet.studio(module, "x"), TypeError, "argument 'x' of 'scaled' is a 'str'"),
            (lambda: hidet.studio(module, 1, 2, 3, 4), TypeError, "'scaled' takes x, y, shift"),
            (lambda: hidet.studio(module, z=1), TypeError, "'scaled' takes x, y, shift"),
            (lambda: hidet.studio(scaled_by, hidet.ones([2])), TypeError, "is a function of Python"),
        ):
            with self.assertRaisesRegex(kind, words):
                call()
        self.assertEqual({each for each in set(os.listdir(tempfile.gettempdir())) - before if each.startswith("hidet-studio-")}, set())

    def test_one_sentence_says_how_to_get_what_is_not_installed(self):
        for environment in ({"HIDET_STUDIO": "", "PATH": self.folder + "/none"}, {"HIDET_STUDIO": "/nowhere/studio"}):
            with unittest.mock.patch.dict(os.environ, environment), self.assertRaisesRegex(FileNotFoundError, "under the GPL: .*/bin/hidet-studio$"):
                hidet.studio(doubled)
        with unittest.mock.patch.dict(os.environ):
            for name in "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM":
                os.environ.pop(name, None)
            with self.assertRaisesRegex(RuntimeError, "needs a display"):
                hidet.studio(doubled)

    @unittest.skipUnless(WINDOW, "the window was not built")
    def test_the_window_opens_what_it_is_given(self):
        homes = " ".join(f"XDG_{name}_HOME=\"$home\"" for name in ("CONFIG", "STATE", "DATA", "CACHE"))
        self.stand_in(f"""
env {homes} XDG_RUNTIME_DIR="$home" HOME="$home" timeout 60 '{WINDOW}' "$@" --do wait --do file.save_workspace --do file.quit
mkdir "$home/seen"
cp "$2" "$home/seen"
printf '%s\\n' "$@" > "$home/arguments.part"
mv "$home/arguments.part" "$home/arguments"
""")
        hidet.studio(scaled_by(2.0, 40), hidet.ones([40]))
        saved = self.workspace()
        self.assertIn("settings", saved)  # the window wrote it
        document = saved["documents"][0]
        self.assertEqual((document["path"], document["line"], document["calls"]), (HERE, line_of("def scaled(x"), ["scaled_by(2.0, 40, block=32)"]))
        plan = document["plans"]["plan"]
        self.assertEqual((plan["function"], plan["arguments"]), ("scaled", [{"name": "x", "fill": "file", "file": "$workspace/x.npy"}]))
        kept = os.path.join(self.folder, "hidet-studio", "run_plans.json")
        self.assertFalse(os.path.exists(kept) and HERE in self.read(kept))  # of files that are gone with the window


class Loads(html.parser.HTMLParser):
    """What a page would fetch or run."""

    def __init__(self, page):
        super().__init__()
        self.found, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.found += [tag] if tag in ("script", "link", "img", "object", "embed") else []
        self.found += [name for name, value in attributes if name.startswith("on") or (name in ("src", "href") and not (value or "").startswith("#"))]
        self.texts.append(values.get("srcdoc", ""))


class Notebooks(unittest.TestCase):
    def page(self, value):
        framed = Loads(value._repr_html_())
        self.assertEqual(framed.found, [])
        page = "".join(framed.texts)
        self.assertEqual(Loads(page).found, [])
        self.assertNotIn("url(", page)
        return page

    def test_kernels_modules_and_built_modules_show_verdict_ir_and_cuda(self):
        with hidet.script_module() as module:

            @hidet.script
            def strided(x: f32[4096], y: f32[4096]):
                attrs.cuda.grid_dim = 1
                attrs.cuda.block_dim = 128
                if threadIdx.x < 32 and threadIdx.x > 0:
                    y[threadIdx.x * 32] = x[threadIdx.x]

        for value in strided, module, module.build():
            page = self.page(value)
            self.assertRegex(page, r"<th>kernel</th><th>predicted</th><th>verdict</th></tr>\s*<tr><td>strided</td>")
            self.assertRegex(page, r"line \d+: ")
            self.assertIn("def strided(", page)
            self.assertIn("__global__", page)
            self.assertIn("&lt; 32", page)
            self.assertNotIn("threadIdx.x < 32", page)
        self.assertIn("nothing found", self.page(doubled))

    def test_an_internal_function_shows_its_text(self):
        @hidet.script
        def half(x: f32) -> f32:
            attrs.func_kind = "cuda_internal"
            return x * 0.5

        self.assertIn("def half(", self.page(half))

    def test_other_values_are_no_pages(self):
        self.assertIsNone(hidet.ones([2])._repr_html_())


if __name__ == "__main__":
    unittest.main()
