#: list basics
a = [3, 1, 2]
a.append(5); a.insert(0, 9); a.extend([7, 8]); print(a, len(a))
print(a.pop(), a.pop(0), a, a.index(1), a.count(2)); a.remove(1); print(a)
a.sort(); print(a); a.reverse(); print(a); b = a.copy(); b.clear(); print(a, b, a == [7, 5, 3, 2], a + [1], [0] * 3, 2 * [1, 2])
#: list slices
a = list(range(10))
print(a[2:5], a[:-3], a[::3], a[::-1], a[5:2:-1], a[-3:], a[20:], a[-100:2])
a[2:4] = ['x', 'y', 'z']; print(a)
a[::2] = [0] * len(a[::2]); print(a)
del a[0]; del a[-1]; del a[1:3]; print(a)
a[1:1] = [100, 200]; print(a)
del a[::2]; print(a)
#: list errors
a = [1, 2]
for f in (lambda: a[5], lambda: a[-3], lambda: a.pop(9), lambda: [].pop(), lambda: a.index(7), lambda: a.remove(7), lambda: a['x'], lambda: a[1.0]):
    try:
        print(f())
    except (IndexError, ValueError, TypeError) as e:
        print(type(e).__name__)
#: aliasing
a = [1, 2]; b = a; b.append(3); print(a, a is b, a == [1, 2, 3], a is [1, 2, 3])
c = [[0] * 2] * 2; c[0][0] = 1; print(c)
d = [[0] * 2 for _ in range(2)]; d[0][0] = 1; print(d)
a += [4]; print(b)
t = (1, 2); u = t; t += (3,); print(t, u)
#: unpacking
a, b = 1, 2; a, b = b, a; print(a, b)
(a, b), c = (1, 2), 3; print(a, b, c)
[x, *y] = [1, 2, 3]; print(x, y)
*x, y = "abc"; print(x, y)
x, *y, z = range(5); print(x, y, z)
a = b = c = 7; print(a, b, c)
for i, (j, k) in [(1, (2, 3)), (4, (5, 6))]:
    print(i, j, k)
first, *rest = (1,); print(first, rest)
#: unpacking errors
for code in (0, 1, 2, 3):
    try:
        if code == 0:
            a, b = [1, 2, 3]
        elif code == 1:
            a, b, c = 1, 2
        elif code == 2:
            a, *b, c = [1]
        else:
            a, b = 5
    except (ValueError, TypeError) as e:
        print(type(e).__name__)
#: tuples
t = (1, 2, 3, 2)
print(t[0], t[-1], t[1:], t.count(2), t.index(3), len(t), t + (4,), t * 2, (1,), (), 2 in t, t < (1, 3), (1, 2) == (1, 2), hash(t) == hash((1, 2, 3, 2)))
try:
    t[0] = 1
except TypeError as e:
    print(e)
#: dict basics
d = {'a': 1, 'b': 2}
d['c'] = 3; d['a'] = 10; print(d, len(d), d['a'], d.get('z'), d.get('z', 0), 'a' in d, 1 in d)
print(list(d), list(d.keys()), list(d.values()), list(d.items()), d.pop('a'), d, d.pop('q', None), d.setdefault('x', []), d)
d.update({'b': 5}, y=6); print(d); del d['b']; print(d)
for k, v in d.items():
    print(k, v)
print(d.keys(), d.values(), d.items(), {**d, 'n': 1}, dict(a=1, b=2), dict([(1, 2), (3, 4)]), dict({'a': 1}, b=2), {} == dict())
print(d.popitem(), d, {1: 'a', 1.0: 'b', True: 'c'}, {(1, 2): 3}[1, 2], {'a': 1} | {'b': 2})
d.clear(); print(d)
#: dict errors
d = {'a': 1}
for f in (lambda: d['b'], lambda: d.pop('b'), lambda: {[]: 1}, lambda: {}.popitem(), lambda: {{}: 1}):
    try:
        print(f())
    except (KeyError, TypeError) as e:
        print(type(e).__name__, e)
#: dict changed while iterating
d = {1: 1, 2: 2}
try:
    for k in d:
        d[k + 10] = 1
except RuntimeError as e:
    print(e)
#: dict order and deletion
d = {i: i * i for i in range(10)}
for i in range(0, 10, 2):
    del d[i]
d[0] = 'zero'
print(d, len(d), list(reversed(list(d))))
for i in range(1000):
    d[i % 50] = i
print(len(d), sum(d.values()))
#: set basics
s = {3, 1, 2}
s.add(4); s.add(1); s.discard(9); s.remove(3)
print(sorted(s), len(s), 2 in s, sorted(s | {7}), sorted(s & {1, 2}), sorted(s - {1}), sorted(s ^ {1, 9}), {1, 2} <= {1, 2, 3}, {1} < {1}, {1, 2} == {2, 1})
print(sorted(s.union([10])), sorted(s.intersection([1])), sorted(s.difference([1])), s.issubset(range(10)), s.isdisjoint([99]), set(), sorted(set("hello")), frozenset([1]) == {1})
s |= {100}; s -= {1}; print(sorted(s)); s.clear(); print(s)
try:
    set().remove(1)
except KeyError as e:
    print('KeyError', e)
#: ranges
r = range(2, 20, 3)
print(list(r), len(r), r[0], r[-1], r[1:3], 5 in r, 6 in r, r.index(8), list(reversed(r)), r == range(2, 20, 3), range(0) == range(5, 5), r, range(3), list(range(5, 0, -2)), sum(range(101)))
#: sorting
print(sorted([3, 1, 2], reverse=True), sorted("bca"), sorted([(1, 'b'), (1, 'a'), (0, 'z')]), sorted([3, -1, 2], key=abs), sorted(['bb', 'a', 'ccc'], key=len, reverse=True))
people = [('x', 3), ('y', 1), ('z', 3), ('w', 1)]
people.sort(key=lambda p: p[1]); print(people); people.sort(key=lambda p: p[1], reverse=True); print(people)
try:
    sorted([1, 'a'])
except TypeError as e:
    print("TypeError")
#: zip map filter enumerate
print(list(zip([1, 2, 3], "ab")), list(map(lambda x: x * 2, [1, 2])), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, '', 'a'])), list(filter(lambda x: x > 1, [1, 2, 3])), list(enumerate(['a'], start=5)), list(zip()), dict(enumerate("ab")))
print(any([0, 1]), all([1, 0]), any([]), all([]), all(x > 0 for x in [1, 2]), any(x > 5 for x in range(10)))
#: comprehensions
print([x ** 2 for x in range(5) if x % 2], {x % 3 for x in range(10)} == {0, 1, 2}, {k: v for k, v in zip("ab", [1, 2])}, [(x, y) for x in range(3) for y in range(x)], [[j for j in range(i)] for i in range(3)], [y for x in [[1, 2], [3]] for y in x if y != 2])
x = 'outer'
print([x for x in range(3)], x)
print(sum(x for x in range(5)), list(x for x in "ab"), max((len(w), w) for w in ["aa", "b"]))
#: comprehension scoping
def f():
    n = 3
    return [n * i for i in range(n)]
print(f())
fs = [lambda: i for i in range(3)]
print([g() for g in fs])
fs = [lambda i=i: i for i in range(3)]
print([g() for g in fs])
#: generators are lazy
def noisy(x):
    print("noisy", x)
    return x
g = (noisy(i) for i in range(3))
print("made")
print(next(g), next(g))
print(list(g), list(g), next(g, 'done'))
#: walrus
if (n := len("hello")) > 3:
    print(n)
print([y := 5, y * 2], [last := i for i in range(3)], last)
while (n := n - 1) > 2:
    print('n', n)
#: starred displays
a, b = [1, 2], (3,)
print([*a, *b], (*a, 0), {*a, *b}, {**{'x': 1}, **{'x': 2, 'y': 3}}, [*range(3)], [*"ab"])
#: nested structures compare
print([1, [2, 3]] == [1, [2, 3]], {'a': [1]} == {'a': [1]}, (1, 'a') < (1, 'b'), [1, 2] < [1, 2, 0], [] < [0], {1: 2} == {1: 2.0}, [1] == (1,))
#: self reference prints
a = [1]; a.append(a); print(a)
d = {}; d['d'] = d; print(d)
#: iterators
it = iter([1, 2]); print(next(it), next(it), next(it, None))
try:
    next(it)
except StopIteration:
    print("stop")
print(list(zip(*[iter(range(6))] * 2)), list(reversed([1, 2, 3])), list(iter(range(2))))
#: itertools
from itertools import product, chain, combinations, permutations, count, islice, repeat, accumulate, takewhile, dropwhile, zip_longest, starmap, cycle, groupby
print(list(product([1, 2], 'ab')), list(product([0, 1], repeat=2)), list(chain([1], (2,), "3")), list(chain.from_iterable([[1], [2]])))
print(list(combinations(range(4), 2)), list(permutations([1, 2, 3], 2)), list(islice(count(5, 2), 3)), list(repeat('x', 2)), list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)))
print(list(takewhile(lambda x: x < 3, range(9))), list(dropwhile(lambda x: x < 7, range(9))), list(zip_longest([1, 2], [3], fillvalue=0)), list(starmap(pow, [(2, 3), (3, 2)])), list(islice(cycle("ab"), 5)), [(k, list(g)) for k, g in groupby([1, 1, 2])], list(product()), list(islice(range(10), 2, 8, 3)))
#: functools
from functools import partial, reduce, lru_cache, cache
print(partial(pow, 2)(5), partial(int, base=2)("101"), reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [], 10))
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(60))
@cache
def g(x):
    print("computing", x)
    return x
print(g(1), g(1))
#: collections
from collections import namedtuple, defaultdict, OrderedDict
P = namedtuple('P', ['x', 'y'])
p = P(1, y=2); print(p, p.x, p[1], tuple(p), p == P(1, 2), len(p)); a, b = p; print(a, b)
d = defaultdict(list); d['a'].append(1); d['b']; print(dict(d), len(d)); c = defaultdict(int); c['x'] += 2; print(c['x'], 'y' in c)
#: copying
import copy
a = [[1], 2]; b = copy.copy(a); c = copy.deepcopy(a); a[0].append(9); print(b, c)
#: operator
import operator
print(operator.add(1, 2), operator.mul(3, 4), sorted([(2, 'a'), (1, 'b')], key=operator.itemgetter(0)), operator.itemgetter(1, 0)("ab"))
#: membership and identity
print(1 in [1.0], None in [None], 'a' in {'a': 1}, (1,) in [(1,)], [] in [[]], None is None, 1 is not None, not [] is False)
#: multiple targets evaluate left to right
def show(x):
    print('show', x)
    return x
d = {}
d[show('a')], d[show('b')] = show(1), show(2)
print(d)
i, a = 0, [0, 0]
i, a[i] = 1, 5
print(i, a)
