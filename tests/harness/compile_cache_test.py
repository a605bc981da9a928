# SPDX-License-Identifier: Apache-2.0
"""The cache as users meet it: hidetc processes that compile the same at once, and that are killed. A library that looks
like NVRTC counts what is compiled: compile_cache_test.py --bin FOLDER --nvrtc LIBRARY"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
NVRTC = sys.argv[sys.argv.index("--nvrtc") + 1]

SCRIPT = """
import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as m:
    @hidet.script
    def fill(x: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = 64
        attrs.cuda.grid_dim = 1
        x[threadIdx.x] = {value}
m.build()
"""


class Machine:
    """An empty cache, and a count of compilations."""

    def __init__(self, folder):
        self.folder = folder
        self.log = os.path.join(folder, "log")
        self.options = []
        self.environment = {"HIDET_SANDBOX": "off", "PATH": os.environ.get("PATH", ""), "HIDET_CACHE_DIR": os.path.join(folder, "cache"),
                            "HIDET_NVRTC": NVRTC, "FAKE_NVRTC_LOG": self.log}

    def start(self, value):
        path = os.path.join(self.folder, f"fill_{value}.py")
        if not os.path.exists(path):  # others may be reading it
            with open(path, "w", encoding="utf-8") as file:
                file.write(SCRIPT.format(value=value))
        return subprocess.Popen([HIDETC, "emit", path, "--kind", "ptx", *self.options], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def emit(self, value):
        process = self.start(value)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert "ptx of" in out, out
        return out

    def compilations(self):
        if not os.path.exists(self.log):
            return 0
        with open(self.log, encoding="utf-8") as file:
            return len(file.readlines())


def eight_processes_compile_once(machine):
    machine.environment["FAKE_NVRTC"] = "slow"
    processes = [machine.start(1.0) for _ in range(8)]
    outputs = {process.communicate(timeout=60)[0] for process in processes}
    assert all(process.returncode == 0 for process in processes)
    assert len(outputs) == 1, outputs
    assert machine.compilations() == 1, machine.compilations()


def another_text_is_compiled_again(machine):
    assert machine.emit(1.0) != machine.emit(2.0)
    machine.emit(1.0)
    assert machine.compilations() == 2, machine.compilations()


def killed_processes_leave_a_cache_that_works(machine):
    chance = random.Random(5)
    for i in range(40):
        process = machine.start(float(i % 10))
        time.sleep(chance.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    for value in range(10):
        expected = f"= {value}.0f" if value else "= 0.0f"
        assert expected in machine.emit(float(value)), value
    before = machine.compilations()
    for value in range(10):
        machine.emit(float(value))
    assert machine.compilations() == before


def a_cache_that_cannot_be_written_stops_nothing(machine):
    with open(os.path.join(machine.folder, "cache"), "w", encoding="utf-8"):
        pass
    machine.emit(1.0)
    machine.emit(1.0)
    assert machine.compilations() == 2


def main():
    failed = 0
    for case in (eight_processes_compile_once, another_text_is_compiled_again, killed_processes_leave_a_cache_that_works,
                 a_cache_that_cannot_be_written_stops_nothing):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(Machine(folder))
            except AssertionError as error:
                print(f"FAILED: {case.__name__.replace('_', ' ')}: {error}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
