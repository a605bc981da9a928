# SPDX-License-Identifier: GPL-3.0-only
"""The program as a user has it: a real process on a real (virtual) display, with key events from outside."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
PATIENCE = 60  # seconds; a loaded machine is slow, a program that hangs is slower


def wait_for(what, condition, found=lambda: ""):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"waited {PATIENCE} s for {what}; {found()!r}")


class Display:
    """Xvfb with a number that is free: it says which through a pipe. A server that resets when its last client goes would
    refuse a program that starts while xdotool ends."""

    def __init__(self, size="1600x1000", *options):
        self.command = ["Xvfb", "-screen", "0", size + "x24", "-nolisten", "tcp", "-noreset", *options]

    def __enter__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen([*self.command, "-displayfd", str(write)], pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.name = ":" + answer.readline().strip()
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


class Studio:
    def __init__(self, program, display, home, *arguments):
        self.environment = {
            **os.environ, "DISPLAY": display.name, "QT_QPA_PLATFORM": "xcb", "LANG": "C.UTF-8", "HOME": home,
            "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state", "XDG_DATA_HOME": home + "/data",
            "XDG_CACHE_HOME": home + "/cache", "XDG_RUNTIME_DIR": home + "/runtime"}
        os.makedirs(home + "/runtime", mode=0o700, exist_ok=True)
        self.process = subprocess.Popen([program, *arguments], env=self.environment, stderr=subprocess.PIPE, text=True)
        self.window = wait_for("the window", self.find_window)
        self.tool("windowfocus", "--sync", self.window)

    def tool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, capture_output=True, text=True, timeout=PATIENCE).stdout

    def find_window(self):
        assert self.process.poll() is None, "the program ended: " + self.process.stderr.read()
        found = self.tool("search", "--onlyvisible", "--pid", str(self.process.pid), "--name", "Hidet Studio").split()
        return found[0] if found else None

    def title(self):
        return self.tool("getwindowname", self.window).strip()

    def key(self, *keys):
        self.tool("key", "--delay", "20", *keys)

    def type(self, text):
        self.tool("type", "--delay", "10", text)

    def quit(self):
        self.key("ctrl+q")
        self.process.wait(timeout=PATIENCE)
        return self.process.stderr.read()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def a_script_is_edited_and_saved_with_keys(program, display, home, samples):
    script = home + "/naive_matmul.py"
    shutil.copy(samples + "/kernels/naive_matmul.py", script)
    studio = Studio(program, display, home, script)
    wait_for("the script's name in the title", lambda: "naive_matmul.py" in studio.title())
    before = read(script)
    studio.key("ctrl+End")
    studio.type("answer = 42")
    studio.key("ctrl+s")
    wait_for("the saved file", lambda: read(script) != before)
    assert read(script) == before + "answer = 42", read(script)[-80:]
    studio.key("ctrl+z")
    studio.key("ctrl+s")
    wait_for("the edit to be undone and saved", lambda: read(script) == before, lambda: read(script)[-80:])
    errors = studio.quit()
    assert studio.process.returncode == 0, (studio.process.returncode, errors)


def a_kernel_is_found_by_name_run_and_told_from_a_wrong_one(program, display, home, samples):
    script = home + "/scale.py"
    with open(script, "w", encoding="utf-8") as file:
        file.write(KERNEL)
    studio = Studio(program, display, home, script)
    wait_for("the script's name in the title", lambda: "scale.py" in studio.title())
    history = home + "/state/hidet-studio/history.jsonl"

    def runs():
        return [json.loads(line) for line in read(history).splitlines()] if os.path.exists(history) else []

    studio.key("ctrl+shift+p")
    studio.type("run on the emulator")
    studio.key("Return")
    wait_for("the first run in the history", lambda: len(runs()) == 1)
    # The factor of the kernel is the last character before the end of the line that Ctrl+G goes to.
    studio.key("Escape", "ctrl+g")
    studio.type("12")
    studio.key("Return", "End", "BackSpace")
    studio.type("3")
    studio.key("ctrl+F5")
    wait_for("the second run in the history", lambda: len(runs()) == 2)
    verdicts = [run["run"]["verdict"] for run in runs()]
    assert verdicts == ["correct", "wrong"], verdicts
    errors = studio.quit()
    assert studio.process.returncode == 0, (studio.process.returncode, errors)


KERNEL = """import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:
    @hidet.script
    def scale(x: f32[32], y: f32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = 32
        attrs.cuda.grid_dim = 1
        y[threadIdx.x] = x[threadIdx.x] * 2

def expected(x, y):
    return x * 2

x = torch.randn(32, device='cuda')
y = torch.empty(32, device='cuda')
script_module.build()(x, y)
torch.testing.assert_close(y, expected(x, y))
"""

JOURNEYS = [a_script_is_edited_and_saved_with_keys, a_kernel_is_found_by_name_run_and_told_from_a_wrong_one]


def main():
    program, samples = sys.argv[1:3]
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: this machine has no {tool}")
            return SKIP
    with Display() as display:
        for journey in JOURNEYS:
            with tempfile.TemporaryDirectory() as home:
                journey(program, display, home, samples)
                print(journey.__name__.replace("_", " "))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
