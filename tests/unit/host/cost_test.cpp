// SPDX-License-Identifier: Apache-2.0
// What a turn of a loop charges: work that takes long counts as many steps, so that the budget of a preview ends in seconds.
#include <doctest/doctest.h>
#include <string>

#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"

using namespace hidet;
using namespace hidet::lang;

namespace {

std::uint64_t steps_of(const std::string& text) {
    SourceMap sources;
    DiagnosticSink sink;
    const FileId id = sources.add("script.py", text);
    EvalOptions options;
    options.mode = Mode::Preview;
    const ast::Module module = parse(sources, id, sink);
    return Evaluator(sources, sink, options, nullptr).run(module).steps;
}

std::string repeated_body(const std::string& before, const std::string& body, int times) {
    std::string text = before + "for _ in range(" + std::to_string(times) + "):\n    ";
    for (char c : body)
        text += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return text + "\n";
}

struct Turn {
    const char* before;
    const char* body;
    std::uint64_t least; // steps of a turn: its nanoseconds on a slow machine, by 100
};

constexpr Turn turns[] = {
    // definitions
    {"", "def f(x, y=1): return x", 8},
    {"", "f = lambda x: x", 8},
    {"", "class A:\n    x = 1", 60},
    {"from dataclasses import dataclass\n", "@dataclass\nclass A:\n    x: int", 120},
    {"", "import math", 10},
    {"", "from math import *", 50},
    {"", "try:\n    import nothing_here\nexcept ImportError:\n    pass", 700},
    // calls and iteration
    {"def f(x): return x\n", "f(1)", 8},
    {"", "len('a')", 6},
    {"", "[x for x in (1, 2)]", 12},
    {"", "list(zip((1, 2, 3), (1, 2, 3)))", 20},
    {"def f(**k): return k\nd = {str(i): i for i in range(100)}\n", "f(**d)", 400},
    {"d = {i: i for i in range(10000)}\nfor i in range(9999): del d[i]\n", "for k in d: break", 500},
    {"class A: pass\nfor i in range(64):\n    class A(A): pass\na = A()\n", "hasattr(a, 'x')", 16},
    // texts
    {"a = 1.5\n", "f'{a:.3f}'", 8},
    {"s = 'a' * 100000\n", "s.lower()", 6000},
    {"s = 'a' * 100000\n", "s.find('ab')", 6000},
    {"s = 'a' * 100000\nt = 'a' * 1000 + 'b'\n", "t in s", 100000},
    {"s = 'a' * 100000\n", "s[1:]", 6000},
    {"s = 'a' * 100000\n", "repr(s)", 6000},
    {"s = 'a' * 100000\n", "print(s)", 6000},
    {"a = 'a' * 1000000\nb = 'a' * 500000 * 2\n", "a < b", 3000},
    {"a = 'a' * 1000000\nb = 'a' * 500000 * 2\n", "a is b", 3000},
    {"", "'a'.center(1000000)", 60000},
    {"", "f'{1:0999999,}'", 1000000},
    {"a = '1' * 100000\n", "float(a)", 20000},
    {"class A: pass\na = 'a' * 1000000\n", "setattr(A, a, 1)", 60000},
    {"a = '{}'\ns = 'a' * 1000000\n", "a.format(s)", 10000},
    // many items
    {"class A:\n    def __hash__(s): return 1\nd = {A(): 1 for i in range(1000)}\n", "d.get(A())", 2000},
    {"d = {i: i for i in range(1000)}\n", "len(d.items())", 1000},
    {"x = [0] * 100000\n", "x[1:]", 12000},
    {"import math\nx = [1] * 1000\n", "math.prod(x)", 1000},
    {"import itertools\nx = [1] * 1000\n", "itertools.pairwise(x)", 2000},
    {"import random\nx = list(range(10000))\n", "random.choices(x, weights=x, k=10)", 6000},
    {"import torch\nx = []\nfor i in range(10): x = [x, x]\n", "torch.tensor(x)", 2000},
    {"import collections\nT = collections.namedtuple('T', ['a' + str(i) for i in range(1000)])\nt = T(*range(1000))\n",
     "t[0]", 1000},
    // exceptions
    {"", "try:\n    raise ValueError\nexcept ValueError:\n    pass", 500},
    {"", "try:\n    nothing_here\nexcept NameError:\n    pass", 700},
    {"", "hasattr(1, 'x')", 6},
    {"class I:\n    def __iter__(self): return self\n    def __next__(self): raise StopIteration\ni = I()\n",
     "for x in i: pass", 500},
    {"def f(n):\n    if n == 0: raise ValueError\n    f(n - 1)\n", "try:\n    f(50)\nexcept ValueError:\n    pass",
     5500},
    // what depends on data
    {"import torch\nu = torch.zeros(1).item()\n", "if u: a = 1", 60},
    {"import torch\nu = torch.zeros(1).item()\n", "assert u", 60},
    {"import torch\nu = torch.zeros(1).item()\n", "isinstance(u, int)", 60},
    {"import torch\nu = torch.zeros(1).item()\n", "for x in u: pass", 60},
    // kernels and graphs
    {"import hidet\n", "@hidet.script\ndef f(): pass", 250},
    {"import hidet\n", "@hidet.script\ndef f(x: nothing_here): pass", 700},
    {"import hidet\n", "@hidet.script\ndef f(x: hidet.lang.f32): x = nothing_here", 900},
    {"import hidet\nwith hidet.script_module() as m:\n    @hidet.script\n    def f(x: ~hidet.lang.f32): x[0] = 1.0\n",
     "m.build()", 2000},
    {"from hidet.lang.mapping import spatial, repeat\n", "spatial(4, 4).repeat(2, 2)", 30},
};

} // namespace

TEST_CASE("a turn of a loop charges what it takes") {
    for (const Turn& turn : turns) {
        CAPTURE(std::string(turn.body));
        const std::uint64_t once = steps_of(repeated_body(turn.before, turn.body, 1));
        CHECK(steps_of(repeated_body(turn.before, turn.body, 11)) - once >= 10 * turn.least);
    }
}

TEST_CASE("a preview has a quarter of the steps of a run") {
    EvalOptions options;
    CHECK(options.max_preview_steps * 4 == options.max_steps);
    CHECK(steps_of("while True: pass\n") <= options.max_preview_steps + 1000);
}
