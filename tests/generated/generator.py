# SPDX-License-Identifier: Apache-2.0
"""Random kernels, and random functions of the host: well typed, and without what the language leaves open."""

import random

from generated.reference import INTEGERS, THREADS


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
        name = f"g{len(self.known) + 1}"
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
