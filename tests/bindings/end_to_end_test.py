# SPDX-License-Identifier: Apache-2.0
"""From a model to answers, with nothing in anybody's place: a package that hidetc writes, run by the programs of the README, by
hidet-run and by the wheel, against the recorded result."""

import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD = os.path.abspath(sys.argv.pop())
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "tests", "models", "residual")
LIBRARY = os.path.join(BUILD, "runtime")
HEADERS = os.path.join(ROOT, "runtime", "capi")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def raw_data(path):
    """The elements of a tensor of ONNX: field 9 of its message."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            at += 1
            value |= (data[at - 1] & 127) << shift
            shift += 7
            if data[at - 1] < 128:
                return value

    while at < len(data):
        key = number()
        length = number()
        if key & 7 != 2:
            continue  # a number, which was read
        if key >> 3 == 9:
            return data[at : at + length]
        at += length
    raise ValueError(f"{path} has no raw data")


def floats(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def write_npy(path, shape, data):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.package = cls.path("residual.hidet")
        cls.export(cls.package)
        cls.input, cls.expected = (raw_data(os.path.join(MODEL, name)) for name in ("input_0.pb", "output_0.pb"))

    @staticmethod
    def export(package, *options):
        done = subprocess.run([os.path.join(BUILD, "bin", "hidetc"), "export", os.path.join(MODEL, "residual.onnx"), "--target",
                               "cpu", "-o", package, *options], capture_output=True, text=True)
        if done.returncode == 3:
            raise unittest.SkipTest(done.stderr)  # no compiler
        assert done.returncode == 0, done.stderr

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def run_tool(self, *arguments, exit_code=0):
        done = subprocess.run([os.path.join(BUILD, "bin", "hidet-run"), *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done.stdout + done.stderr

    def check_close(self, got, expected):
        self.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            self.assertAlmostEqual(one, other, delta=1e-4)

    def test_the_tool_gives_the_recorded_result(self):
        write_npy(self.path("x.npy"), (1, 3, 16, 16), self.input)
        self.run_tool("run", self.package, "--trust", "--input", f"x={self.path('x.npy')}", "--output", self.path("out"))
        with open(self.path("out/output_0.npy"), "rb") as file:
            self.check_close(floats(file.read()[-20:]), floats(self.expected))

    def test_the_wheel_gives_the_recorded_result(self):
        wheel = next(name for name in os.listdir(os.path.join(BUILD, "wheel")) if name.endswith(".whl"))
        with zipfile.ZipFile(os.path.join(BUILD, "wheel", wheel)) as archive:
            archive.extractall(self.path("site"))
        program = ("import ctypes, sys, hidet_runtime as hr\n"
                   "x = hr.Tensor((1, 3, 16, 16), 'float32', (1, 0))\n"
                   "data = sys.stdin.buffer.read()\n"
                   "ctypes.memmove(x._view.data, data, len(data))\n"
                   "model = hr.load(sys.argv[1], trust=True)\n"
                   "assert model.inputs == [('x', 'float32', (1, 3, 16, 16))], model.inputs\n"
                   "sys.stdout.buffer.write(model(x).tobytes())\n")
        done = subprocess.run([sys.executable, "-B", "-c", program, self.package], input=self.input, capture_output=True,
                              env={**os.environ, "PYTHONPATH": self.path("site")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_close(floats(done.stdout), floats(self.expected))

    def run_program(self, language, compiler):
        with open(os.path.join(HEADERS, "README.md"), encoding="utf-8") as file:
            source = re.search(rf"^```{language}\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL).group(1)
        with open(self.path(f"program.{language}"), "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run([*compiler, *WARNINGS, "-I", HEADERS, self.path(f"program.{language}"), "-L", LIBRARY, "-lhidet_runtime",
                        f"-Wl,-rpath,{LIBRARY}", "-o", self.path("program")], check=True)
        done = subprocess.run([self.path("program"), self.package], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        write_npy(self.path("ramp.npy"), (1, 3, 16, 16), struct.pack("<768f", *(i / 768 for i in range(768))))
        self.run_tool("run", self.package, "--trust", "--input", f"x={self.path('ramp.npy')}", "--output", self.path("ramp"))
        with open(self.path("ramp/output_0.npy"), "rb") as file:
            self.check_close([float(line) for line in done.stdout.splitlines()], floats(file.read()[-20:]))

    def test_the_program_in_c_of_the_readme_runs(self):
        self.run_program("c", ["cc", "-std=c11"])

    def test_the_program_in_cpp_of_the_readme_runs(self):
        self.run_program("cpp", ["c++", "-std=c++20"])

    def test_a_signature_of_hidetc_is_one_for_the_tool(self):
        signed = self.path("signed.hidet")
        public = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"  # of the seed below
        for name, digits in (("seed", "00" * 32), ("key", public), ("other", public[:-2] + "00")):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(digits + "\n")
        self.export(signed, "--sign", self.path("seed"))
        said = self.run_tool("verify", signed, "--key", self.path("key"))
        self.assertEqual(said, f"{signed}: every checksum holds; signed with the key of {self.path('key')}\n")
        self.run_tool("run", signed, "--trust", "--key", self.path("other"), exit_code=1)
        self.run_tool("verify", self.package, "--key", self.path("key"), exit_code=1)

    def test_every_damaged_byte_that_is_looked_for_is_found(self):
        with open(self.package, "rb") as file:
            data = bytearray(file.read())
        for at in range(0, len(data), len(data) // 40):
            damaged = bytearray(data)
            damaged[at] ^= 0x55
            with open(self.path("damaged.hidet"), "wb") as file:
                file.write(damaged)
            done = subprocess.run([os.path.join(BUILD, "bin", "hidet-run"), "verify", self.path("damaged.hidet")], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), f"byte {at}: {done.stderr}")
            if done.returncode == 0:  # a byte between members
                self.assertEqual(data[at], 0, f"byte {at} was damaged, and verify is content")


unittest.main()
