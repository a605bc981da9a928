# SPDX-License-Identifier: Apache-2.0
"""hidet-run and NumPy's files: what it reads and writes, and what it refuses by name."""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = os.path.abspath(sys.argv.pop())
PACKAGE = "hidet fake package\ntargets cpu\n"
NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "float64"]


def npy(descr="<i8", shape="()", data=struct.pack("<q", 3), order="False", version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    size = 10 if version == 1 else 12
    text = text.ljust(-(size + 1 + len(text)) % 64 + len(text)) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("x.hidet", PACKAGE.encode())

    def write(self, name, data):
        with open(os.path.join(self.folder.name, name), "wb") as file:
            file.write(data)

    def run_tool(self, *arguments):
        environment = {**os.environ, "LD_LIBRARY_PATH": os.path.join(PROGRAMS, "..", "fake_runtime")}
        return subprocess.run([os.path.join(PROGRAMS, "hidet-run"), "run", "x.hidet", "--trust", *arguments], text=True,
                              capture_output=True, cwd=self.folder.name, env=environment)

    def check_refused(self, data, why, exit_code=1, given="k"):
        self.write("a.npy", data)
        done = self.run_tool("--input", f"{given}=a.npy")
        self.assertEqual((done.returncode, done.stdout), (exit_code, ""))
        self.assertIn(why, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_file_of_any_version_is_read(self):
        for version in (1, 2, 3):
            self.write("x.npy", npy("<f4", "(1, 3)", struct.pack("<3f", 1, -2, 0.5), version=version))
            self.write("k.npy", npy())
            done = self.run_tool("--input", "x=x.npy", "--input", "k=k.npy")
            self.assertIn("float32[1, 3]  3 -6 1.5\n", done.stdout)

    def test_fortran_order_is_refused_by_name(self):
        self.check_refused(npy("<f4", "(1, 3)", bytes(12), order="True"), "is in Fortran order", given="x")

    def test_big_endian_order_is_refused_by_name(self):
        self.check_refused(npy(">i8"), "big-endian")

    def test_elements_that_no_model_takes_are_refused(self):
        self.check_refused(npy("<U4"), "has elements of type '<U4'")
        self.check_refused(npy("<V2"), "has elements of type '<V2'")

    def test_damaged_files_are_refused(self):
        whole = npy("<f4", "(4, 3)", bytes(48))
        for end in range(len(whole)):
            self.write("a.npy", whole[:end])
            done = self.run_tool("--input", "x=a.npy")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), f"{end}: {done.stderr}")
        self.check_refused(npy(shape="(-1,)"), "its header is damaged")
        self.check_refused(npy(shape="(99999999999,)"), "ends before its last element")
        self.check_refused(npy(shape="(4294967296, 4294967296)"), "ends before its last element")

    def test_a_folder_is_no_file(self):
        os.mkdir(os.path.join(self.folder.name, "d"))
        done = self.run_tool("--input", "k=d")
        self.assertEqual((done.returncode, done.stderr), (2, "hidet-run: cannot read 'd': it is a folder\n"))

    def test_numpy_reads_what_is_written(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        done = self.run_tool("--entry", "same", "--dim", "n=5", "--output", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        for i, name in enumerate(NAMES):
            array = numpy.load(os.path.join(self.folder.name, f"out/output_{i}.npy"))
            self.assertEqual((array.shape, array.dtype), ((5,), numpy.dtype("V2" if name == "bfloat16" else name)))


unittest.main()
