# SPDX-License-Identifier: Apache-2.0
"""Random host code against Python: the same file is run by Python and by hidetc, and must print the same and end alike.

    random_host_code.py [--build FOLDER] [--count N] [--seed N] [--keep FOLDER]
"""

import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What an expression of a type may be, set apart by two blanks: $I stands for an expression of type I, @I for a name of that type.
# I int, F float, B bool, S str, L list of int, T tuple, D dict from str to int, Q set of int; N divisor, M small, C character.
RULES = {
    "I": """$I + $I  $I - $I  $I * $I  $I // $N  $I % $N  -$I  abs($I)  min($I, $I)  max($I, $I)  len($S)  len($L)  sum($L)
        $I & $I  $I | $I  $I ^ $I  ~$I  $I << $M  $I >> $M  $I if $B else $I  int($F)  int($B)  $D.get($S, $I)  $S.find($S)
        $S.count($S)  $L.count($I)  $I ** $M  ord($C)  len($D)  len($Q)  $T[0]  divmod($I, $N)[1]  round($F)  f($I, $I)
        $L[$I % len(@L)] if @L else 0  sorted($L)[-1] if @L else 1  (lambda v: v * $I + 1)($I)  sum(v * $I for v in $L)
        next(iter($L), $I)  max($L, default=$I)  step($I)""",
    "F": """$F + $F  $F - $F  $F * $F  $I / $N  -$F  float($I)  abs($F)  $F if $B else $F  min($F, $I)  math.sqrt(abs($F))
        math.floor($F) + 0.5  round($F, 2)  $F // 2.5  $F % 1.5
        $F // $F  $F % $F  divmod($F, $F)[0]  divmod($F, $F)[1]  math.copysign(1.0, $F % -2.0)  -0.0 // $F  $F // float('-inf')""",
    "B": """$I < $I  $I == $I  $F >= $F  $S == $S  $S in $S  $I in $L  not $B  $B and $B  $B or $B  $L == $L  $I <= $I < $I  $F < $F <= $F
        step($I) < step(1) <= step($I) != $I  $I > step($I) > step($I)
        $S < $S  any(v > $I for v in $L)  all(v != $I for v in $L)  bool($L)  $S.startswith($S)  isinstance(@I, int)
        @I is None  $S in $D  $T == $T  $L < $L  $S.isdigit()""",
    "S": """$S + $S  $S.upper()  $S.strip()  str($I)  str($L)  repr($S)  $S[$I:$I]  $S[::-1]  f'{@I}-{@S}'  $S * $M
        f'{@I:>6}|{@F:.3f}'  ','.join(str(v) for v in $L)  $S.replace($S, $S)  $S if $B else $S  str($F)  repr($D)  str($T)
        '%d:%s' % ($I, $S)  '{}={}'.format($S, $I)  $S.zfill(5)  $S.title()  hex($I)  bin($I)  f'{@I:#x}'  f'{@B!r:>7}'
        f'{@I:,}'  f'{@F:e}'  str(sorted($Q))  '/'.join($S.split('a'))  str($B)  f'{@F:8.2f}|{@S:<5}|{@S:^7}'  repr($F)
        '%5.2f|%-4d|' % ($F, $I)  str(list(enumerate($L)))  chr(97 + $M)""",
    "L": """[$I, $I, $I]  $L + $L  [v * 2 for v in $L]  [v for v in $L if v % 2 == 0]  list(range($M))  sorted($L)  $L[1:]
        $L[::-1]  $L * 2  list(range($I % 7, $I % 11, $N))  [v + w for v in $L for w in [1, 2]]  sorted($Q)  $L[-2:]
        list($D.values())  sorted($L, reverse=True)  sorted($L, key=lambda v: -v)  [len(v) for v in $S.split()]
        list(map(lambda v: v + 1, $L))  list(filter(lambda v: v > 0, $L))  [a + b for a, b in zip($L, $L)]  list(reversed($L))""",
    "T": "($I, $S)  ($I, $B)  divmod($I, $N)  tuple($L)[:2] + (1, 2)  ($F, $I)",
    "D": "{'a': $I, 'b': $I}  {str(v): v for v in $L}  dict(x=$I, y=$I)  {**$D, 'c': $I}  dict(zip('abc', $L))",
    "Q": "{$I, $I}  set($L)  $Q | $Q  $Q & $Q  {v % 3 for v in $L}  $Q - $Q",
}
RULES = {kind: [rule.strip() for rule in re.split(r"  +|\n", text) if rule.strip()] for kind, text in RULES.items()}
NAMES = {"I": ["i", "j", "k"], "F": ["x", "y"], "B": ["p"], "S": ["s", "u"], "L": ["l", "m"], "T": ["t"], "D": ["d"], "Q": ["q"]}
LEAVES = {"I": ["0", "1", "7", "-3", "12", "255"], "F": ["0.5", "-2.25", "1e3", "3.0", "0.1", "-0.0", "1e-320", "float('inf')", "float('nan')"], "B": ["True", "False"],
          "S": ["'a'", "'ab c'", "''", "'x1'", "' 42 '", "'naïve'"],
          "L": ["[]", "[3, 1, 2]", "[5]"], "T": ["(1, 2)"], "D": ["{}", "{'a': 1}"],
          "Q": ["set()", "{1, 2}"],
          "N": ["2", "3", "-4", "7", "10"], "M": ["0", "1", "2", "3", "5"], "C": ["'a'", "'Z'", "'é'"]}

PRELUDE = '''import math

def f(a, b=2, *rest, scale=1):
    total = a * scale
    for v in rest:
        total += v
    return total - b

class Box:
    count = 0
    def __init__(self, value, name='box'):
        self.value = value
        self.name = name
        Box.count += 1
    def grow(self, by=1):
        self.value += by
        return self
    def __repr__(self):
        return f'Box({self.value!r})'

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step

step = counter()
box = Box(3)
'''


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.depth, self.in_loop = [], 0, 0

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def expr(self, kind, depth=3):
        if kind in "NMC" or depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(NAMES.get(kind, []) * 2 + LEAVES[kind])
        rule = self.rng.choice(RULES[kind])
        rule = re.sub(r"@([A-Z])", lambda found: self.rng.choice(NAMES[found.group(1)]), rule)
        return re.sub(r"\$([A-Z])", lambda found: self.inner(found.group(1), depth - 1), rule)

    def inner(self, kind, depth):
        text = self.expr(kind, depth)
        return text if re.fullmatch(r"\w+", text) else f"({text})"

    def block(self, statements):
        self.depth += 1
        for _ in range(statements):
            self.statement()
        self.depth -= 1

    def statement(self):
        kind = self.rng.randrange(20 if self.depth < 3 else 10)
        type_ = self.rng.choice("IIIFBSSLLTDQ")
        name = self.rng.choice(NAMES[type_])
        if kind < 4:
            self.emit(f"{name} = {self.expr(type_)}")
        elif kind < 7:
            shown = [self.expr(type_), self.expr(self.rng.choice("IFBSLTD"), 2)]
            self.emit(f"print(sorted({shown[0]}))" if type_ == "Q" else f"print({shown[0]}, {shown[1]})")
        elif kind == 7:
            self.emit(f"{self.rng.choice('ijk')} {self.rng.choice(['+=', '-=', '^=', '|='])} {self.expr('I', 2)}")
        elif kind == 8:
            self.emit(self.rng.choice([f"l.append({self.expr('I', 2)})", f"d[{self.expr('S', 1)}] = {self.expr('I', 2)}", "i, j = j, i",
                                       f"i, j, k = step(i), step({self.expr('I', 1)}), step(1)", "l[:1], i = [step(1)], step(2)",
                                       f"d[str(step(1))], x = step({self.expr('I', 1)}), {self.expr('F', 2)}",
                                       f"l[{self.rng.choice(['0', '-1', ':1'])}] = {self.expr('L' if self.rng.random() < 0.1 else 'I', 1)}",
                                       f"print(step({self.expr('I', 1)}), box.grow({self.expr('I', 1)}))", f"q.add({self.expr('I', 1)})",
                                       f"print(f({self.expr('I', 1)}, *({self.expr('L', 1)}), scale={self.expr('I', 0)}))",
                                       "m = l; m.sort()", f"d.update({self.expr('D', 1)})", "l = l[:6]", "a, *b = [i, j, k]; print(a, b)",
                                       f"print(fib({self.rng.randrange(10)}))", f"print(Box.count, Box({self.expr('S', 1)}))", "del l[:1]",
                                       f"print(*({self.expr('L', 2)}), sep=', ', end='.\\n')"]))
        elif kind == 9:
            leave = self.rng.choice(["break", "continue"]) if self.in_loop else "pass"
            self.emit(f"if {self.expr('B', 2)}: {leave}")
        elif kind < 14:
            self.emit(f"if {self.expr('B')}:")
            self.block(self.rng.randrange(1, 4))
            if self.rng.random() < 0.5:
                self.emit("else:")
                self.block(self.rng.randrange(1, 3))
        elif kind < 17:
            target = self.rng.choice([f"v in range({self.rng.randrange(5)})", f"v in ({self.expr('L', 2)})[:4]",
                                      f"v, w in enumerate(({self.expr('S', 1)})[:3])", "v, w in dict(d).items()",
                                      f"v, w in zip({self.expr('L', 1)}, {self.expr('S', 1)})"])
            self.emit(f"for {target}:")
            self.in_loop += 1
            self.block(self.rng.randrange(1, 4))
            self.in_loop -= 1
            if self.rng.random() < 0.2:
                self.emit("else:")
                self.block(1)
        elif kind == 17:
            self.emit("try:")
            self.block(self.rng.randrange(1, 3))
            self.emit("    " + self.rng.choice(["print(1 // (i - i))", "print([][1])", "raise ValueError('bad')", "print({}['k'])"]))
            self.emit(self.rng.choice(["except (ZeroDivisionError, IndexError, ValueError, KeyError) as e:",
                                       "except Exception as e:"]))
            self.emit("    print('caught', type(e).__name__)")
            if self.rng.random() < 0.3:
                self.emit("finally:")
                self.block(1)
        elif kind == 18:
            self.emit("n = 0")
            self.emit(f"while n < {self.rng.randrange(4)} and {self.expr('B', 1)}:")
            self.emit("    n += 1")
            self.in_loop += 1
            self.block(self.rng.randrange(1, 3))
            self.in_loop -= 1
        else:
            self.emit(f"def g(a, b={self.expr('I', 1)}):")
            self.emit("    c = a + b")
            self.emit(f"    return c if {self.expr('B', 1)} else -c")
            self.emit(f"print(g({self.expr('I', 1)}), g(1, b={self.expr('I', 1)}))")

    def program(self):
        for kind, names in NAMES.items():
            for name in names:
                self.emit(f"{name} = {self.rng.choice(LEAVES[kind])}")
        for _ in range(self.rng.randrange(4, 14)):
            self.statement()
        self.emit("print(i, j, k, x, y, p, s, u, l, m, t, d, sorted(q))")
        return PRELUDE + "\n".join(self.lines) + "\n"


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


# Python's own limits are not ours: integers have 64 bits here.
TOO_BIG = re.compile(r"(?<![\w.])-?\d{19,}(?![\w.])")


def run(command, path):
    try:
        done = subprocess.run([*command, path], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=30)
    except subprocess.TimeoutExpired:
        return "timeout", "", ""
    return done.returncode, done.stdout, done.stderr


def trial(hidetc, folder, seed):
    """(seed, 'same' | 'skipped' | 'differs', report)."""
    path = os.path.join(folder, f"host{seed}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(Generator(seed).program())
    code, out, err = run([sys.executable, "-I", "-S"], path)
    if code == "timeout" or TOO_BIG.search(out) or "OverflowError" in err or "MemoryError" in err or len(out) > 100000:
        return seed, "skipped", ""
    our_code, our_out, our_err = run([hidetc, "run"], path)
    if "[int-overflow]" in our_err or "64" in our_err and "overflow" in our_err:
        return seed, "skipped", ""
    if out == our_out and code == our_code:
        return seed, "same", ""
    lines, ours = out.splitlines(), our_out.splitlines()
    at = next((i for i, (a, b) in enumerate(zip(lines, ours)) if a != b), min(len(lines), len(ours)))
    shown = "\n".join(f"    {who}: {text[at] if at < len(text) else '(nothing)'}"
                      for who, text in (("Python", lines), ("hidetc", ours)))
    last = err.strip().splitlines()[-1:] or [""]
    return seed, "differs", f"line {at + 1} of the output\n{shown}\n    exit {code} {last[0]} / exit {our_code} {our_err.strip()[:300]}"


def main():
    hidetc = os.path.join(option("--build", os.path.join(ROOT, "build", "dev")), "bin", "hidetc")
    count, first, keep = int(option("--count", "1000")), int(option("--seed", "1")), option("--keep", "")
    counts = {"same": 0, "skipped": 0, "differs": 0}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count() or 2) as threads:
        for seed, status, report in threads.map(lambda seed: trial(hidetc, folder, seed), range(first, first + count)):
            counts[status] += 1
            if status != "differs":
                continue
            if counts[status] <= 8:
                print(f"seed {seed}: {report}")
            if keep:
                os.makedirs(keep, exist_ok=True)
                with open(os.path.join(keep, f"host{seed}.py"), "w", encoding="utf-8") as file:
                    file.write(Generator(seed).program())
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    return 1 if counts["differs"] or not counts["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
