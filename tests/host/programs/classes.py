#: basic class
class P:
    count = 0
    def __init__(self, x, y=0):
        self.x, self.y = x, y
        P.count += 1
    def move(self, dx): self.x += dx; return self
    def __repr__(self): return f"P({self.x}, {self.y})"
    def __eq__(self, o): return isinstance(o, P) and (self.x, self.y) == (o.x, o.y)
    def __add__(self, o): return P(self.x + o.x, self.y + o.y)
p, q = P(1, 2), P(3)
print(p, q, p == P(1, 2), p != q, p + q, p.move(5).move(1), P.count, str(p), [p], f"{p}")
#: inheritance and super
class A:
    def __init__(self, n): self.n = n
    def hi(self): return "A" + str(self.n)
    def who(self): return self.hi()
class B(A):
    def __init__(self, n, m):
        super().__init__(n)
        self.m = m
    def hi(self): return super().hi() + "B" + str(self.m)
class C(B): pass
print(B(1, 2).hi(), C(3, 4).who(), isinstance(C(1, 2), A), issubclass(C, A), C.__name__, B.__bases__[0] is A, type(C(1, 1)).__name__)
#: class attributes and instances
class A:
    items = []
    n = 1
a, b = A(), A()
a.items.append(1); a.n = 5; print(b.items, A.n, a.n, b.n); A.n = 7; print(b.n, a.n)
#: static, class methods, properties
class T:
    unit = 'C'
    def __init__(self, d): self._d = d
    @property
    def d(self): return self._d
    @d.setter
    def d(self, v):
        if v < 0: raise ValueError("negative")
        self._d = v
    @staticmethod
    def add(a, b): return a + b
    @classmethod
    def make(cls, d): return cls(d)
    @property
    def ro(self): return 1
t = T.make(3); t.d = 4; print(t.d, T.add(1, 2), t.add(3, 4), t.unit)
try:
    t.d = -1
except ValueError as e:
    print(e)
try:
    t.ro = 2
except AttributeError:
    print("read only")
#: operators
class V:
    def __init__(self, v): self.v = v
    def __add__(self, o): return V(self.v + (o.v if isinstance(o, V) else o))
    def __radd__(self, o): return V(o + self.v)
    def __sub__(self, o): return V(self.v - o.v)
    def __mul__(self, k): return V(self.v * k)
    __rmul__ = __mul__
    def __neg__(self): return V(-self.v)
    def __lt__(self, o): return self.v < o.v
    def __le__(self, o): return self.v <= o.v
    def __matmul__(self, o): return 'matmul'
    def __floordiv__(self, k): return V(self.v // k)
    def __iadd__(self, o): self.v += o; return self
    def __bool__(self): return self.v != 0
    def __abs__(self): return abs(self.v)
    def __len__(self): return 3
    def __call__(self, *a): return ('called', a)
    def __repr__(self): return f'V({self.v})'
    def __hash__(self): return 5
    def __invert__(self): return 'inv'
    def __mod__(self, o): return 'mod'
    def __or__(self, o): return 'or'
a, b = V(2), V(5)
print(a + b, a + 1, 1 + a, a - b, a * 3, 3 * a, -a, a < b, a > b, a <= b, sorted([b, a]), a @ b, b // 2, bool(V(0)), abs(V(-3)), len(a), a(1), max(a, b), ~a, a % 1, a | 2)
a += 10; print(a, sum([V(1), V(2)], V(0)))
#: containers
class Box:
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __contains__(self, k): return k in self.d
    def __len__(self): return len(self.d)
    def __iter__(self): return iter(self.d)
b = Box(); b['a'] = 1; b['b', 2] = 3; print(b['a'], b['b', 2], 'a' in b, len(b), list(b)); del b['a']; print(list(b), bool(b))
b[1] = 5; b[1] += 2; print(b[1])
#: iteration protocol
class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): self.i = 0; return self
    def __next__(self):
        if self.i >= self.n: raise StopIteration
        self.i += 1
        return self.i
print(list(Count(3)), [x * 2 for x in Count(2)], sum(Count(4)), max(Count(3)), dict(zip(Count(2), "ab")))
a, b = Count(2); print(a, b)
class Seq:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * i
print(list(Seq()), 4 in Seq())
#: context managers
class M:
    def __init__(self, n, swallow=False): self.n, self.s = n, swallow
    def __enter__(self): print("enter", self.n); return self.n
    def __exit__(self, t, v, tb): print("exit", self.n, t.__name__ if t else None); return self.s
with M('a') as x, M('b') as y:
    print(x, y)
with M('c', True):
    raise ValueError("swallowed")
try:
    with M('d'):
        raise KeyError('k')
except KeyError as e:
    print('out', e)
def f():
    with M('e'):
        return 'returned'
print(f())
for i in range(2):
    with M(i):
        continue
#: string representations
class A: 
    def __str__(self): return 'str'
class B:
    def __repr__(self): return 'repr'
print(A(), [B()], str(B()), f"{A()} {B()} {B()!s}", "%s %r" % (A(), B()))
#: getattr fallback
class D:
    def __init__(self): self.real = 1
    def __getattr__(self, n): return 'dyn_' + n
d = D(); print(d.real, d.other)
#: setattr hook
class S:
    def __setattr__(self, n, v):
        super().__setattr__(n, v * 2)
s = S(); s.x = 4; print(s.x)
#: class body is code
class A:
    xs = [i * i for i in range(4)]
    if len(xs) > 2:
        big = True
    def f(self): return self.big
    y = xs[1] + xs[2]
print(A.xs, A().f(), A.y)
#: nested classes
class Outer:
    class Inner:
        v = 3
    def get(self): return self.Inner().v
print(Outer.Inner.v, Outer().get())
#: methods as values
class A:
    def __init__(self, n): self.n = n
    def add(self, k): return self.n + k
m = A(10).add
print(m(5), list(map(A(1).add, [1, 2])), A.add(A(3), 4))
#: equality and hash defaults
class A: pass
a, b = A(), A()
print(a == a, a == b, a != b, a in [a], {a: 1}[a], len({a, b}))
#: not implemented falls to the other side
class L:
    def __eq__(self, o): return NotImplemented
    def __lt__(self, o): return NotImplemented
class R:
    def __eq__(self, o): return True
    def __gt__(self, o): return True
print(L() == R(), L() < R())
try:
    L() + 1
except TypeError:
    print("TypeError")
#: dataclass
from dataclasses import dataclass, field, replace
@dataclass
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list)
    def norm(self): return abs(self.x) + abs(self.y)
p = Point(1, 2); q = Point(x=1, y=2); p.tags.append('t')
print(p, q, p == q, Point(3).norm(), q.tags, replace(q, x=9))
@dataclass(frozen=True)
class F:
    a: int = 1
    def __post_init__(self): print('post', self.a)
print(F(), F(2) == F(2), len({F(3), F(3)}))
try:
    F().a = 2
except AttributeError:
    print('frozen')
@dataclass
class Child(Point):
    z: int = 5
print(Child(1, 2, [], 3))
try:
    Point()
except TypeError:
    print('TypeError')
#: abstract base classes and typing names
from abc import ABC, abstractmethod
from typing import List, Optional, Dict, Callable, Tuple, Union, Any
class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...
class Sq(Shape):
    def __init__(self, s: float): self.s = s
    def area(self) -> float: return self.s ** 2
def f(x: Optional[List[int]] = None, g: Callable[[int], int] = lambda v: v) -> Dict[str, Any]:
    return {'x': x, 'g': g(2)}
print(Sq(3).area(), f([1]))
#: attribute errors name the class
class A:
    def f(self): return self.nope
try:
    A().f()
except AttributeError as e:
    print(e)
try:
    (3).foo
except AttributeError as e:
    print(e)
try:
    None.x
except AttributeError as e:
    print(e)
#: calling what cannot be called
for f in (lambda: 3(), lambda: 'a'(), lambda: None(), lambda: [1](0)):
    try:
        f()
    except TypeError as e:
        print(e)
#: class with call and state
class Acc:
    def __init__(self): self.total = 0
    def __call__(self, x):
        self.total += x
        return self.total
acc = Acc()
print([acc(i) for i in range(4)], acc.total, callable(acc))
#: inheritance of class and static methods
class Base:
    @classmethod
    def name(cls): return cls.__name__
    @staticmethod
    def s(): return 's'
class D(Base): pass
print(D.name(), D().name(), D.s(), Base.name())
#: super in class methods and multi levels
class A:
    def f(self): return ['A']
class B(A):
    def f(self): return super().f() + ['B']
class C(B):
    def f(self): return super().f() + ['C']
print(C().f())
#: instances hold cycles
class Node:
    def __init__(self): self.me = self; self.kids = []
n = Node(); n.kids.append(n); print(n.me is n, len(n.kids))
#: comparison of instances sorted by key
class R:
    def __init__(self, a): self.a = a
rs = [R(3), R(1), R(2)]
print([r.a for r in sorted(rs, key=lambda r: r.a)], min(rs, key=lambda r: r.a).a)
#: round, format and index hooks
class N:
    def __format__(self, spec): return 'N<' + spec + '>'
    def __round__(self, n=None): return 'rounded'
    def __int__(self): return 7
    def __float__(self): return 2.5
print(f"{N():abc}", round(N()), int(N()), float(N()), '{:q}'.format(N()))
