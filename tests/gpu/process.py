# SPDX-License-Identifier: Apache-2.0
"""One call of hidetc as a process of its own, with a time limit, and what its JSON says."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time


class Done:
    """How a call ended. `document` is the JSON on standard output, {} where there was none."""

    def __init__(self, code, text, errors, seconds, timed_out):
        self.code = code
        self.errors = errors
        self.seconds = seconds
        self.timed_out = timed_out
        try:
            self.document = json.loads(text)
        except ValueError:
            self.document = {}
        if not isinstance(self.document, dict):
            self.document = {}

    @property
    def output(self):
        return self.document.get("output") or ""

    @property
    def summary(self):
        return self.document.get("summary") or {}

    @property
    def diagnostics(self):
        return self.document.get("diagnostics") or []

    def why(self):
        """A line that says why the call is no success."""
        if self.timed_out:
            return f"no end within {self.seconds:.0f} s"
        for diagnostic in self.diagnostics:
            if diagnostic.get("severity") == "error":
                place = f"line {diagnostic['line']}, " if diagnostic.get("line") else ""
                return f"{place}{diagnostic.get('id', '')}: {diagnostic.get('message', '')}"
        if self.code < 0:
            return f"ended by {signal.Signals(-self.code).name}"
        last = self.errors.strip().splitlines()[-1:] or [""]
        return f"exit code {self.code}: {last[0]}".rstrip(": ")


def call(hidetc, words, seconds, environment=None):
    """A process that does not end in time is killed with all that it started."""
    start = time.monotonic()
    try:
        process = subprocess.Popen([hidetc, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    except OSError as error:
        return Done(127, "", f"{hidetc}: {error.strerror}", 0.0, False)
    timed_out = False
    try:
        text, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(process.pid, signal.SIGKILL)
        text, errors = drained(process)
    return Done(process.returncode, text, errors, time.monotonic() - start, timed_out)


def drained(process):
    """A process that the driver holds may not go even when it is killed: it is left behind."""
    try:
        return process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        process.returncode = -signal.SIGKILL
        return "", ""


@contextlib.contextmanager
def taken_memory(hidetc, leave, seconds):
    """Meanwhile the GPU has so many GiB left; '': all it has."""
    if not leave:
        yield
        return
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fill_memory.py")
    tools = call(hidetc, ["doctor", "--json"], seconds).document.get("tools") or []
    driver = next((tool["path"] for tool in tools if tool.get("name") == "CUDA driver" and tool.get("path")), "libcuda.so.1")
    holder = subprocess.Popen([sys.executable, program, leave, driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    guard = threading.Timer(seconds, holder.kill)
    guard.start()
    try:
        if holder.stdout.readline().strip() != "full":
            raise RuntimeError(f"the device's memory could not be taken: {holder.communicate()[1].strip()}")
        yield
    finally:
        guard.cancel()
        holder.kill()
        holder.communicate()
