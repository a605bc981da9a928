#: a slice is assigned from what empties the list
class Items:
    def __init__(self):
        self.n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        x.clear()
        return self.n
x = ['q'] * 10
x[5:8] = Items()
print(x)
x = ['q'] * 10
x[::1] = Items()
print(x)

#: comparisons that empty what is compared
class Emptying:
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        x.clear()
        y.clear()
        z.append([self.n] * 9)
        return False
    def __lt__(self, other):
        return True
    def __hash__(self):
        return 1
z = []
x, y = [Emptying(i) for i in range(10)], [Emptying(i) for i in range(10)]
print(x < y)
x, y = [Emptying(i) for i in range(10)], [Emptying(i) for i in range(10)]
print(x == y, len(x), len(y))
x, y = [Emptying(i) for i in range(10)], []
try:
    x.remove(3)
except ValueError as error:
    print('no', error)
x, y = [Emptying(i) for i in range(10)], []
print(3 in x, len(x))
x, y = [Emptying(i) for i in range(10)], []
print(x.count(3), len(x))

#: a comparison that shortens the list finds what it removes
class Shortening:
    def __eq__(self, other):
        del x[0:]
        return True
x = [Shortening(), 1, 2]
x.remove(5)
print(x)
x = [1, 2, Shortening()]
x.remove(5)
print(x)

#: a list that is changed while it is sorted
x = [3, 1, 2]
try:
    x.sort(key=lambda item: x.append(item) or item)
except ValueError as error:
    print(error)
print(x)
x = [3, 1, 2]
x.sort(key=lambda item: len(x) or item)
print(x)
def failing(item):
    raise KeyError(item)
try:
    x.sort(key=failing)
except KeyError:
    print(x)

#: a dict that is changed while it is walked
d = {1: 2, 3: 4}
try:
    for key in d:
        d[key + 10] = 0
except RuntimeError as error:
    print(error)
d = {1: 2, 3: 4}
other = dict(d)
print([d.pop(key) for key in list(d)], other)

#: an iterator that asks itself
def again(i):
    return next(g, 'end') if i == 1 else i
g = (again(i) for i in range(3))
try:
    print(list(g))
except ValueError as error:
    print(error)

#: text of what is found within itself
a = [1]
a.append(a)
d = {'a': a}
d['d'] = d
a.append(d)
print(a)
print(d)
class Holder:
    def __init__(self):
        self.items = [1]
    def __repr__(self):
        return f'Holder({self.items!r})'
holder = Holder()
holder.items.append(holder)
print(holder, holder.items)
t = ([],)
t[0].append(t)
print(t)

#: a dataclass within itself
from dataclasses import dataclass
@dataclass
class Node:
    name: str
    next: object = None
node = Node('a')
node.next = node
print(node)
node.next = [node, Node('b', {1: node})]
print(node)

#: exceptions that hold themselves
error = ValueError('a')
error.args = (error, 1)
print(repr(error) == 'ValueError(ValueError(...), 1)')
error.args = (error,)
for text in (str, repr):
    try:
        text(error)
    except RecursionError:
        print('recursion')

#: text that changes what it is made of
class Changing:
    def __repr__(self):
        x.clear()
        d.clear()
        return 'changing'
x = [Changing(), 1, 2]
d = {}
print(x, x)
x, d = [], {1: Changing(), 2: 3}
print(d, d) if False else print(str(d).startswith('{1: changing'))
error = ValueError(Changing(), 2)
print(repr(error))
class Other:
    def __str__(self):
        error.args = ()
        return 'other'
error = ValueError(Other())
print(error)

#: what nests without end can be caught
def deep(make, start):
    value = start
    for _ in range(100000):
        value = make(value)
    return value
a = deep(lambda v: [v], [])
b = deep(lambda v: [v], [])
for use in (lambda: a == b, lambda: a < b, lambda: repr(a), lambda: str(a), lambda: f'{a}'):
    try:
        use()
        print('fine')
    except RecursionError:
        print('recursion')

#: copies of what holds itself
import copy
a = [1]
a.append(a)
b = copy.deepcopy(a)
print(b[1] is b, b is a)
t = ([],)
t[0].append(t)
u = copy.deepcopy(t)
print(len(u), u[0] is t[0])
shared = (1, [2])
v = copy.deepcopy([shared, shared])
print(v[0] is v[1])

#: classes that lose what is being called
class Lost:
    def method(self):
        del Lost.method
        return 'still here'
    @property
    def value(self):
        del Lost.value
        return 'value'
lost = Lost()
print(lost.method(), lost.value, hasattr(lost, 'method'), hasattr(lost, 'value'))

#: methods of classes as functions of anything
from dataclasses import dataclass
from collections import namedtuple
@dataclass(frozen=True, order=True)
class Data:
    x: int = 0
Pair = namedtuple('Pair', 'a b')
for call in (lambda: Data.__init__(5), lambda: Data.__repr__(), lambda: Data.__lt__(Data(1)), lambda: Pair.__eq__(),
             lambda: Data(1) < 5):
    try:
        call()
        print('called')
    except (TypeError, AttributeError):
        print('refused')

#: a class that loses the method by which it is walked
class Losing:
    def __getitem__(self, i):
        if i == 2:
            del Losing.__getitem__
        return i
try:
    for i in Losing():
        print(i)
except TypeError:
    print('refused')

#: random numbers of the widest ranges
import random
random.seed(5)
lowest, highest = -9223372036854775807 - 1, 9223372036854775807
print(random.randrange(lowest, highest, 3), random.randrange(highest, lowest, -5), random.randrange(lowest, highest))
print(random.randint(lowest, highest - 1), random.randrange(0, highest, highest))
