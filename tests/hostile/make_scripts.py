# SPDX-License-Identifier: Apache-2.0
"""Makes scripts that are written to break their evaluator: objects whose special methods change what is being walked, chains
of anything that can hold something, odd arguments, and pieces of the scripts that people wrote put together."""

HARMS = ["x.clear()", "x.append(A())", "x.extend(x[:50])", "del x[1:]", "del x[:]", "y.clear()", "d.clear()", "d.update({len(d): A()})",
         "d.pop(next(iter(d), 0), 0)", "s.clear()", "s.add(len(s))", "globals_().clear()", "drop()", "x[:] = [x]", "x.sort()", "x.reverse()",
         "next(it, 0)", "it_again()", "repr(x)", "x == y", "hash(A())", "A() in s", "list(it)", "delattr(A, NAME)", "setattr(A, NAME, None)",
         "x.insert(0, x)", "d.__setitem__ if 0 else d.update(a=d)", "int('a')", "1 / 0", "[][1]", "recurse()", "x.__class__", "sorted(x)", "y.append(x)"]
RESULTS = ["s_", "True", "False", "None", "1", "-1", "0", "x", "d", "A()", "'a'", "1.5", "2 ** 62", "NotImplemented", "iter(x)", "x[0]", "[A()]", "o"]
METHODS = {"__eq__": "s_, o", "__ne__": "s_, o", "__lt__": "s_, o", "__le__": "s_, o", "__gt__": "s_, o", "__hash__": "s_, o=0", "__bool__": "s_, o=0",
           "__len__": "s_, o=0", "__iter__": "s_, o=0", "__next__": "s_, o=0", "__getitem__": "s_, o", "__contains__": "s_, o", "__repr__": "s_, o=0",
           "__str__": "s_, o=0", "__format__": "s_, o", "__add__": "s_, o", "__radd__": "s_, o", "__iadd__": "s_, o", "__mul__": "s_, o",
           "__call__": "s_, *o", "__getattr__": "s_, o", "__index__": "s_, o=0", "__int__": "s_, o=0", "__float__": "s_, o=0", "__neg__": "s_, o=0",
           "__abs__": "s_, o=0", "__enter__": "s_, o=0", "__exit__": "s_, *o", "__setitem__": "s_, o, v", "__setattr__": "s_, o, v",
           "__delitem__": "s_, o", "__reversed__": "s_, o=0", "__round__": "s_, o=0"}
USES = ["x == y", "x != y", "x < y", "x >= y", "y in x", "A() in x", "A() in d", "A() in s", "x.index(A())", "x.count(A())", "x.remove(A())", "x.sort()",
        "x.sort(key=lambda i: A())", "sorted(x, key=f)", "min(x)", "max(x, key=f)", "sum(x, A())", "any(x)", "all(x)", "list(map(f, x))",
        "list(filter(f, x))", "list(zip(x, y, A()))", "list(enumerate(A()))", "[i for i in x if f(i)]", "{i: i for i in x}", "{i for i in x}",
        "str(x)", "repr(d)", "f'{x} {d!r:>5}'", "'%s %r' % (x, A())", "'{0} {1}'.format(x, A())", "','.join(A())", "x.extend(A())", "x[1:3] = A()",
        "x[::2] = A()", "x += A()", "x[0] += A()", "del x[A()]", "x[A()]", "a, b = A()", "a, *b = A()", "d[A()] = 1", "d.get(A())", "d.pop(A())",
        "d.setdefault(A(), x)", "d.update(A())", "d == dict(d)", "d | d", "s | {A()}", "s & {A()}", "s - set(x)", "s ^ {A()}", "s <= {A()}",
        "s.update(A())", "s.remove(A())", "s.pop()", "d.popitem()", "d.copy()", "s == set(s)", "hash((A(), A()))", "(A(), A()) == (A(), A())",
        "(x, A()) < (y, A())", "copy.deepcopy(x)", "copy.copy(d)", "isinstance(A(), A())", "isinstance(A(), (A, x))", "A() + A()", "1 + A()",
        "-A()", "abs(A())", "round(A())", "int(A())", "float(A())", "range(A())", "len(A())", "bool(A())", "iter(A())", "next(A())",
        "reversed(A())", "A()()", "A().zz", "print(A(), x, d)", "functools.reduce(f, x)", "functools.partial(f, x)(A())",
        "list(itertools.chain(A(), x))", "list(itertools.groupby(x, f))", "list(itertools.accumulate(x, f))", "list(itertools.product(x, A()))",
        "list(itertools.islice(A(), 5))", "collections.Counter(x)", "collections.Counter(A())", "dataclasses.replace(D(A()))", "D(x) == D(y)",
        "str(D(x))", "hash(D(x))", "D(x) < D(y)", "P(x, A()) == P(y, A())", "str(P(x, d))", "hash(P(1, A()))", "ValueError(A()).args",
        "str(ValueError(A()))", "repr(ValueError(x, d))", "f(*A())", "f(**d)", "f(*x, **{'a': A()})", "torch.tensor(A())", "torch.tensor(x)",
        "torch.zeros(A())", "torch.ones(3)[A()]", "math.sqrt(A())", "math.prod(x)", "random.choice(A())", "random.shuffle(x)", "max(A(), A())",
        "x.insert(A(), A())", "getattr(A(), 'q', x)", "setattr(A(), 'q', x)", "vars(A())", "dir(A())", "exec_with()", "pow(A(), A())",
        "operator.itemgetter(A())(x)", "x * A()", "[A()] * 3 == [A()] * 3", "list(A())[0]", "tuple(A()) < tuple(A())", "frozenset(A())"]
HEAD = """import collections, copy, dataclasses, functools, itertools, math, operator, random, torch
NAME = {name!r}
@dataclasses.dataclass(frozen=True, order=True)
class D:
    v: object = None
P = collections.namedtuple('P', 'a b')
def f(*a, **k): return a[0] if a else 0
def drop():
    global x, y
    x, y = [], []
def globals_(): return x
def recurse(): return recurse()
def it_again(): return next(it)
def exec_with():
    with A(): pass
"""
FILL = """x, y, d, s = [], [], {}, set()
for i in range(6):
    try:
        x.append(A()); y.append(A()); d[i] = A(); d[A()] = i; s.add(A())
    except BaseException: pass
it = (f(i) for i in x)
"""
WRAPS = ["[v]", "(v,)", "{1: v}", "iter(v) if hasattr(v, 'append') else v", "map(f, v)", "filter(None, v)", "zip(v)", "enumerate(v)", "itertools.chain(v, [1])",
         "itertools.islice(v, 9)", "(i for i in v)", "reversed([v])", "frozenset([v])", "slice(v)", "ValueError(v)", "ValueError(v, 1)", "D(v)", "P(v, 1)", "functools.partial(v)",
         "functools.partial(f, v)", "(lambda: v())", "Holder(v)", "collections.defaultdict(lambda: v)", "property(v)", "staticmethod(v)", "{'a': v}",
         "[v, v]", "(v, v)", "itertools.zip_longest(v)", "itertools.starmap(f, v)", "itertools.accumulate(v)", "itertools.takewhile(f, v)", "lambda: v"]
WALKS = ["str(v)", "repr(v)", "f'{v}'", "hash(v)", "v == w", "v < w", "v != w", "list(v)", "sum(v)", "next(v)", "copy.deepcopy(v)", "copy.copy(v)", "isinstance(1, v)",
         "v()", "v in [w]", "{v: 1}", "[v].index(w)", "len(v)", "print(v)", "sorted([v, w])", "bool(v)", "torch.tensor(v)", "v.x", "'%s' % v", "dir(v)", "max(v, w)",
         "issubclass(int, v)", "torch.zeros(v)", "tuple(v) == tuple(w)", "set(v)", "v + w", "v * 2", "any(v)", "v[0]", "[*v]"]


def changing(rng):
    """Objects that change what is walked."""
    lines = [HEAD.format(name=rng.choice(sorted(METHODS))), "class A:"]
    for method in rng.sample(sorted(METHODS), rng.randint(2, 7)):
        harms = "; ".join(rng.sample(HARMS, rng.randint(1, 2)))
        lines += [f"    def {method}({METHODS[method]}):", f"        {harms}", f"        return {rng.choice(RESULTS)}"]
    lines.append(FILL)
    for use in rng.sample(USES, rng.randint(3, 12)):
        lines += ["try:", f"    {use}", "except Exception: pass"] if rng.random() < 0.9 else [use]
        if rng.random() < 0.3:
            lines.append(FILL)
    return "\n".join(lines) + "\n"


def chained(rng):
    """What holds one another, deep, and what walks it."""
    depth = rng.choice((50, 1000, 20000, 100000))
    wraps = [rng.choice(WRAPS) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    lines = [HEAD.format(name="__eq__"), "class A: pass", "class Holder:", "    def __init__(s, v): s.v = v", "    def __repr__(s): return repr(s.v)",
             "    def __eq__(s, o): return s.v == o.v", "    def __iter__(s): return iter(s.v)", "    def __call__(s): return s.v()",
             "    def __hash__(s): return hash(s.v)", f"start = {rng.choice(('1', '[1]', 'len', 'iter([1])', '()', 'A()', 'None', 'int'))}",
             "v = w = start", f"for i in range({depth // len(wraps)}):", "    try:"]
    lines += [f"        v = {wrap}\n        w = {wrap.replace('v', 'w') if 'lambda' not in wrap and 'reversed' not in wrap and 'append' not in wrap else 'w'}" for wrap in wraps]
    lines += ["    except (TypeError, AttributeError): break"]
    for walk in rng.sample(WALKS, rng.randint(2, 8)):
        lines += ["try:", f"    {walk}", "except Exception: pass"]
    lines += ["v = w = None"] if rng.random() < 0.5 else []
    return "\n".join(lines) + "\n"


def joined(rng, pool):
    """Lines of scripts that people wrote, put together and changed."""
    lines = "".join(rng.choice(pool) for _ in range(rng.randint(1, 3))).split("\n")
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(lines))
        what = rng.randrange(4)
        if what == 0:
            del lines[at]
        elif what == 1:
            lines.insert(at, rng.choice(rng.choice(pool).split("\n")))
        elif what == 2:
            lines[at] = lines[at].replace(rng.choice("0123456789"), rng.choice(("0", "-1", "2 ** 62", "None", "x", "[]", "1.5")))
        else:
            lines[at] = lines[at].replace("1", rng.choice(("A()", "x", "lambda: 1", "''"))).replace("return", rng.choice(("return", "return", "raise")))
        lines = lines or ["pass"]
    return "\n".join(lines) + "\n"


def script(rng, pool):
    kind = rng.random()
    return changing(rng) if kind < 0.55 else chained(rng) if kind < 0.8 else joined(rng, pool)
