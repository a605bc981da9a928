# SPDX-License-Identifier: Apache-2.0
"""Random kernels against Python itself. A kernel is Python text, so Python can run it too: integers that wrap and floats that
round stand in for the kernel's types, and a generator for each thread stops at each barrier. What the kernel stores must
be, to the bit, what Python computes.

    random_kernels.py [--build FOLDER] [--count N] [--seed N] [--run "run --seed 1"] [--keep FOLDER]
"""

import os
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
THREADS = 64


# What stands in for the types and functions of the language.

class Int:
    """A signed 32-bit integer that wraps; // and % round down, as Python's do."""

    __slots__ = ("v",)

    def __init__(self, value):
        value = int(value) & 0xFFFFFFFF
        self.v = value - (1 << 32) if value >> 31 else value

    def __int__(self):
        return self.v

    __index__ = __int__

    def __bool__(self):
        raise TypeError("an integer is no condition")

    def __neg__(self):
        return Int(-self.v)


class Float:
    """A 32-bit float: each operation rounds."""

    __slots__ = ("v",)

    def __init__(self, value):
        self.v = struct.unpack("f", struct.pack("f", float(value)))[0]

    def __float__(self):
        return self.v

    def __int__(self):
        return int(self.v)

    def __neg__(self):
        return Float(-self.v)


def define(kind, operators):
    for name, text in operators.items():
        def both(self, other, compute=eval(f"lambda a, b: {text}"), kind=kind):
            other = other.v if isinstance(other, kind) else other
            return kind(compute(self.v, other))

        def swapped(self, other, compute=eval(f"lambda b, a: {text}"), kind=kind):
            return kind(compute(self.v, other))

        setattr(kind, f"__{name}__", both)
        setattr(kind, f"__r{name}__", swapped)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        def compare(self, other, name=name, kind=kind):
            return getattr(self.v, f"__{name}__")(other.v if isinstance(other, kind) else other)

        setattr(kind, f"__{name}__", compare)


define(Int, {"add": "a + b", "sub": "a - b", "mul": "a * b", "floordiv": "a // b", "mod": "a % b", "and": "a & b", "or": "a | b",
             "xor": "a ^ b", "lshift": "a << b", "rshift": "a >> b"})
define(Float, {"add": "a + b", "sub": "a - b", "mul": "a * b", "truediv": "a / b"})


class Memory:
    """A tensor of any rank that knows what was written."""

    def __init__(self, kind):
        self.kind, self.cells = kind, {}

    @staticmethod
    def key(index):
        return tuple(int(i) for i in index) if isinstance(index, tuple) else (int(index),)

    def __getitem__(self, index):
        return self.cells[self.key(index)]

    def __setitem__(self, index, value):
        self.cells[self.key(index)] = self.kind(value.v if isinstance(value, (Int, Float)) else value)


class Attributes:
    pass


def reference(body):
    """What each thread stores into out, by running the body in Python."""
    lines = [line.replace("syncthreads()", "yield") for line in body]
    shared, out = {}, Memory(Int)
    threads = []
    for t in range(THREADS):
        position = Attributes()
        position.x = Int(t)
        attrs = Attributes()
        attrs.cuda = Attributes()

        seen = []  # the n-th shared tensor of each thread is the same memory

        def shared_tensor(kind, shape, seen=seen):
            seen.append(shape)
            return shared.setdefault(len(seen), Memory(kind))

        names = {"threadIdx": position, "attrs": attrs, "out": out, "i32": Int, "f32": Float, "shared_tensor": shared_tensor,
                 "register_tensor": lambda kind, shape: Memory(kind)}
        text = "def kernel():\n" + "".join(f"    {line}\n" for line in lines) + "    yield\n"
        exec(text, names)
        threads.append(names["kernel"]())
    while threads:
        threads = [thread for thread in threads if next(thread, StopIteration) is not StopIteration]
    return [out.cells[(t,)].v for t in range(THREADS)]


# The generator.

class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.depth, self.loops, self.counter = [], 0, 0, 0
        self.ints, self.floats, self.fixed = [], [], ["t"]

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def int_leaf(self, may_be_constant):
        names = self.ints + self.fixed
        if may_be_constant and self.rng.random() < 0.3:
            return str(self.rng.randrange(-9, 100))
        return self.pick(self.rng.choice(names), self.rng.choice(names), f"regs[{self.rng.randrange(4)}]",
                         f"regs[{self.rng.choice(names)} & 3]")

    def int_expr(self, depth=3, may_be_constant=True):
        """The first operand is never constant: a constant of host code is wider than 32 bits."""
        if depth == 0 or self.rng.random() < 0.2:
            return self.int_leaf(may_be_constant)
        a = self.int_expr(depth - 1, False)
        kind = self.rng.randrange(8)
        if kind < 3:
            return f"({a} {self.pick('+', '-', '*')} {self.int_expr(depth - 1)})"
        if kind == 3:
            return f"({a} {self.pick('&', '|', '^')} {self.int_expr(depth - 1)})"
        if kind == 4:
            divisor = self.pick(f"(({self.int_expr(depth - 1)} & 7) + 1)", str(self.pick(-7, -2, 2, 3, 4, 7, 8, 16, 32)))
            return f"({a} {self.pick('//', '%')} {divisor})"
        if kind == 5:
            return f"({a} {self.pick('<<', '>>')} ({self.int_expr(depth - 1)} & {self.pick(7, 15, 31)}))"
        if kind == 6:
            return f"(-{a})"
        return f"({a} if {self.condition(depth - 1)} else {self.int_expr(depth - 1)})"

    def float_expr(self, depth=3):
        if depth == 0 or self.rng.random() < 0.25:
            return self.pick(self.rng.choice(self.floats), f"{self.rng.randrange(-64, 64) / 8}")
        a, b = self.float_expr(depth - 1), self.float_expr(depth - 1)
        kind = self.rng.randrange(6)
        if kind < 4:
            return f"({a} {self.pick('+', '-', '*')} {b})"
        return f"({a} if {self.condition(depth - 1)} else {b})" if kind == 4 else f"(-{a})"

    def condition(self, depth=2):
        kind = self.rng.randrange(6)
        if depth == 0 or kind < 2:
            return f"{self.int_expr(depth)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.variable()}"
        if kind == 2:
            return f"{self.float_expr(depth)} {self.pick('<', '<=', '>', '>=')} {self.rng.choice(self.floats)}"
        if kind == 3:
            return f"(not ({self.condition(depth - 1)}))"
        if kind == 4:
            return f"{self.int_expr(1)} < {self.variable()} <= {self.int_expr(1)}"
        return f"(({self.condition(depth - 1)}) {self.pick('and', 'or')} ({self.condition(depth - 1)}))"

    def variable(self):
        return self.rng.choice(self.ints)

    def block(self, statements):
        self.depth += 1
        for _ in range(statements):
            self.statement()
        self.depth -= 1

    def statement(self):
        kind = self.rng.randrange(14) if self.depth < 4 else self.rng.randrange(7)
        if kind < 3:
            self.emit(f"{self.variable()} = {self.int_expr()}")
        elif kind == 3:
            self.emit(f"{self.variable()} {self.pick('+=', '-=', '*=', '^=', '|=', '&=')} {self.int_expr(2)}")
        elif kind == 4:
            name = self.rng.choice(self.floats)
            # Kept small, so that no infinity or nan hides a difference.
            self.emit(f"{name} = {self.float_expr()}")
            self.emit(f"if {name} > 1000.0 or {name} < -1000.0:")
            self.emit(f"    {name} = f32({self.rng.randrange(-8, 8) / 4})")
        elif kind == 5:
            self.emit(f"regs[{self.variable()} & 3] = {self.int_expr()}")
        elif kind == 6:
            if len(self.ints) > 1:
                a, b = self.rng.sample(self.ints, 2)
                self.emit(f"{a}, {b} = {b}, {a}")
            if self.loops and self.rng.random() < 0.4:
                self.emit(f"if {self.condition()}:")
                self.emit(f"    {self.pick('break', 'continue')}")
        elif kind < 10:
            self.emit(f"if {self.condition()}:")
            self.block(self.rng.randrange(1, 4))
            if self.rng.random() < 0.3:
                self.emit(f"elif {self.condition()}:")
                self.block(self.rng.randrange(1, 3))
            if self.rng.random() < 0.5:
                self.emit("else:")
                self.block(self.rng.randrange(1, 4))
        elif self.loops < 2:
            self.loop()
        else:
            self.emit(f"{self.variable()} = {self.int_expr()}")

    def loop(self):
        self.counter += 1
        index = f"i{self.counter}"
        bound = self.pick(str(self.rng.randrange(1, 7)), f"({self.int_expr(1)} & 7)",
                          f"{self.rng.randrange(-3, 2)}, {self.rng.randrange(2, 6)}",
                          f"0, {self.rng.randrange(3, 15)}, {self.rng.randrange(2, 4)}")
        is_while = self.rng.random() < 0.25
        if is_while:
            self.emit(f"n{self.counter} = i32(0)")
            self.emit(f"while n{self.counter} < {self.rng.randrange(1, 6)} and {self.condition(1)}:")
            self.emit(f"    n{self.counter} += 1")
        else:
            self.emit(f"for {index} in range({bound}):")
            self.fixed.append(index)
        self.loops += 1
        self.block(self.rng.randrange(1, 4))
        self.loops -= 1
        if not is_while:
            self.fixed.pop()

    def exchange(self):
        """All threads pass a value through shared memory."""
        self.counter += 1
        name = f"smem{self.counter}"
        step, shift = self.rng.choice((1, 3, 5, 7, 31, 33)), self.rng.randrange(THREADS)
        self.emit(f"{name} = shared_tensor(i32, shape=[{THREADS // 8}, 8])")
        self.emit(f"{name}[t // 8, t % 8] = {self.int_expr()}")
        self.emit("syncthreads()")
        self.emit(f"{self.variable()} = {name}[(t * {step} + {shift}) % {THREADS} // 8, (t * {step} + {shift}) % 8]")
        self.emit("syncthreads()")

    def kernel(self):
        self.emit("attrs.cuda.grid_dim = 1")
        self.emit(f"attrs.cuda.block_dim = {THREADS}")
        self.emit("t = threadIdx.x")
        self.emit("regs = register_tensor(i32, shape=[4])")
        for slot in range(4):
            self.emit(f"regs[{slot}] = t * {self.rng.randrange(-5, 9)} + {self.rng.randrange(99)}")
        for name in ("a", "b", "c")[:self.rng.randrange(2, 4)]:
            self.emit(f"{name} = t * {self.rng.randrange(1, 50)} - {self.rng.randrange(100)}")
            self.ints.append(name)
        for name in ("x", "y"):
            self.emit(f"{name} = f32(t) * {self.rng.randrange(1, 9) / 4}")
            self.floats.append(name)
        for _ in range(self.rng.randrange(3, 9)):
            if self.rng.random() < 0.2:
                self.exchange()
            else:
                self.statement()
        self.emit(f"out[t] = {' ^ '.join(self.ints)} ^ regs[0] ^ regs[t & 3] ^ i32(x * 8.0) ^ i32(y)")
        return self.lines


def script(body, expected):
    lines = ["import hidet", "from hidet.lang import attrs, register_tensor, shared_tensor",
             "from hidet.lang.types import i32, f32", "from hidet.lang.cuda import threadIdx, syncthreads", "",
             "with hidet.script_module() as script_module:", "    @hidet.script", f"    def kernel(out: i32[{THREADS}]):"]
    lines += ["        " + line for line in body]
    lines += ["", "module = script_module.build()", f"out = hidet.empty([{THREADS}], dtype='int32', device='cuda')", "module(out)",
              f"expected = {expected}", "actual = out.cpu()", f"for t in range({THREADS}):", "    got = actual[t].item()",
              "    assert got == expected[t], f'thread {t} stored {got}, expected {expected[t]}'"]
    return "\n".join(lines) + "\n"


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def trial(hidetc, verb, folder, seed):
    """(seed, script, what went wrong or '')."""
    body = Generator(seed).kernel()
    text = script(body, reference(body))
    path = os.path.join(folder, f"kernel{seed}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        done = subprocess.run([hidetc, verb[0], path, *verb[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return seed, text, "no end after 60 seconds"
    return seed, text, "" if done.returncode == 0 else f"exit {done.returncode}\n{(done.stdout + done.stderr)[:1500]}"


def main():
    hidetc = os.path.join(option("--build", os.path.join(ROOT, "build", "dev")), "bin", "hidetc")
    count, first, keep = int(option("--count", "1000")), int(option("--seed", "1")), option("--keep", "")
    verb = option("--run", "run").split()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count() or 2) as threads:
        for seed, text, wrong in threads.map(lambda seed: trial(hidetc, verb, folder, seed), range(first, first + count)):
            if not wrong:
                continue
            failed += 1
            if failed <= 5:
                print(f"seed {seed}: {wrong}")
            if keep:
                os.makedirs(keep, exist_ok=True)
                with open(os.path.join(keep, f"kernel{seed}.py"), "w", encoding="utf-8") as file:
                    file.write(text)
    print(f"{count} random kernels, {failed} went wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
