# SPDX-License-Identifier: Apache-2.0
"""What a kernel stores, by Python itself. A kernel is Python text, so Python can run it too: integers that wrap and floats that
round stand in for the kernel's types, and a generator for each thread stops at each barrier."""

import itertools
import math
import re
import struct

THREADS = 64


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
        shuffle = re.fullmatch(r"(\w+) = shfl_xor_sync\((?:i32\(4294967295\)|0xFFFFFFFF), (.*), (i32\(\d+\))\)", line)
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
