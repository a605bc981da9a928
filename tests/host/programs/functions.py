#: defaults and keywords
def f(a, b=2, *args, c, d=4, **kw):
    return (a, b, args, c, d, kw)
print(f(1, c=3), f(1, 5, 6, 7, c=8, e=9), f(c=1, a=2), f(*[1, 2, 3], **{'c': 4, 'z': 5}))
def g(x, /, y, *, z=0):
    return x + y + z
print(g(1, 2), g(1, y=2, z=3))
#: mutable default
def f(x, acc=[]):
    acc.append(x)
    return acc
print(f(1), f(2))
#: argument errors
def f(a, b, *, c=1):
    pass
for call in (lambda: f(), lambda: f(1), lambda: f(1, 2, 3), lambda: f(1, 2, d=1), lambda: f(1, 2, a=1), lambda: f(1, 2, **{'c': 1, 'q': 2})):
    try:
        call()
        print("fine")
    except TypeError as e:
        print("TypeError")
#: closures
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
c = counter(); d = counter(); print(c(), c(), d(), c())
def outer():
    x = 1
    def inner():
        def innermost():
            return x
        return innermost()
    x = 2
    return inner()
print(outer())
#: global
n = 0
def bump():
    global n
    n += 1
    global fresh
    fresh = 'new'
bump(); bump(); print(n, fresh)
#: unbound local
x = 1
def f():
    try:
        print(x)
    except UnboundLocalError:
        print("unbound")
    x = 2
f()
def g():
    try:
        del y
    except UnboundLocalError:
        print('unbound too')
    y = 1
g()
#: names looked up late
def f():
    return later()
def later():
    return 'later'
print(f())
try:
    print(missing)
except NameError as e:
    print(e)
#: recursion
def fact(n):
    return 1 if n == 0 else n * fact(n - 1)
print(fact(15))
def ack(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))
print(ack(2, 3))
#: runaway recursion
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError:
    print("RecursionError")
#: lambda
print((lambda x, y=2: x * y)(3), (lambda *a, **k: (a, k))(1, z=2), (lambda: None)(), sorted([3, 1], key=lambda v: -v), list(map(lambda t: t[0], [(1, 2)])))
add = lambda a: lambda b: a + b
print(add(1)(2))
#: functions are values
def compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x
    return run
print(compose(str, len, lambda n: n + 1)(12345), [f(2) for f in (abs, float, str)], compose.__name__, callable(len), callable(3))
#: decorators
def twice(f):
    def wrapper(*a):
        return f(f(*a))
    return wrapper
def tag(name):
    def deco(f):
        print("tagging", f.__name__, name)
        return f
    return deco
@twice
def inc(x):
    return x + 1
@tag('a')
@tag('b')
def g():
    return 0
print(inc(1), g())
#: wraps
from functools import wraps
def log(f):
    @wraps(f)
    def w(*a, **k):
        print("call", f.__name__)
        return f(*a, **k)
    return w
@log
def h(x): return x
print(h(3), h.__name__)
#: return forms
def none(): pass
def early(x):
    if x:
        return 'yes'
def pair(): return 1, 2
def ret(): return
print(none(), early(1), early(0), pair(), ret())
#: docstrings and attributes
def f():
    """doc"""
f.tag = 5
print(f.__doc__, f.tag, f.__name__)
#: argument evaluation order
def p(x):
    print(x, end=' ')
    return x
def f(*a, **k): return None
f(p(1), *[p(2)], k=p(3), **{'m': p(4)})
print()
p('a') + p('b') * len(p('c')) if False else print(p('d') or p('e'), p(0) and p('f'))
#: and or return operands
print(0 or 'a', 'x' and 'y', None or 0, [] and 1, 1 and 2 and 3, 0 or '' or None, not 0, not 'a')
#: conditional expressions
for x in (0, 5, 50):
    print('zero' if x == 0 else 'small' if x < 10 else 'big')
#: star arguments
def f(*args): return args
print(f(*range(3), *"ab"), f(*[]), f(1, *(2,), 3))
print(max(*[3, 9, 2]), "{} {}".format(*"ab"), dict(**{'a': 1}))
#: keyword only after star
def f(*, a, b=2): return a, b
print(f(a=1), f(b=1, a=0))
try:
    f(1)
except TypeError:
    print('TypeError')
#: nested functions see class-free scopes
x = 'global'
class A:
    x = 'class'
    def m(self):
        return x
print(A().m(), A.x)
#: isinstance and type
print(isinstance(1, int), isinstance(True, int), isinstance(1.0, (int, float)), isinstance('a', str), type(1) is int, type('a').__name__, type([]) == list, type(None).__name__, issubclass(bool, int), isinstance(len, type(print)), type(1.5), type(type(1)))
#: getattr setattr
class A: pass
a = A(); setattr(a, 'x', 1); print(getattr(a, 'x'), getattr(a, 'y', 'none'), hasattr(a, 'x'), hasattr(a, 'y')); delattr(a, 'x'); print(hasattr(a, 'x'))
try:
    a.missing
except AttributeError as e:
    print(e)
#: del
x = 1; del x
try:
    x
except NameError:
    print("gone")
a = [1, 2, 3]; del a[0], a[0]; print(a)
d = {'a': 1}; del d['a']; print(d)
#: statements on a line
if True: x = 1; y = 2
for i in range(2): print(i, end=' ')
while False: pass
else: print('else', x, y)
#: annotations have no effect
def f(a: int, b: 'str' = 'x', *c: float) -> list:
    z: int = 5
    w: undefined_name_in_a_local_annotation
    return [a, b, z]
print(f(1))
q: int = 3
print(q)
#: sum of generators with conditions
print(sum(i * j for i in range(10) for j in range(i) if (i + j) % 3 == 0), len([1 for _ in range(100) if _ % 7 == 0]))
#: main guard
def main():
    print("in main")
if __name__ == "__main__":
    main()
#: lists of closures over loop variables
out = []
for k in range(3):
    def f(k=k):
        return k * 10
    out.append(f)
print([f() for f in out])
#: assert passes and fails
assert 1 + 1 == 2
try:
    assert 1 == 2, "no " + "way"
except AssertionError as e:
    print(e, e.args)
try:
    assert []
except AssertionError as e:
    print(repr(str(e)), e.args)
#: vararg names reused
def area(w, h): return w * h
box = {'w': 2, 'h': 3}
print(area(**box), area(*box.values()), [*box], {*()} == set())
