# SPDX-License-Identifier: Apache-2.0
"""hidet.distributed between processes of this machine: the same programs in CPython and through `hidetc run`."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "..", "..", "README.md")
HIDETC = [os.environ["HIDETC"], "run", "--trust"]
PYTHON = [sys.executable]
BIN = os.path.dirname(os.environ["HIDETC"])
CACHE = tempfile.TemporaryDirectory()
FAKES = {"HIDET_LIBCUDA": f"{BIN}/libfake_cuda.so", "HIDET_FAKE_CUDA": "devices=4", "HIDET_NVRTC": f"{BIN}/libfake_nvrtc.so", "FAKE_NVRTC": "module",
         "HIDET_LIBNVML": "/nowhere", "HIDET_NCCL": f"{BIN}/libfake_nccl.so", "XDG_CACHE_HOME": CACHE.name}

EVERYTHING = """
import hidet
import hidet.distributed as dist

dist.init_process_group()
assert dist.get_backend() == 'BACKEND', dist.get_backend()
rank, size = dist.get_rank(), dist.get_world_size()
everyone = range(size)
for n in (1, 7, 70000):
    for dtype in ('float32', 'float16', 'int64', 'bool'):
        one = lambda value: hidet.full([n], value, dtype=dtype, device='DEVICE')
        said = lambda tensor: int(tensor[0].item()) if (tensor == tensor[0]).all().item() else tensor.tolist()
        kept = (lambda value: min(value, 1)) if dtype == 'bool' else (lambda value: value)
        x = one(rank + 1)
        dist.all_reduce(x, 'max')
        assert said(x) == kept(size), ('all_reduce', dtype, x)
        x = one(rank + 1)
        dist.reduce(x, size - 1, 'max' if dtype == 'bool' else 'sum')
        assert said(x) == kept(size * (size + 1) // 2 if rank == size - 1 else rank + 1), ('reduce', dtype, x)
        dist.broadcast(x, size - 1)
        assert said(x) == kept(size * (size + 1) // 2), ('broadcast', dtype, x)
        parts, got = [one(rank * size + each) for each in everyone], [one(0) for _ in everyone]
        dist.all_gather(got, one(rank))
        assert [said(each) for each in got] == [kept(each) for each in everyone], ('all_gather', dtype)
        dist.all_to_all(got, parts)
        assert [said(each) for each in got] == [kept(each * size + rank) for each in everyone], ('all_to_all', dtype)
        dist.gather(one(rank + 5), got if rank == 0 else None)
        assert rank != 0 or [said(each) for each in got] == [kept(each + 5) for each in everyone], ('gather', dtype)
        dist.scatter(x, parts if rank == 1 else None, src=1)
        assert said(x) == kept(size + rank), ('scatter', dtype, x)
        dist.reduce_scatter(x, parts, 'min')
        assert said(x) == kept(rank), ('reduce_scatter', dtype, x)
        whole = hidet.empty([size, n], dtype=dtype, device='DEVICE')
        dist.all_gather_into_tensor(whole, one(rank))
        assert [said(whole[each]) for each in everyone] == [kept(each) for each in everyone], ('into_tensor', dtype)
        dist.reduce_scatter_tensor(x, whole, 'max')
        assert said(x) == kept(rank), ('reduce_scatter_tensor', dtype, x)
        # Tensors of a list that lie one behind the other, as they do in one process by chance.
        got = [whole[each] for each in everyone] if rank == 0 else [one(0) for _ in everyone]
        dist.all_gather(got, one(rank))
        assert [said(each) for each in got] == [kept(each) for each in everyone], ('all_gather in one tensor', dtype)
        dist.reduce_scatter(x, got, 'max')
        assert said(x) == kept(rank), ('reduce_scatter from one tensor', dtype, x)
        if rank == 0:
            dist.send(one(9), 1)
        elif rank == 1:
            dist.recv(x, 0)
            assert said(x) == kept(9), ('recv', dtype, x)
halves = [dist.new_group([each for each in everyone if each % 2 == half]) for half in (0, 1)]
mine, other = halves[rank % 2], halves[1 - rank % 2]
assert dist.get_rank(mine) == rank // 2 and dist.get_rank(other) == -1 and dist.get_world_size(other) == -1
x = hidet.full([3], rank, device='cuda')
dist.all_reduce(x, group=mine)
assert x.tolist() == [sum(each for each in everyone if each % 2 == rank % 2)] * 3, x
dist.broadcast(x, size - 2 + rank % 2, group=mine)
if rank > 0:
    alone = dist.new_group(list(range(1, size)), use_local_synchronization=True)
    x = hidet.full([3], float(rank), device='DEVICE')
    for op, kept in ((dist.ReduceOp.MAX, max), (dist.ReduceOp.MIN, min), (dist.ReduceOp.SUM, sum)):
        y = x + 0
        work = dist.all_reduce(y, op, group=alone, async_op=True)
        assert work.wait() and y.tolist() == [float(kept(range(1, size)))] * 3, (op, y)
    assert dist.broadcast(x, 1, alone, async_op=False) is None and x.tolist() == [1.0] * 3, x
try:
    dist.all_reduce(x, group=other)
    assert False
except ValueError as error:
    assert 'not in this group' in str(error)
dist.destroy_process_group()
dist.init_process_group('gloo')
dist.barrier()
print('rank', rank, 'of', size, 'is done')
"""

# Between collectives along the first dimension nothing is computed, so that a driver that computes nothing will do.
GRAPH = """
import hidet
import hidet.distributed as dist
from hidet.distributed import functional

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
x = hidet.symbol([2 * size, 3], device='DEVICE')
reduced = functional.all_reduce(x)
gathered = functional.all_gather(reduced)
scattered = functional.reduce_scatter(gathered, 'max')
turned = functional.all_to_all(x)
told = functional.broadcast(x, size - 1)
functional.all_reduce(turned, 'prod')  # no result of the graph needs it
graph = hidet.trace_from([told, turned, scattered, gathered, reduced], [x])
compiled = hidet.graph.optimize(graph).build()
part = hidet.full([2, 3], 0.0)
given = hidet.ops.concat([hidet.full([2, 3], 10.0 * rank + each) for each in range(size)], axis=0).to(device='DEVICE')
for _ in range(2):
    told, turned, scattered, gathered, reduced = (each.cpu().tolist() for each in compiled(given))
    rows = lambda of: [[float(of(each))] * 3 for each in range(size) for _ in range(2)]
    total = lambda each: sum(10 * process + each for process in range(size))
    assert reduced == rows(total), reduced
    assert gathered == rows(total) * size, gathered
    assert scattered == rows(total), scattered
    assert turned == rows(lambda each: 10 * each + rank), turned
    assert told == rows(lambda each: 10 * (size - 1) + each), told
same = functional.all_reduce(given)
assert same.cpu().tolist() == reduced, same
print('rank', rank, 'of', size, 'is done')
"""

# One launch with the collectives in it. A rank records it for other places than before when it likes: the others need not.
REPLAYED = """
import hidet
import hidet.distributed as dist
from hidet.distributed import functional

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
x = hidet.symbol([2, 3], device='cuda')
gathered = functional.all_gather(functional.all_reduce(functional.all_reduce(x)))
graph = hidet.graph.optimize(hidet.trace_from([gathered, hidet.ops.relu(x)], [x])).build().cuda_graph()
given = lambda turn: hidet.full([2, 3], float(rank + turn), device='cuda')
results = [hidet.zeros(shape, device='cuda') for shape in ([2 * size, 3], [2, 3])]
graph.run()
for turn in range(4):
    if rank == 0 or turn > 2:
        assert graph.run_into(8, given(turn), *results) > 0
        gathered, _ = results
    else:
        gathered, _ = graph.run(given(turn))
    total = float(sum(range(size)) + size * turn) * size
    assert gathered.cpu().tolist() == [[total] * 3] * 2 * size, gathered
print('rank', rank, 'of', size, 'is done')
"""

# Along other dimensions, in a group of some, between operators.
BETWEEN = """
import hidet
import hidet.distributed as dist
from hidet.distributed import functional

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
group = dist.new_group([0, 1])
if rank < 2:
    x = hidet.symbol(['n', 4])
    y = hidet.ops.relu(x) + 1
    wide = functional.all_gather(y * 2, axis=1, group=group)
    narrow = functional.reduce_scatter(wide + 1, axis=1, group=group)
    compiled = hidet.graph.optimize(hidet.trace_from([wide, narrow], [x])).build()
    for rows in (1, 5):
        wide, narrow = compiled(hidet.full([rows, 4], float(rank)))
        assert wide.tolist() == [[2.0] * 4 + [4.0] * 4] * rows, wide
        assert narrow.tolist() == [[2 * (2.0 * rank + 3)] * 4] * rows, narrow
print('rank', rank, 'of', size, 'is done')
"""


# A kernel that waits for a signal of another rank, which the fake driver's does for ever where it is told so.
LISTENS = """
import os
import signal
import hidet
import hidet.distributed as dist
from hidet.lang import attrs, i32
from hidet.lang.distributed import wait_signal

dist.init_process_group()
flag = dist.symmetric_zeros([1], dtype='int32')
with hidet.script_module() as script_module:
    @hidet.script
    def listen(flag: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 1
        wait_signal(~flag[0], 1)
listen = script_module.build()
dist.barrier()
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Program:
    """A text as `size` processes, as torchrun starts them."""

    def __init__(self, size, text, program=PYTHON, **variables):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.port = free_port()
        named = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self.port), **variables}
        self.ranks = []
        for rank in range(size):
            environment = {**os.environ, **named, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            self.ranks.append(subprocess.Popen([*program, path], env=environment, cwd=self.folder.name, text=True,
                                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def __enter__(self):
        return self

    def __exit__(self, *why):
        for rank in self.ranks:
            rank.kill()
            rank.wait()
            for stream in (rank.stdin, rank.stdout, rank.stderr):
                stream.close()
        self.folder.cleanup()

    def said(self, seconds=60):
        """(exit, output, messages) of each rank."""
        end = time.monotonic() + seconds
        both = [rank.communicate(timeout=max(0.1, end - time.monotonic())) for rank in self.ranks]
        return [(rank.returncode, *texts) for rank, texts in zip(self.ranks, both)]

    def wait_for(self, rank, line):
        said = self.ranks[rank].stdout.readline()
        if said != line + "\n":
            raise AssertionError(f"rank {rank} says {said!r}: {self.ranks[rank].stderr.read()}")

    def wait_for_store(self):
        """Rank 0 serves it, in init_process_group()."""
        while self.ranks[0].poll() is None:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)


def last_line(text):
    return text.strip().split("\n")[-1]


class Host(unittest.TestCase):
    device, backend, variables, suffix = "cpu", "shm", {}, ""

    def program(self, size, text, program=PYTHON):
        return Program(size, text.replace("DEVICE", self.device).replace("BACKEND", self.backend), program, **self.variables)

    def all_done(self, size, text, program=PYTHON):
        with self.program(size, text, program) as running:
            said = running.said()
        for rank, (code, output, messages) in enumerate(said):
            self.assertEqual((code, output), (0, f"rank {rank} of {size} is done\n"), messages)

    def test_a_program_runs_in_two_processes_and_in_four(self):
        for size in (2, 4):
            self.all_done(size, EVERYTHING)

    def test_a_script_runs_in_two_processes(self):
        self.all_done(2, EVERYTHING, HIDETC)

    def test_a_graph_has_collectives(self):
        self.all_done(2, GRAPH)
        self.all_done(3, GRAPH, HIDETC)

    def test_graphs_that_exchange_differently_end_with_one_message(self):
        text = """
import hidet
import hidet.distributed as dist
dist.init_process_group()
x = hidet.symbol([2, 3], device='DEVICE')
y = dist.functional.all_reduce(x, 'max' if dist.get_rank() == 1 else 'sum')
hidet.trace_from(y, x).build()(hidet.zeros([2, 3], device='DEVICE'))
"""
        wanted = (f"the processes of the group do not call the same: rank 0 calls all_reduce of f32[2, 3] by sum{self.suffix}, "
                  f"rank 1 calls all_reduce of f32[2, 3] by max{self.suffix}")
        with self.program(2, text) as running:
            for code, _, messages in running.said():
                self.assertEqual((code, last_line(messages)), (1, "RuntimeError: " + wanted))

    def test_ranks_that_call_different_operations_all_get_one_message(self):
        text = """
import hidet
import hidet.distributed as dist
dist.init_process_group()
x = hidet.zeros([2], device='DEVICE')
if dist.get_rank() == 1:
    dist.broadcast(x, 0)
else:
    dist.all_reduce(x)
"""
        gpu = self.suffix
        wanted = (f"the processes of the group do not call the same: rank 0 calls all_reduce of f32[2] by sum{gpu}, rank 1 calls broadcast of f32[2] "
                  f"from rank 0{gpu}, rank 2 calls all_reduce of f32[2] by sum{gpu}")
        with self.program(3, text) as running:
            for code, _, messages in running.said():
                self.assertEqual((code, last_line(messages)), (1, "RuntimeError: " + wanted))
        with self.program(2, text, HIDETC) as running:
            first = [re.search(r"error: (.*) \[group-failed\]", messages).group(1) for _, _, messages in running.said()]
            self.assertEqual(first, [wanted.split(", rank 2")[0]] * 2)

    def test_a_rank_that_is_killed_at_an_operation_is_named_by_the_others(self):
        text = """
import os
import signal
import hidet
import hidet.distributed as dist
dist.init_process_group()
x = hidet.zeros([1000], device='DEVICE')
for i in range(100):
    if i == 50 and dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(x)
"""
        begin = time.monotonic()
        with self.program(4, text) as running:
            said = running.said()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(said[1][0], -signal.SIGKILL)
        for rank in (0, 2, 3):
            self.assertRegex(last_line(said[rank][2]), r"^RuntimeError: rank 1 \(process \d+\) has ended: rank \d waits for it in "
                                                       rf"all_reduce of f32\[1000\] by sum{self.suffix}$")

    def test_a_rank_of_a_mesh_that_is_killed_is_named_by_all_others(self):
        text = """
import os
import signal
import hidet
import hidet.distributed as dist
dist.init_process_group()
rank = dist.get_rank()
rows = [dist.new_group(ranks) for ranks in ([0, 1], [2, 3])]
columns = [dist.new_group(ranks) for ranks in ([0, 2], [1, 3])]
x = hidet.zeros([1000], device='DEVICE')
for i in range(100):
    for kind, group in (('row', rows[rank // 2]), ('column', columns[rank % 2])):
        if i == 50 and rank == KILLED and kind == 'KIND':
            os.kill(os.getpid(), signal.SIGKILL)
        dist.all_reduce(x, group=group)
"""
        for killed, kind in ((3, "row"), (3, "column"), (0, "row"), (1, "column")):
            begin = time.monotonic()
            with self.program(4, text.replace("KILLED", str(killed)).replace("KIND", kind)) as running:
                said = running.said()
            self.assertLess(time.monotonic() - begin, 15)
            self.assertEqual(said[killed][0], -signal.SIGKILL)
            for rank in set(range(4)) - {killed}:
                self.assertRegex(last_line(said[rank][2]), rf"^RuntimeError: rank {killed} \(process \d+\) has ended: rank \d waits for it in "
                                                           rf"all_reduce of f32\[1000\] by sum{self.suffix}$")


class Gpu(Host):
    """By NCCL, over libraries of `fake/` in its place and in the driver's."""

    device, backend, variables, suffix = "cuda", "nccl", FAKES, " on the GPU"

    def test_collectives_are_part_of_a_cuda_graph(self):
        self.all_done(2, REPLAYED)

    def test_an_operation_that_nccl_refuses_ends_all_ranks(self):
        text = """
import hidet
import hidet.distributed as dist
dist.init_process_group('nccl')
x = hidet.zeros([2], device='cuda')
for _ in range(3):
    dist.all_reduce(x)
"""
        with Program(2, text, **FAKES, HIDET_FAKE_NCCL="broken=3") as running:
            for code, _, messages in running.said():
                self.assertRegex(last_line(messages), r"^RuntimeError: rank \d: all_reduce of f32\[2\] by sum failed in NCCL 2\.28\.9: unhandled cuda error$")

    def test_a_rank_that_is_killed_while_nccl_works_is_named_by_the_others(self):
        text = """
import hidet
import hidet.distributed as dist
import os
os.environ.update({'HIDET_FAKE_NCCL': 'kill=3'} if os.environ['RANK'] == '1' else {})
dist.init_process_group('nccl')
x = hidet.zeros([2], device='cuda')
for _ in range(5):
    dist.all_reduce(x)
"""
        begin = time.monotonic()
        with Program(3, text, **FAKES) as running:
            said = running.said()
        self.assertLess(time.monotonic() - begin, 10)
        for rank in (0, 2):
            self.assertRegex(last_line(said[rank][2]), r"^RuntimeError: rank 1 \(process \d+\) has ended: rank \d waits for it in all_reduce of f32\[2\] by sum on the GPU$")


    def test_a_wait_for_an_operation_ends_where_a_rank_is_killed_in_it(self):
        text = """
import hidet
import hidet.distributed as dist
import os
os.environ.update({'HIDET_FAKE_NCCL': 'kill=2'} if os.environ['RANK'] == '1' else {})
dist.init_process_group('nccl')
x = hidet.zeros([2], device='cuda')
dist.all_reduce(x)
dist.all_reduce(x)
print(x.tolist())
"""
        begin = time.monotonic()
        with Program(3, text, **FAKES) as running:
            said = running.said()
        self.assertLess(time.monotonic() - begin, 10)
        for rank in (0, 2):
            self.assertRegex(last_line(said[rank][2]), r"rank 1 \(process \d+\) has ended: rank \d waits for it in all_reduce of f32\[2\] by sum on the GPU$")

    def symmetric(self, text, program, **more):
        with Program(2, "import hidet.distributed as dist\ndist.init_process_group()\n" + text, program, **{**FAKES, **more}) as running:
            return running.said()

    def test_ranks_have_memory_alike_that_is_of_zeros(self):
        text = """
x, y = dist.symmetric_zeros([3, 5]), dist.symmetric_zeros([2], dtype='int64')
assert x.shape == [3, 5] and x.cpu().tolist() == [[0.0] * 5] * 3 and y.tolist() == [0, 0], (x, y)
y[1] = 1
dist.all_reduce(y)
print(y.tolist())
"""
        for program in (PYTHON, HIDETC):
            said = self.symmetric(text.replace("x.shape ==", "list(x.shape) =="), program)
            self.assertEqual([output for _, output, _ in said], ["[0, 2]\n"] * 2, said)

    def test_memory_that_cannot_be_alike_is_an_error_of_all_ranks(self):
        reach = r"rank 0's GPU 0000:00:0F\.0 does not reach the memory of rank 1's GPU 0000:00:10\.0: neither NVLink nor PCI Express gives it access"
        sizes = r"the processes of the group do not call the same: rank 0 calls symmetric_zeros of 16 bytes, rank 1 calls symmetric_zeros of 20 bytes"
        room = r"symmetric memory has no room for 4\.5 MiB: each GPU has 4 MiB of it, or what HIDET_SYMMETRIC_BYTES says"
        for text, wanted, more in (("dist.symmetric_zeros([4])", reach, {"HIDET_FAKE_CUDA": "devices=2;peers=0"}),
                                   ("dist.symmetric_zeros([4 + dist.get_rank()])", sizes, {}),
                                   ("dist.symmetric_zeros([9 << 17])", room, {"HIDET_SYMMETRIC_BYTES": str(3 << 20)})):
            for program in (PYTHON, HIDETC):
                for code, _, messages in self.symmetric(text + "\n", program, **more):
                    self.assertEqual(code, 1, messages)
                    self.assertRegex(messages, wanted)

    def test_a_rank_that_is_killed_while_a_kernel_waits_for_it_is_named(self):
        text = LISTENS + """
if dist.get_rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
listen(flag)
print(flag.tolist())
"""
        begin = time.monotonic()
        with Program(2, text, **{**FAKES, "HIDET_FAKE_CUDA": "devices=2;hang=listen"}) as running:
            said = running.said()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertRegex(last_line(said[0][2]), r"RuntimeError: .*rank 1 \(process \d+\) has ended, and a kernel of rank 0 does not end: it may wait for that")

    def test_a_script_whose_kernel_waits_for_a_rank_that_has_ended_is_told_so(self):
        text = LISTENS.replace("import os\nimport signal\n", "") + """
if dist.get_rank() == 0:
    listen(flag)
"""
        begin = time.monotonic()
        with Program(2, text, HIDETC, **{**FAKES, "HIDET_FAKE_CUDA": "devices=2;hang=listen"}) as running:
            said = running.said()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual([code for code, _, _ in said], [124, 0], said)
        self.assertRegex(said[0][2], r"rank 1 .*has (ended|left the group), and a kernel of rank 0 does not end: it may wait for that \[kernel-fault\]")


class Programs(unittest.TestCase):
    def test_a_graph_has_collectives_between_operators_in_a_group_of_some(self):
        for program in (PYTHON, HIDETC):
            with Program(3, BETWEEN, program) as running:
                said = running.said()
            self.assertEqual([output for _, output, _ in said], [f"rank {rank} of 3 is done\n" for rank in range(3)], said)

    def test_the_example_of_the_readme_runs(self):
        with open(README, encoding="utf-8") as file:
            text = next(each for each in re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL) if "distributed" in each)
        for program in (PYTHON, HIDETC):
            with Program(2, text, program) as running:
                self.assertEqual([output for _, output, _ in running.said()], ["rank 0: [3.0, 3.0]\n", "rank 1: [3.0, 3.0]\n"])

    def test_a_script_that_is_confined_is_alone_without_nccl_or_told_so(self):
        for arguments, variables, wanted in (("", {"WORLD_SIZE": "2"}, 1), ("'nccl'", FAKES, 1), ("", FAKES, 0)):
            text = f"import hidet.distributed as dist\ndist.init_process_group({arguments})\nprint(dist.get_backend())\n"
            with Program(1, text, [*HIDETC[:2], "--target", "cuda"] if variables is FAKES else HIDETC[:2], **variables) as running:
                code, output, messages = running.said()[0]
            self.assertEqual((code, output), (wanted, "" if wanted else "shm\n"), messages)
            self.assertEqual("'--trust' runs it without confinement" in messages, bool(wanted), messages)

    def test_processes_without_gpus_are_told_how_kernels_reach_each_other(self):
        text = "import hidet.distributed as dist\ndist.init_process_group()\ndist.symmetric_zeros([4])\n"
        for program in (PYTHON, HIDETC):
            with Program(2, text, program, HIDET_LIBCUDA="/nowhere") as running:
                for code, _, messages in running.said():
                    self.assertEqual(code, 1)
                    self.assertIn("emulated kernels do not reach the memory of other processes: 'hidetc emulate --ranks N' runs all ranks in one process", messages)

    def test_a_wait_for_others_ends_at_ctrl_c(self):
        for program, wanted in ((PYTHON, "KeyboardInterrupt"), (HIDETC, "stopped by Ctrl-C")):
            with Program(1, "import hidet.distributed as dist\ndist.init_process_group()\n", program, WORLD_SIZE="2") as running:
                running.wait_for_store()
                running.ranks[0].send_signal(signal.SIGINT)
                code, _, messages = running.said(seconds=10)[0]
                self.assertNotEqual(code, 0)
                self.assertIn(wanted, messages)

    def test_the_others_are_told_of_a_rank_that_is_interrupted(self):
        text = """
import hidet.distributed as dist
dist.init_process_group()
if dist.get_rank() == 0:
    print('waiting', flush=True)
    dist.barrier()
else:
    input()
    dist.barrier()
"""
        with Program(2, text) as running:
            running.wait_for(0, "waiting")
            time.sleep(0.3)
            running.ranks[0].send_signal(signal.SIGINT)
            self.assertIn("KeyboardInterrupt", running.ranks[0].communicate(timeout=10)[1])
            self.assertEqual(last_line(running.ranks[1].communicate("\n", timeout=10)[1]), "RuntimeError: rank 0 was interrupted in barrier")

    def test_processes_find_each_other_by_a_file_which_is_gone_behind_them(self):
        text = """
import datetime
import os
import sys
import hidet
import hidet.distributed as dist
rank = int(os.environ.pop('RANK'))
del os.environ['WORLD_SIZE']
store = dist.FileStore('store', 2)
store.set_timeout(datetime.timedelta(seconds=20))
store.set(f'from {rank}', 'here')
store.wait([f'from {1 - rank}'])
assert store.get(f'from {1 - rank}') == 'here' and store.add('count', 1) in (1, 2)
dist.init_process_group(store=store, world_size=2, rank=rank, timeout=datetime.timedelta(minutes=1))
x = hidet.ones([2])
dist.all_reduce(x)
assert x.tolist() == [2.0, 2.0]
dist.destroy_process_group()
dist.init_process_group(init_method='file://' + os.path.abspath('other'), world_size=2, rank=rank)
dist.barrier()
print('rank', rank, 'of 2 is done')
"""
        with Program(2, text) as running:
            said = running.said()
            self.assertEqual([output for _, output, _ in said], [f"rank {rank} of 2 is done\n" for rank in (0, 1)], said)
            self.assertEqual(os.listdir(running.folder.name), ["program.py"])

    def test_the_port_of_torchrun_is_left_alone(self):
        """It serves a store of its own there, and says so."""
        text = "import hidet.distributed as dist\ndist.init_process_group()\ndist.barrier()\nprint('rank', dist.get_rank(), 'is done')\n"
        with socket.socket() as torchrun, tempfile.TemporaryDirectory() as folder:
            torchrun.bind(("127.0.0.1", 0))
            torchrun.listen()
            with Program(2, text, MASTER_PORT=str(torchrun.getsockname()[1]), TORCHELASTIC_USE_AGENT_STORE="True", TMPDIR=folder) as running:
                said = running.said()
            self.assertEqual([output for _, output, _ in said], ["rank 0 is done\n", "rank 1 is done\n"], said)
            self.assertEqual(os.listdir(folder), [])

    def test_memory_of_numpy_is_exchanged_in_place(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("NumPy is not installed")
        with Program(2, """
import numpy
import hidet.distributed as dist
dist.init_process_group()
x = numpy.full([5], dist.get_rank() + 1.0, 'float64')
dist.all_reduce(x)
assert (x == 3).all(), x
print('rank', dist.get_rank(), 'is done')
""") as running:
            said = running.said()
        self.assertEqual([output for _, output, _ in said], ["rank 0 is done\n", "rank 1 is done\n"], said)


if __name__ == "__main__":
    unittest.main()
