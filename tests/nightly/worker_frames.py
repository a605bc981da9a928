# SPDX-License-Identifier: Apache-2.0
"""Damages what a studio writes to its worker (tests/harness/attack.py says what is asked of it; a worker may end with 2, which
says that the other side makes no sense): frames, CBOR, the fields of messages. Standard input stays open until the jobs have
had time to answer.

    worker_frames.py [--count 2000] [--seed 1] [--minutes 30] [--keep FOLDER [NUMBER ...]]
"""

import copy
import os
import re
import struct
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import attack  # noqa: E402

VERBS = [attack.Verb("worker --no-gpu", 2000)]
SECONDS_FOR_JOBS = 2
GREETING = b"\0hidet worker\r\n\0"
MARK = b"HdF\x01"
with open(os.path.join(ROOT, "samples", "kernels", "vector_addition.py"), encoding="utf-8") as script:
    KERNEL = script.read()
MODEL = os.path.join(ROOT, "tests", "models", "mlp", "mlp.onnx")
RUN = {"source": {"name": "script.py", "text": KERNEL, "folder": "/", "is_ir": False}, "target": 3, "all_checks": True, "seed": 1,
       "max_steps": 10**6, "kernel_seconds": 1.0, "keep_calls": False}
MODEL_REQUEST = {"path": MODEL, "target": 3, "dims": [{"name": "batch", "value": 2}], "precision": "", "off": ["cse"], "on": [], "choices": "",
                 "choices_text": "", "with": [], "fuse": True, "seed": 1, "kernel_seconds": 1.0}
JOBS = {
    "run": RUN,
    "bench": {"run": RUN, "against": "", "other": RUN},
    "kernel-bench": {"run": RUN, "calls": [], "module": 0, "function": "vector_add", "arguments": [{"name": "a", "dtype": "float32", "shape": ["1000"], "fill": 0}],
                     "dimensions": [{"name": "length", "value": 64}], "measure": False},
    "model-compile": MODEL_REQUEST,
    "model-run": {**MODEL_REQUEST, "inputs": [], "data": "", "output": "", "trace": "", "compare": True},
    "model-bench": {"run": MODEL_REQUEST},
    "compile": {"language": 0, "text": "extern \"C\" __global__ void f() {}", "product": 0, "arch": "sm_90a", "options": []},
    "solve": {"question": "(declare-const n Int)(assert (< n 0))(check-sat)"},
    "warm-up": {},
    "facts": {},
}
ODD = [0, 1, -1, 3, 7, 255, 2**31, 2**32, 2**63 - 1, -2**63, 2**64 - 1, 0.5, float("nan"), float("inf"), 1e300, "", "x" * 5000, "\u202e\x1b[31m", "there",
       "/dev/zero", "/dev/stdin", None, True, False, [], {}, [[]], [0] * 3000, b"", b"\xff" * 40, {"job": "run", "value": {}}, {"job": "none", "value": None}]


class Bytes(bytes):
    """CBOR that stands as it is."""


def head(major, number):
    for size, code in ((24, None), (1 << 8, ">B"), (1 << 16, ">H"), (1 << 32, ">I"), (1 << 64, ">Q")):
        if number < size:
            return bytes([major << 5 | number]) if code is None else bytes([major << 5 | {">B": 24, ">H": 25, ">I": 26, ">Q": 27}[code]]) + struct.pack(code, number)
    return b""


def cbor(value):
    if isinstance(value, Bytes):
        return bytes(value)
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogatepass")
        return head(3, len(text)) + text
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(each) for key, each in value.items())


def talk(rng):
    """What a studio says: messages in order."""
    messages = [{"message": "hello", "protocol": 1, "host": "here"}]
    for number in range(rng.choice((1, 1, 2, 4))):
        job = rng.choice(list(JOBS))
        messages.append({"message": "submit", "id": number + 1, "request": {"job": job, "value": copy.deepcopy(JOBS[job])}})
        if rng.random() < 0.3:
            messages.append(rng.choice(({"message": "cancel", "id": number + 1}, {"message": "ping", "number": 7})))
    return messages


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from places(each, (*path, key))


def damage(messages, rng):
    """One change of what is said."""
    path = rng.choice([each for each in places(messages) if each])
    parent = messages
    for key in path[:-1]:
        parent = parent[key]
    key, kind = path[-1], rng.randrange(8)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(rng.choice(parent)))
    elif kind == 2:  # announces more than there is, or nests
        parent[key] = Bytes(rng.choice((head(rng.choice((2, 3, 4, 5)), rng.choice((5, 2**20, 2**32, 2**63))), b"\x9f", b"\x81" * 10**5, b"\x5f\x41a\xff", b"\xc1\xf6",
                                        b"\xf9\x7e\x00", b"\x18")))
    elif kind == 3 and isinstance(parent[key], str) and parent[key]:
        at = rng.randrange(len(parent[key]))
        parent[key] = parent[key][:at] + rng.choice(("", "\0", "\n", "x" * 3000, "while True: pass\n", "10**9")) + parent[key][at + rng.choice((0, 1, 20)):]
    else:
        parent[key] = copy.deepcopy(rng.choice(ODD))


def damaged(rng):
    """All that comes on standard input."""
    messages = talk(rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if messages:
            damage(messages, rng)
    out = bytearray(GREETING if rng.random() < 0.98 else GREETING[:rng.randrange(len(GREETING))])
    for message in messages:
        body = cbor(message)
        size = len(body) if rng.random() < 0.97 else rng.choice((0, 1, len(body) - 1, len(body) + 1, 2**28, 2**31, 2**32 - 1))
        out += MARK + struct.pack("<I", size) + body
    for _ in range(rng.choice((0, 0, 0, 1, 5))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def judge(path, verb):
    """What is wrong with how a worker takes these bytes, or ''."""
    with open(path, "rb") as file:
        data = file.read()
    worker = subprocess.Popen([attack.HIDETC, *verb.words.split()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=os.path.dirname(path), preexec_fn=attack.limits)
    awaited, answered = data.count(b"fsubmit"), threading.Event()
    said = []

    def listen():
        heard = b""
        while more := worker.stdout.read1():
            heard = heard[-1000:] + more
            said.append(more.count(b"ddone"))
            if sum(said) >= awaited:
                answered.set()
        answered.set()

    threads = [threading.Thread(target=listen), threading.Thread(target=lambda: write(worker, data))]
    for thread in threads:
        thread.start()
    answered.wait(SECONDS_FOR_JOBS)
    threads[1].join(SECONDS_FOR_JOBS)
    words = []
    reader = threading.Thread(target=lambda: words.append(worker.stderr.read()))
    reader.start()
    close(worker)
    try:
        code = worker.wait(attack.SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
        return f"no end after {attack.SECONDS} seconds"
    finally:
        for thread in (*threads, reader):
            thread.join()
        worker.stdout.close()
        worker.stderr.close()
    text = re.sub(r"/tmp/\S+", "PATH", b"".join(words).decode("utf-8", "replace"))
    return attack.judged(0 if code == 2 else code, text)


def write(worker, data):
    try:
        worker.stdin.write(data)
        worker.stdin.flush()
    except (BrokenPipeError, ValueError):
        pass


def close(worker):
    try:
        worker.stdin.close()
    except BrokenPipeError:
        pass


def main():
    attack.main("worker_frames", __doc__, VERBS, damaged, ".bin", judge=judge)


if __name__ == "__main__":
    main()
