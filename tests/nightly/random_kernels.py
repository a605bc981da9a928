# SPDX-License-Identifier: Apache-2.0
"""Random kernels against Python itself. A kernel is Python text, so Python can run it too: integers that wrap and floats that
round stand in for the kernel's types, and a generator for each thread stops at each barrier. What the kernel stores must
be, to the bit, what Python computes.

Every eighth script, all with --run "run --target cpu", has host functions instead, which become compiled C++. Evaluation has
side effects: bump() counts its calls in a register, wherever an integer may stand.

    random_kernels.py [--build FOLDER] [--count N] [--seed N] [--run "emulate --seed 1"] [--keep FOLDER]
"""

import itertools
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
THREADS = 64


# What stands in for the types and functions of the language.

def integer(bits, is_signed):
    """A type of integers that wrap; // and % round down, as Python's do, and / rounds towards zero."""

    class Integer:
        __slots__ = ("v",)

        def __init__(self, value):
            if isinstance(value, Float):  # what does not fit becomes the nearest end of the range; short ones by way of i32
                value = value.saturated(max(bits, 32), is_signed or bits < 32)
            value = int(value) & ((1 << bits) - 1)
            self.v = value - (1 << bits) if is_signed and value >> (bits - 1) else value

        def __int__(self):
            return self.v

        __index__ = __int__

        def __bool__(self):
            raise TypeError("an integer is no condition")

        def __neg__(self):
            return Integer(-self.v)

    return Integer


INTEGERS = {"i32": integer(32, True), "u32": integer(32, False), "i64": integer(64, True), "u64": integer(64, False),
            "i16": integer(16, True), "u16": integer(16, False), "i8": integer(8, True), "u8": integer(8, False)}
Int = INTEGERS["i32"]


def narrow(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


class Float:
    """A 32-bit float: each operation rounds."""

    __slots__ = ("v",)

    def __init__(self, value):
        self.v = narrow(float(value))

    def __float__(self):
        return self.v

    def saturated(self, bits, is_signed):
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
        return 0 if self.v != self.v else low if self.v <= low else high if self.v >= high else int(self.v)

    # Python's own steps, each rounded.
    def divided(self, other):
        rest = math.fmod(self.v, other.v) if other.v and math.isfinite(self.v) and other.v == other.v else math.nan
        is_below = rest != 0 and (rest < 0) != (other.v < 0)
        modulo = (Float(rest) + other if is_below else Float(rest)) if rest else Float(math.copysign(0.0, other.v))
        quotient = (self - Float(rest)) / other - (1.0 if is_below else 0.0)
        if quotient.v == 0:
            return Float(math.copysign(0.0, (self / other).v)), modulo
        floor = math.floor(quotient.v) if math.isfinite(quotient.v) else quotient.v
        return Float(floor + 1.0 if quotient.v - floor > 0.5 else floor), modulo

    def __floordiv__(self, other):
        other = other if isinstance(other, Float) else Float(other)
        return self.divided(other)[0] if other.v else self / other

    def __rfloordiv__(self, other):
        return Float(other) // self

    def __mod__(self, other):
        return self.divided(other if isinstance(other, Float) else Float(other))[1]

    def __rmod__(self, other):
        return Float(other) % self

    def __neg__(self):
        return Float(-self.v)


def ratio(a, b):
    """Of floats, as IEEE 754 has it."""
    if b:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def define(kind, operators):
    for name, text in operators.items():
        def both(self, other, compute=eval(f"lambda a, b: {text}"), kind=kind):
            other = other.v if isinstance(other, kind) else other
            assert isinstance(other, (int, float)), "operands of two types"
            assert kind is Float or isinstance(other, int), "operands of two types"
            return kind(compute(self.v, other))

        def swapped(self, other, compute=eval(f"lambda b, a: {text}"), kind=kind):
            return kind(compute(self.v, other))

        setattr(kind, f"__{name}__", both)
        setattr(kind, f"__r{name}__", swapped)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        def compare(self, other, name=name, kind=kind):
            return getattr(self.v, f"__{name}__")(other.v if isinstance(other, kind) else other)

        setattr(kind, f"__{name}__", compare)


for integers in INTEGERS.values():
    define(integers, {"add": "a + b", "sub": "a - b", "mul": "a * b", "floordiv": "a // b", "mod": "a % b", "and": "a & b",
                      "or": "a | b", "xor": "a ^ b", "lshift": "a << b", "rshift": "a >> b",
                      "truediv": "abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)"})
define(Float, {"add": "a + b", "sub": "a - b", "mul": "a * b", "truediv": "ratio(a, b)"})


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
        self.cells[self.key(index)] = self.kind(value)


class Attributes:
    pass


def ranges(*bounds):
    return map(Int, range(*bounds))


def grid(*extents, attrs=None):
    return itertools.product(*map(ranges, extents))


class Mapping:
    """What a worker of a task mapping does: a function from it to its tasks, in order."""

    def __init__(self, shape, workers, tasks):
        self.shape, self.workers, self.tasks = shape, workers, tasks

    def __mul__(self, inner):
        def tasks(worker):
            for outer in self.tasks(worker // inner.workers):
                for task in inner.tasks(worker % inner.workers):
                    yield tuple(o * n + i for o, n, i in zip(outer, inner.shape, task))

        return Mapping([a * b for a, b in zip(self.shape, inner.shape)], self.workers * inner.workers, tasks)

    def on(self, worker):
        return [tuple(map(Int, task)) for task in self.tasks(int(worker))]


def repeat(rows, columns):
    return Mapping([rows, columns], 1, lambda worker: itertools.product(range(rows), range(columns)))


def spatial(rows, columns):
    return Mapping([rows, columns], rows * columns, lambda worker: [(worker // columns, worker % columns)])


def typed_literals(line):
    """A constant that meets no variable is i32 or f32 all the same."""
    line = re.sub(r"(?<![\w.])\d+\.\d+", r"f32(\g<0>)", line)
    return re.sub(r"(?<![\w.])\d+(?![\w.])", r"i32(\g<0>)", line)


def python_lines(body):
    """The body with its barriers and shuffles in terms of generators and shared tensors."""
    for line in map(typed_literals, body):
        line = re.sub(r"bump\(~regs\[(i32\(\d\))\]\)", r"bump(regs, \1)", line)
        shuffle = re.fullmatch(r"(\w+) = shfl_xor_sync\(0xFFFFFFFF, (.*), (i32\(\d+\))\)", line)
        if shuffle:
            target, value, mask = shuffle.groups()
            yield from ["lanes = shared_tensor(i32, [64])", f"lanes[t] = {value}", "yield", f"{target} = lanes[t ^ {mask}]", "yield"]
        else:
            yield line.replace("syncthreads()", "yield")


def bump(regs, at):
    regs[at] = regs[at] + 1
    return regs[at]


def reference(body, functions=()):
    """What each thread stores into out, by running the body in Python."""
    lines = list(python_lines(body))
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

        names = {"threadIdx": position, "attrs": attrs, "out": out, **INTEGERS, "f32": Float, "shared_tensor": shared_tensor,
                 "register_tensor": lambda kind, shape: Memory(kind), "range": ranges, "grid": grid, "repeat": repeat,
                 "spatial": spatial, "hidet": Attributes()}
        names["bump"] = bump
        names["hidet"].script = lambda function: lambda p, q: Int(function(Int(p), Int(q)))
        text = "".join(f"{line}\n" for line in python_lines(functions)) + "def kernel():\n" + "".join(f"    {line}\n" for line in lines) + "    yield\n"
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
        self.ints, self.floats, self.fixed, self.wide = [], [], ["t"], []  # wide: (name, type)
        self.functions, self.known, self.in_function = [], [], False

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def int_leaf(self, may_be_constant):
        names = self.ints + self.fixed
        if may_be_constant and self.rng.random() < 0.3:
            return str(self.rng.randrange(-9, 100))
        kind = self.rng.randrange(14)
        if kind == 12:
            return f"bump(~regs[{self.rng.randrange(4)}])"
        if kind == 13:
            return f"i32({self.rng.choice(self.floats)} * {self.pick('1.0', '3.5', '500000000.0', '-900000000.0')})"
        if kind == 0 and self.wide:
            return f"i32({self.typed(self.rng.choice(self.wide)[1], 1)})"
        if kind == 1 and self.known and (not self.loops or self.rng.random() < 0.2):
            return f"{self.rng.choice(self.known)}({self.int_expr(1)}, {self.int_expr(1)})"
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
            return f"({a} {self.pick('//', '%', '/')} {divisor})"
        if kind == 5:
            return f"({a} {self.pick('<<', '>>')} ({self.int_expr(depth - 1)} & {self.pick(7, 15, 31)}))"
        if kind == 6:
            return f"(-{a})"
        return f"({a} if {self.condition(depth - 1)} else {self.int_expr(depth - 1)})"

    def typed(self, kind, depth=3):
        """A value of one of the integer types; nothing is left to promotion."""
        if depth == 0 or self.rng.random() < 0.2:
            names = [name for name, of in self.wide if of == kind]
            leaf = self.rng.randrange(8)
            if leaf == 0:
                return f"{kind}({self.rng.randrange(128)})"
            if leaf < 3 or not names:
                return f"{kind}({self.rng.choice(self.ints + self.fixed)})"
            if leaf == 3:
                return f"{kind}({self.rng.choice(self.wide)[0]})"
            if leaf == 4:
                return f"{kind}({self.rng.choice(self.floats)} * {self.pick('1.0', '90.0', '500000000.0', '-9000000000000000000.0')})"
            return self.rng.choice(names)
        a, b = self.typed(kind, depth - 1), self.typed(kind, depth - 1)
        operator = self.rng.randrange(8)
        if operator < 4:
            return f"({a} {self.pick('+', '-', '*', '&', '|', '^')} {b})"
        if operator == 4:
            divisor = self.pick(f"(({b} & {kind}(7)) + {kind}(1))", f"{kind}({self.pick(2, 3, 4, 7, 8, 16, 100)})")
            return f"({a} {self.pick('//', '%', '/')} {divisor})"
        if operator == 5:
            return f"({a} {self.pick('<<', '>>')} ({b} & {kind}(7)))"
        if operator == 6:
            return f"(-{a})"
        return f"({a} if {self.condition(depth - 1)} else {b})"

    def float_expr(self, depth=3):
        if depth == 0 or self.rng.random() < 0.25:
            return self.pick(self.rng.choice(self.floats), f"{self.rng.randrange(-64, 64) / 8}")
        a, b = self.float_expr(depth - 1), self.float_expr(depth - 1)
        kind = self.rng.randrange(8)
        if kind < 4:
            return f"({a} {self.pick('+', '-', '*')} {b})"
        if kind == 6:
            return f"({self.rng.choice(self.floats)} {self.pick('//', '%')} {b})"
        if kind == 7:
            return f"({self.rng.choice(self.floats)} / f32({self.int_expr(1)}))"
        return f"({a} if {self.condition(depth - 1)} else {b})" if kind == 4 else f"(-{a})"

    def condition(self, depth=2):
        kind = self.rng.randrange(7)
        if kind == 6 and self.wide and depth:
            of = self.rng.choice(self.wide)[1]
            return f"{self.typed(of, 1)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.typed(of, 1)}"
        if depth == 0 or kind in (0, 1, 6):
            return f"{self.int_expr(depth)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.variable()}"
        if kind == 2:
            return f"{self.float_expr(depth)} {self.pick('<', '<=', '>', '>=')} {self.rng.choice(self.floats)}"
        if kind == 3:
            return f"(not ({self.condition(depth - 1)}))"
        if kind == 4:
            orders = [self.pick("<", "<=", ">", ">=", "==", "!=") for _ in range(self.rng.randrange(2, 4))]
            return f"({self.int_expr(1, False)}" + "".join(f" {order} {self.int_expr(1, False)}" for order in orders) + ")"
        return f"(({self.condition(depth - 1)}) {self.pick('and', 'or')} ({self.condition(depth - 1)}))"

    def variable(self):
        return self.rng.choice(self.ints)

    def block(self, statements):
        self.depth += 1
        known = len(self.ints), len(self.wide)
        if self.rng.random() < 0.3:
            self.counter += 1
            self.emit(f"d{self.counter} = {self.int_expr(2, False)}")
            self.ints.append(f"d{self.counter}")
        for _ in range(statements):
            self.statement()
        if self.in_function and self.rng.random() < 0.2:
            self.emit(f"if {self.condition(1)}:")
            self.emit(f"    return {self.int_expr(2, False)}")
        self.depth -= 1
        del self.ints[known[0]:], self.wide[known[1]:]

    def statement(self):
        if self.wide and self.rng.random() < 0.2:
            name, kind = self.rng.choice(self.wide)
            self.emit(f"{name} {self.pick('=', '=', '+=', '-=', '*=', '^=')} {self.typed(kind)}")
            return
        kind = self.rng.randrange(14) if self.depth < 4 else self.rng.randrange(7)
        if kind < 3:
            self.emit(f"{self.variable()} = {self.int_expr()}")
        elif kind == 3:
            self.emit(f"{self.variable()} {self.pick('+=', '-=', '*=', '^=', '|=', '&=')} {self.int_expr(2)}")
        elif kind == 4:
            name = self.rng.choice(self.floats)
            # Kept small, so that no infinity or nan hides a difference.
            self.emit(f"{name} = {self.float_expr()}")
            self.emit(f"if not (-1000.0 <= {name} <= 1000.0):")
            self.emit(f"    {name} = f32({self.rng.randrange(-8, 8) / 4})")
        elif kind == 5:
            self.emit(f"regs[{self.int_expr(1, False)} & 3] {self.pick('=', '=', '+=', '^=')} {self.int_expr()}")
        elif kind == 6:
            if len(self.ints) > 1:
                a, b = self.rng.sample(self.ints, 2)
                self.emit(f"{a}, {b} = {b}, {a}")
            places = self.rng.sample(self.ints, 1) + [f"regs[{self.int_expr(1, False)} & 3]" for _ in range(self.rng.randrange(1, 3))]
            self.rng.shuffle(places)
            self.emit(f"{', '.join(places)} = {', '.join(self.int_expr(1) for _ in places)}")
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
        elif self.loops < (1 if self.in_function else 2):
            self.loop()
        else:
            self.emit(f"{self.variable()} = {self.int_expr()}")

    def loop(self):
        self.counter += 1
        index = f"k{self.counter}"  # i8 and i32 are types
        bound = self.pick(str(self.rng.randrange(1, 7)), f"({self.int_expr(1)} & 7)",
                          f"{self.rng.randrange(-3, 2)}, {self.rng.randrange(2, 6)}",
                          f"0, {self.rng.randrange(3, 15)}, {self.rng.randrange(2, 4)}")
        is_while = self.rng.random() < 0.25
        names = [index]
        if self.rng.random() < 0.25:
            is_while, names = False, [index, f"m{self.counter}"]
            # All 64 workers, or the mapping is refused; nothing is known of a function's parameters.
            worker = self.pick("t", "(63 - t)", f"((t * 5 + {self.rng.randrange(64)}) & 63)")
            nests = ["grid(3, 2):", f"grid(2, {self.rng.randrange(1, 5)}, attrs='u+'):", f"grid(({self.int_expr(1)} & 3), 3):"]
            if not self.in_function:
                nests += [f"spatial(16, 4).on({worker}):", f"(repeat(2, 2) * spatial(8, 8)).on({worker}):",
                          f"(spatial(8, 8) * repeat(1, 3)).on({worker}):",
                          f"(repeat(2, 1) * spatial(4, 4) * repeat(1, 2) * spatial(2, 2)).on({worker}):"]
            self.emit(f"for {', '.join(names)} in {self.rng.choice(nests)}")
            self.fixed += names
        elif is_while:
            self.emit(f"n{self.counter} = i32(0)")
            self.emit(f"while n{self.counter} < {self.rng.randrange(1, 6)} and {self.condition(1)}:")
            self.emit(f"    n{self.counter} += 1")
        else:
            self.emit(f"for {index} in range({bound}):")
            self.fixed += names
        self.loops += 1
        if not is_while and self.rng.random() < 0.15:
            self.emit(f"    {names[0]} += {self.int_expr(1)}")
        self.block(self.rng.randrange(1, 4))
        self.loops -= 1
        if not is_while:
            del self.fixed[-len(names):]

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

    def shuffle(self):
        self.emit(f"{self.variable()} = shfl_xor_sync(0xFFFFFFFF, {self.int_expr(2, False)}, {self.rng.randrange(32)})")

    def declare(self, seed):
        """The variables that statements use."""
        self.emit("regs = register_tensor(i32, shape=[4])")
        for slot in range(4):
            self.emit(f"regs[{slot}] = {seed} * {self.rng.randrange(-5, 9)} + {self.rng.randrange(99)}")
        for name in ("a", "b", "c")[:self.rng.randrange(2, 4)]:
            self.emit(f"{name} = {seed} * {self.rng.randrange(1, 50)} - {self.rng.randrange(100)}")
            self.ints.append(name)
        for name in ("x", "y"):
            self.emit(f"{name} = f32({seed} & 255) * {self.rng.randrange(1, 9) / 4}")
            self.floats.append(name)
        for name, kind in zip(("w1", "w2", "w3"), self.rng.choices(tuple(INTEGERS)[1:], k=self.rng.randrange(4))):
            self.emit(f"{name} = {kind}({self.rng.choice(self.ints)} * {self.rng.randrange(1, 999)})")
            self.wide.append((name, kind))

    def function(self):
        """A device function, at the beginning of the script."""
        name = f"f{len(self.known) + 1}"
        self.functions += ["@hidet.script", f"def {name}(p: i32, q: i32) -> i32:"]
        self.lines, self.depth, self.in_function, self.fixed, self.ints = [], 1, True, ["p", "q"], ["p", "q"]
        self.declare("p")
        for _ in range(self.rng.randrange(1, 4)):
            self.statement()
        self.emit(f"return {self.int_expr(3, False)}")
        self.functions += self.lines
        self.lines, self.depth, self.in_function, self.fixed, self.ints, self.floats, self.wide = [], 0, False, ["t"], [], [], []
        self.known.append(name)

    def host_functions(self):
        """No kernel, and functions for compiled C++."""
        for _ in range(self.rng.randrange(1, 4)):
            self.function()
        calls = [f"{name}(t, t * {self.rng.randrange(1, 99)} - {self.rng.randrange(999)})" for name in self.known]
        return ["t = threadIdx.x", f"out[t] = {' ^ '.join(calls)}"]

    def kernel(self):
        for _ in range(self.rng.randrange(3)):
            self.function()
        self.emit("attrs.cuda.grid_dim = 1")
        self.emit(f"attrs.cuda.block_dim = {THREADS}")
        self.emit("t = threadIdx.x")
        self.declare("t")
        for _ in range(self.rng.randrange(3, 9)):
            if self.rng.random() < 0.2:
                self.pick(self.exchange, self.shuffle)()
            else:
                self.statement()
        wide = "".join(f" ^ i32({name})" for name, _ in self.wide)
        self.emit(f"out[t] = {' ^ '.join(self.ints)}{wide} ^ regs[0] ^ regs[t & 3] ^ i32(x * 8.0) ^ i32(y)")
        return self.lines


BUMP = ["@hidet.script", "def bump(at: ~i32) -> i32:", "    attrs.func_kind = 'KIND'", "    at[0] = at[0] + 1", "    return at[0]"]


def script(body, functions, expected, is_host):
    functions = [line.replace("KIND", "cpu_internal" if is_host else "cuda_internal") for line in BUMP] + functions
    if is_host:
        functions = [line for text in functions for line in ([text, "    attrs.func_kind = 'cpu_internal'"] if text.startswith("def f") else [text])]
        body = ["attrs.func_kind = 'public'", f"for t in range({THREADS}):", *("    " + line for line in body[1:])]
    lines = ["import hidet", "from hidet.lang import attrs, grid, register_tensor, shared_tensor",
             f"from hidet.lang.types import f32, {', '.join(INTEGERS)}", "from hidet.lang.mapping import repeat, spatial",
             "from hidet.lang.cuda import shfl_xor_sync, threadIdx, syncthreads", "",
             "with hidet.script_module() as script_module:", *("    " + line for line in functions), "    @hidet.script", f"    def kernel(out: i32[{THREADS}]):"]
    lines += ["        " + line for line in body]
    device, call = ("cpu", "module['kernel'](out)") if is_host else ("cuda", "module(out)")
    lines += ["", "module = script_module.build()", f"out = hidet.empty([{THREADS}], dtype='int32', device='{device}')", call,
              f"expected = {expected}", "actual = out.cpu()", f"for t in range({THREADS}):", "    got = actual[t].item()",
              "    assert got == expected[t], f'thread {t} stored {got}, expected {expected[t]}'"]
    return "\n".join(lines) + "\n"


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def trial(hidetc, verb, folder, seed):
    """(seed, script, what went wrong or '')."""
    verb = verb or (["run", "--target", "cpu"] if seed % 8 == 0 else ["run"])
    generator = Generator(seed)
    is_host = "cpu" in verb
    body = generator.host_functions() if is_host else generator.kernel()
    functions = generator.functions
    text = script(body, functions, reference(body, functions), is_host)
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
    verb = option("--run", "").split()
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
