# SPDX-License-Identifier: GPL-3.0-only
"""Journeys as a person makes them: real keys on a virtual display, at a person's speed, in four sizes of window.

    journeys.py [--size 1366x768] [--scale 1.5] [--theme dark] [--only NAME] [--delay MS] [--pictures FOLDER]

A row a journey: how many actions it takes (a chord, or a text that is typed), and how many seconds pass, those in which the window
has not come to rest included. Each step leaves a picture, to be looked at. What a journey has made on disk is checked.
"""

import argparse
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "ui"))

from xvfb_test import Display, Studio, read, wait_for

SIZES = [("1366x768", "1"), ("1600x900", "1"), ("1920x1080", "1"), ("1920x1080", "1.5")]
PROGRAM = os.path.join(ROOT, "build", "dev", "bin", "hidet-studio")
SAMPLES = os.path.join(ROOT, "samples")
EMPTY_ROWS = 40  # of pixels that differ at most while there is nothing but the pointer
STILL_ROWS = 60  # of pixels that may change while the window rests: a caret, a time in the status line
REST = 0.3  # seconds without a change


class Screen(Display):
    """A display of a size, whose pixels can be read."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.folder = tempfile.mkdtemp()
        super().__init__(f"{width}x{height}", "-fbdir", self.folder)

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)

    def rows(self):
        """Of an XWD file, 32 bits a pixel: blue, green, red, nothing."""
        with open(self.folder + "/Xvfb_screen0", "rb") as file:
            data = file.read()
        header = struct.unpack(">25I", data[:100])
        begin, stride = header[0] + header[19] * 12, header[12]
        return [data[begin + y * stride:begin + y * stride + 4 * self.width] for y in range(self.height)]

    def save(self, path):
        def scanline(row):
            out = bytearray(3 * self.width)
            out[0::3], out[1::3], out[2::3] = row[2::4], row[1::4], row[0::4]
            return b"\0" + bytes(out)

        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        pixels = zlib.compress(b"".join(scanline(row) for row in self.rows()), 6)
        size = struct.pack(">2I5B", self.width, self.height, 8, 2, 0, 0, 0)
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


class Person:
    def __init__(self, options, screen, home, name, *files):
        self.options, self.screen, self.home, self.name = options, screen, home, name
        self.actions, self.pictures = 0, 0
        os.environ["QT_SCALE_FACTOR"] = options.scale
        self.begun = time.monotonic()
        self.start(*files)

    def start(self, *files):
        self.studio = Studio(PROGRAM, self.screen, self.home, "--do", "theme." + self.options.theme, *files)
        self.studio.tool("windowmove", self.studio.window, "0", "0")
        self.studio.tool("windowsize", "--sync", self.studio.window, str(self.screen.width), str(self.screen.height))
        self.rest()

    def rest(self, most=45):
        end, last, since = time.monotonic() + most, self.screen.rows(), time.monotonic()
        while time.monotonic() < end and time.monotonic() - since < REST:
            time.sleep(0.1)
            now = self.screen.rows()
            if sum(a != b for a, b in zip(last, now)) > STILL_ROWS or len(set(now)) <= EMPTY_ROWS:
                since = time.monotonic()
            last = now

    def press(self, *chords):
        for chord in chords:
            self.studio.tool("key", "--delay", "40", chord)
            self.actions += 1
            time.sleep(0.15)

    def type(self, text):
        """As it stands: what the editor would close or indent by itself, the typist does not type."""
        self.studio.tool("type", "--delay", str(self.options.delay), text)
        self.actions += 1

    def do(self, words):
        """By the palette: what has no key that one would know."""
        self.press("ctrl+shift+p")
        self.type(words)
        self.rest()
        self.press("Return")

    def look(self, what):
        self.rest()
        self.pictures += 1
        self.screen.save(f"{self.options.folder}/{self.name}-{self.pictures}-{what}.png")

    def leave(self):
        """Whatever is open: a dialog or a list takes the first Esc."""
        self.studio.tool("windowfocus", "--sync", self.studio.window)  # there is no window manager that would, behind a dialog
        self.studio.key("Escape", "Escape", "ctrl+q")
        try:
            self.studio.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.look("stays-open")
            self.studio.process.kill()
            raise AssertionError("it does not end") from None
        assert self.studio.process.returncode == 0, self.studio.process.stderr.read()


def sample(options, home, name):
    return shutil.copy(f"{SAMPLES}/kernels/{name}.py", f"{home}/{name}.py")


def written(home, name, text):
    with open(f"{home}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
    return f"{home}/{name}"


def first_start(person_of, home, options):
    person = person_of()
    person.look("welcome")
    person.press("ctrl+k")
    person.type("naive")
    person.look("quick-open")
    person.press("Return")
    person.look("script")
    person.press("F5")
    person.look("run")
    return person


def softmax_from_a_blank_script(person_of, home, options):
    person = person_of()
    person.press("ctrl+n")
    for line in ["import hidet", "import torch", "from hidet.lang import attrs, f32",
                 "rows, columns = 64, 96", "with hidet.script_module() as module:", "@hidet.script",
                 "def softmax(x: f32[rows, columns], y: f32[rows, columns]):", "attrs.func_kind = 'cuda_kernel'",
                 "attrs.cuda.grid_dim = rows", "attrs.cuda.block_dim = 32", "top = x[blockIdx.x, 0]",
                 "for j in range(columns):"]:
        person.type(line)
        person.press("Return")
    person.type("top = maxx(top, x[blockIdx.x, j])")
    person.look("mistakes")
    person.press("F8", "alt+Return")
    person.look("fixes")
    person.press("Return")
    person.look("imported")
    person.press("F8", "alt+Return", "Return")
    person.look("mended")
    person.press("ctrl+s")
    person.look("save")
    person.type(home + "/softmax.py")
    person.press("Return")
    wait_for("the script on disk", lambda: os.path.exists(home + "/softmax.py"))
    return person


NAIVE = """import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx, blockIdx

size = 1024
with hidet.script_module() as module:
    @hidet.script
    def matmul(a: f32[size, size], b: f32[size, size], c: f32[size, size]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = size // 16, size // 16
        attrs.cuda.block_dim = 16, 16
        row = blockIdx.x * 16 + threadIdx.x
        column = blockIdx.y * 16 + threadIdx.y
        total: f32 = 0.0
        for k in range(size):
            total += a[row, k] * b[k, column]
        c[row, column] = total
matmul = module.build()
"""


def predicted(path):
    """Seconds, of its first kernel."""
    said = subprocess.run([os.path.join(os.path.dirname(PROGRAM), "hidetc"), "explain", path, "--no-compile"], capture_output=True,
                          text=True, check=True).stdout
    value, unit = re.search(r"predicted +([\d.]+) (\w+)", said).groups()
    return float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]


def a_naive_product_made_faster_by_fixes(person_of, home, options):
    script = written(home, "naive.py", NAIVE)
    before = predicted(script)
    person = person_of(script)
    person.press("alt+shift+x")
    person.look("why")
    person.press("alt+Return")
    person.look("mended")
    person.press("Escape", "ctrl+s")
    wait_for("the fix on disk", lambda: read(script) != NAIVE)
    assert predicted(script) < before / 2, (before, predicted(script))
    return person


def six_slow_kernels_of_six_kinds(person_of, home, options):
    """One action each, to the sentence and its picture."""
    golden = read(ROOT + "/tests/golden/cli/explain/slow.txt").split("# ==== ")[1:]
    kinds, texts = zip(*(case.split("\n", 1) for case in golden))
    person = person_of(*[written(home, f"slow{i}.py", text.split("# ---- expect")[0]) for i, text in enumerate(texts)])
    person.press("alt+shift+x")
    for kind in (kinds[-1], *kinds[:-1]):  # the last that was opened is in front
        person.look(kind.replace(" ", "-"))
        person.press("ctrl+Tab")
    return person


RACE = """import hidet
import torch
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import threadIdx, syncthreads

with hidet.script_module() as module:
    @hidet.script
    def turned(x: f32[64], y: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        tile = shared_tensor('float32', [64])
        tile[threadIdx.x] = x[threadIdx.x]
        y[threadIdx.x] = tile[63 - threadIdx.x]

x = torch.randn(64, device='cuda')
y = torch.empty(64, device='cuda')
module.build()(x, y)
"""


def a_race_found_and_mended(person_of, home, options):
    script = written(home, "race.py", RACE)
    person = person_of(script)
    person.press("ctrl+F5")
    person.look("found")
    person.press("F8", "Home")
    person.type("syncthreads()")
    person.press("Return", "ctrl+F5")
    person.look("mended")
    person.press("ctrl+s")
    wait_for("the barrier on disk", lambda: read(script).count("syncthreads()") == 1, lambda: read(script)[-300:])
    return person


def the_pipeline_of_a_hopper_kernel(person_of, home, options):
    person = person_of(sample(options, home, "hopper_matmul"))
    person.press("ctrl+F5")
    person.look("emulated")
    person.do("analysis pipeline")
    person.look("pipeline")
    return person


def two_variants_compared(person_of, home, options):
    person = person_of(sample(options, home, "shared_matmul"))
    person.look("script")
    person.do("pin baseline")
    person.press("ctrl+f")
    person.type("block_m, block_n, block_k = 128, 128, 16")
    person.press("Escape", "End", "BackSpace", "BackSpace")
    person.type("32")
    person.press("alt+shift+x")
    person.look("against-the-baseline")
    person.do("analysis loops")
    person.look("loops")
    return person


def edited_cuda(person_of, home, options):
    person = person_of(sample(options, home, "vector_addition"))
    person.rest()
    person.press("F6", "F6", "alt+e")
    person.look("copy")
    person.press("ctrl+End")
    person.type("// mine")
    person.look("edited")
    return person


def a_model_to_a_package(person_of, home, options):
    model = shutil.copy(SAMPLES + "/models/encoder.onnx", home + "/encoder.onnx")
    person = person_of(model)
    person.look("graph")
    person.press("F4")
    person.look("code")
    person.press("ctrl+e")
    person.look("export")

    def is_exported():
        person.studio.key("Return")  # does nothing while the files are being made
        return os.path.exists(home + "/encoder_package")

    wait_for("the package", is_exported, lambda: os.listdir(home))
    person.actions += 1
    person.look("exported")
    return person


def everyday_tabs(person_of, home, options):
    person = person_of(*[sample(options, home, name) for name in ("naive_matmul", "softmax", "histogram", "welford")])
    person.press("ctrl+Tab", "ctrl+Tab")
    person.look("third")
    person.press("alt+2")
    person.look("lower")
    person.press("alt+shift+w")
    person.look("mapping")
    person.press("alt+shift+w", "alt+1", "ctrl+w")
    person.look("closed")
    person.do("reopen closed")
    person.look("reopened")
    return person


def kill_and_return(person_of, home, options):
    script = sample(options, home, "naive_matmul")
    person = person_of(script)
    person.press("ctrl+End")
    person.look("before")
    time.sleep(3)  # what crashes while it is opened is not opened again by itself
    person.type("# what a crash must not take")
    person.look("typed")
    person.studio.process.send_signal(signal.SIGKILL)
    person.studio.process.wait()
    person.start()
    person.look("returned")
    person.press("ctrl+s")
    wait_for("the text on disk", lambda: "a crash must not take" in read(script))
    return person


def by_the_keyboard_alone(person_of, home, options):
    person = person_of(sample(options, home, "swizzled_transpose"))
    person.press("alt+shift+o")
    person.look("outline")
    person.press("Escape", "ctrl+shift+f")
    person.type("tile")
    person.look("search")
    person.press("Down", "Down", "Return")
    person.look("hit")
    person.press("F6", "F6")
    person.look("pane")
    person.press("alt+shift+a", "Down", "Down")
    person.look("passes")
    person.press("Escape", "F1")
    person.look("manual")
    return person


LARGE = """import hidet
from hidet import ops

x = hidet.symbol([64, 64])
y = x
for i in range(1000):
    y = ops.relu(y * 2.0 + x)
graph = hidet.trace_from(y, inputs=[x])
"""


def a_graph_of_3000_nodes(person_of, home, options):
    person = person_of(written(home, "large.py", LARGE))
    person.press("alt+g")
    person.look("beside")
    person.press("ctrl+Tab")
    person.look("graph")
    person.press("ctrl+f")
    person.type("relu")
    person.press("Return", "Return")
    person.look("found")
    person.press("alt+shift+o")
    person.look("tree")
    return person


JOURNEYS = [first_start, softmax_from_a_blank_script, a_naive_product_made_faster_by_fixes,
            six_slow_kernels_of_six_kinds, a_race_found_and_mended,
            the_pipeline_of_a_hopper_kernel, two_variants_compared, edited_cuda, a_model_to_a_package, everyday_tabs,
            kill_and_return, by_the_keyboard_alone, a_graph_of_3000_nodes]


def make(options, size, scale):
    width, height = map(int, size.split("x"))
    options.scale, failed = scale, 0
    options.folder = os.path.join(options.pictures, f"{size}-{scale}-{options.theme}")
    os.makedirs(options.folder, exist_ok=True)
    print(f"{size}, scale {scale}, {options.theme}: actions, seconds")
    for journey in JOURNEYS:
        if options.only not in journey.__name__:
            continue
        name = journey.__name__.replace("_", " ")
        with Screen(width, height) as screen, tempfile.TemporaryDirectory() as home:
            try:
                person = journey(lambda *files: Person(options, screen, home, journey.__name__, *files), home, options)
                seconds = time.monotonic() - person.begun
                person.leave()
                print(f"  {name:45} {person.actions:3} {seconds:6.1f}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"  {name:45} failed: {error}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="")
    parser.add_argument("--scale", default="1")
    parser.add_argument("--theme", default="light")
    parser.add_argument("--only", default="")
    parser.add_argument("--delay", type=int, default=25)
    parser.add_argument("--pictures", default=os.path.join(ROOT, "build", "journeys"))
    options = parser.parse_args()
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: this machine has no {tool}")
            return 0
    sizes = [(options.size, options.scale)] if options.size else SIZES
    return 1 if sum(make(options, *size) for size in sizes) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
