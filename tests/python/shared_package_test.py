# SPDX-License-Identifier: Apache-2.0
"""hidet.load_compiled_graph() of a package that several processes share: each runs its part, and all get what one gets."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from distributed_test import FAKES, HIDETC, free_port  # noqa: E402
from tensor_parallel_test import HIDET_RUN, two_products  # noqa: E402

LOADED = """
import hidet
import hidet.distributed as dist

dist.init_process_group()
x = hidet.randn([64, 512])
dist.broadcast(x, 0)
shared = hidet.load_compiled_graph(SHARED, trust=True)
alone = hidet.load_compiled_graph(ALONE, trust=True)
for _ in range(3):
    difference = max(hidet.ops.abs(shared(x) - alone(x)).reshape([-1]).tolist())
    assert difference < 1e-4, difference
print('rank', dist.get_rank(), 'is done')
"""


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.model = os.path.join(cls.folder.name, "products.onnx")
        with open(cls.model, "wb") as file:
            file.write(two_products())
        cls.packages = {count: cls.package("--tensor-parallel", str(count)) for count in (1, 2, 4)}

    @classmethod
    def package(cls, *words, target="cpu", **variables):
        path = os.path.join(cls.folder.name, f"{target}-{words[1]}.hidet")
        done = subprocess.run([HIDETC[0], "model", "compile", cls.model, "--target", target, "-o", path, *words],
                              env={**os.environ, **variables}, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return path

    def program(self, text, shared, suffix=""):
        path = os.path.join(self.folder.name, f"program{suffix}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("SHARED", repr(shared)).replace("ALONE", repr(self.packages[1])))
        return path

    def start(self, text, count, shared, command=(sys.executable,), **variables):
        path = self.program(text, shared)
        named = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), **variables}
        return [subprocess.Popen([*command, path], env={**os.environ, **named, "RANK": str(rank), "LOCAL_RANK": str(rank)}, text=True,
                                 cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(count)]

    def run_ranks(self, text, count, shared, **variables):
        ranks = self.start(text, count, shared, **variables)
        try:
            said = [rank.communicate(timeout=60) for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
        return [rank.returncode for rank in ranks], said


class SharedPackage(Packages):
    def test_all_processes_get_what_one_gets(self):
        for count in (2, 4):
            codes, said = self.run_ranks(LOADED, count, self.packages[count])
            self.assertEqual(codes, [0] * count, said)
            self.assertEqual([out for out, _ in said], [f"rank {rank} is done\n" for rank in range(count)])

    def test_a_mesh_exchanges_in_rows_and_columns(self):
        path = self.package("--mesh", "data=2,tensor=2")
        codes, said = self.run_ranks(LOADED, 4, path)
        self.assertEqual(codes, [0] * 4, said)
        codes, said = self.run_ranks(LOADED.replace("alone(x)", "alone(x) + 1"), 4, path)
        self.assertNotIn(0, codes, said)

    def test_a_script_loads_one_too(self):
        here = LOADED.replace("SHARED", "'cpu-2.hidet'").replace("ALONE", "'cpu-1.hidet'")
        codes, said = self.run_ranks(here, 2, "", command=HIDETC)
        self.assertEqual(codes, [0, 0], said)

    def refused(self, text, count, shared):
        codes, said = self.run_ranks(text, count, shared)
        self.assertNotIn(0, codes)
        return [err.strip().splitlines()[-1] for _, err in said]

    def test_a_process_in_no_group_is_told_so(self):
        text = LOADED.replace("dist.init_process_group()\n", "").replace("dist.broadcast(x, 0)\n", "")
        self.assertRegex(self.refused(text, 1, self.packages[2])[0],
                         r"is of 2 processes, and this one is in no group: call hidet\.distributed\.init_process_group\(\) in each")

    def test_another_number_of_processes_is_refused_by_all(self):
        for each in self.refused(LOADED, 3, self.packages[2]):
            self.assertRegex(each, "the package is of 2 processes, and this is one of 3")

    def test_processes_with_other_packages_are_told_so(self):
        other = os.path.join(self.folder.name, "other.hidet")
        done = subprocess.run([HIDETC[0], "model", "compile", self.model, "--target", "cpu", "--tensor-parallel", "2", "--no-fusion", "-o", other],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = LOADED.replace("SHARED", f"[SHARED, {other!r}][dist.get_rank()]")
        said = self.refused(text, 2, self.packages[2])
        self.assertRegex(said[0], "rank 1 has loaded another package than this one")
        self.assertRegex(said[1], "rank 0 has loaded another package than this one")

    def test_what_one_process_cannot_load_is_known_to_the_others(self):
        said = self.refused(LOADED.replace("SHARED, trust=True", "SHARED, trust=dist.get_rank() == 0"), 2, self.packages[2])
        self.assertRegex(said[0], "rank 1 could not load its part of the package, and says why")
        self.assertRegex(said[1], "trust=True")

    def test_a_process_that_is_killed_ends_the_others_with_its_name(self):
        text = LOADED.replace("for _ in range(3):", "print('runs', flush=True)\nfor _ in range(10000000):")
        mesh = self.package("--mesh", "data=2,tensor=2")
        for package, count, killed in ((self.packages[2], 2, 1), (self.packages[4], 4, 0), (mesh, 4, 0), (mesh, 4, 3)):
            ranks = self.start(text, count, package)
            try:
                for rank in ranks:
                    self.assertEqual(rank.stdout.readline(), "runs\n")
                time.sleep(0.5)  # until they exchange, which nothing outside shows
                begin = time.monotonic()
                ranks[killed].send_signal(signal.SIGKILL)
                said = [rank.communicate(timeout=60)[1] for rank in ranks]
                self.assertLess(time.monotonic() - begin, 10)
            finally:
                for rank in ranks:
                    rank.kill()
            for rank, err in enumerate(said):
                if rank != killed:
                    self.assertRegex(err, rf"rank {killed} \(process {ranks[killed].pid}\) has ended")


class SharedPackageOnGpus(Packages):
    """A driver that computes nothing: what is seen is who exchanges."""

    def on_gpus(self, *shared):
        return self.package(*shared, "--place", "a=split along 1", "--place", "y=partial sums", target="cuda", **FAKES)

    def test_nccl_exchanges_what_lies_on_gpus(self):
        path = self.on_gpus("--tensor-parallel", "2")
        text = LOADED.replace("    assert difference < 1e-4, difference\n", "").replace("alone = hidet.load_compiled_graph(ALONE, trust=True)", "alone = shared").replace(
            "dist.init_process_group()", "dist.init_process_group('nccl')").replace("hidet.randn([64, 512])", "hidet.full([64, 512], 1.0, device='cuda')")
        codes, said = self.run_ranks(text, 2, path, **FAKES)
        self.assertEqual(codes, [0, 0], said)
        codes, said = self.run_ranks(text, 4, self.on_gpus("--mesh", "data=2,tensor=2"), **FAKES)
        self.assertEqual(codes, [0] * 4, said)
        codes, said = self.run_ranks(text, 2, path, **FAKES, HIDET_FAKE_NCCL="broken=2")  # the first one is broadcast()
        self.assertNotIn(0, codes)
        self.assertRegex(said[0][1], "all_reduce.*NCCL|NCCL.*all_reduce")

    def test_hidet_run_exchanges_by_nccl_where_there_is_one(self):
        def run(path, **variables):
            return subprocess.run([HIDET_RUN, "run", path, "--device", "cuda"], env={**os.environ, **FAKES, **variables}, capture_output=True, text=True,
                                  timeout=60, check=False)

        for shared in (("--tensor-parallel", "2"), ("--mesh", "data=2,tensor=2")):
            path = self.on_gpus(*shared)
            for variables in ({}, {"HIDET_NCCL": "/nowhere"}):
                done = run(path, **variables)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = run(path, HIDET_FAKE_NCCL="broken=1")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "all_reduce of f32.* failed in NCCL")
            self.assertEqual(run(path, HIDET_FAKE_NCCL="broken=1", HIDET_NCCL="/nowhere").returncode, 0)


if __name__ == "__main__":
    unittest.main()
