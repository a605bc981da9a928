#: for else, while else, break, continue
for i in range(5):
    if i == 3: break
    if i == 1: continue
    print(i)
else:
    print('no')
for i in range(2): pass
else: print('done', i)
n = 0
while n < 3:
    n += 1
    if n == 2: continue
    print(n)
else: print('end')
while True:
    n -= 1
    if n == 0: break
else: print('never')
for x in []: pass
else: print('empty')
#: nested loops
for i in range(3):
    for j in range(3):
        if j > i: break
        print(i, j, end=' ')
    else:
        print('full', end=' ')
        continue
    print('|', end=' ')
print()
#: elif chains
def grade(x):
    if x >= 90: return 'A'
    elif x >= 80: return 'B'
    elif x >= 70:
        return 'C'
    else: return 'F'
print([grade(x) for x in (95, 85, 75, 5)])
#: try forms
def f(k):
    try:
        if k == 0: return 'ret'
        if k == 1: raise ValueError('v')
        if k == 2: {}['x']
        if k == 3: [][0]
        if k == 4: int('x')
        print('body')
    except (KeyError, IndexError) as e:
        print('lookup', type(e).__name__)
        return 'lookup'
    except ValueError as e:
        print('value', e)
    else:
        print('else')
    finally:
        print('finally')
    return 'end'
for k in range(6):
    print(f(k))
#: exception hierarchy
for e in (KeyError, IndexError, ZeroDivisionError, ValueError, RecursionError, NotImplementedError, UnboundLocalError, ModuleNotFoundError):
    try:
        raise e('msg')
    except LookupError as x:
        print('lookup', x)
    except ArithmeticError as x:
        print('arith', x)
    except RuntimeError as x:
        print('runtime', x)
    except Exception as x:
        print('exc', type(x).__name__, x, x.args)
#: custom exceptions
class MyError(Exception):
    pass
class Detailed(MyError):
    def __init__(self, code, msg):
        super().__init__(msg)
        self.code = code
    def __str__(self): return f"[{self.code}] {super().__str__()}"
try:
    raise Detailed(42, 'bad')
except MyError as e:
    print(e, e.code, e.args, repr(e), isinstance(e, Exception))
try:
    raise MyError
except MyError as e:
    print(repr(e), str(e) == '', e.args)
print(str(MyError(1, 2)), repr(MyError('a', 3)), str(KeyError('k')), str(ValueError()))
#: re-raise
def f():
    try:
        1 / 0
    except ZeroDivisionError:
        print('log')
        raise
try:
    f()
except ZeroDivisionError as e:
    print('outer', e)
try:
    try:
        raise ValueError('a')
    except ValueError as e:
        raise KeyError('b') from e
except KeyError as e:
    print(repr(e))
#: exception name is unbound afterwards
try:
    raise ValueError
except ValueError as err:
    pass
try:
    err
except NameError:
    print("unbound")
#: finally overrides
def f():
    try:
        return 1
    finally:
        return 2
def g():
    for i in range(3):
        try:
            continue
        finally:
            print('f', i)
    return 'g'
def h():
    while True:
        try:
            break
        finally:
            print('leaving')
    return 'h'
def k():
    x = 1
    try:
        return x
    finally:
        x = 2
print(f(), g(), h(), k())
#: nested try
try:
    try:
        [][1]
    finally:
        print('inner finally')
except IndexError:
    print('caught')
try:
    try:
        raise ValueError(1)
    except KeyError:
        print('no')
except ValueError:
    print('yes')
#: errors in handlers
try:
    try:
        raise ValueError('one')
    except ValueError:
        raise TypeError('two')
except Exception as e:
    print(type(e).__name__, e)
#: uncaught error ends the program
print('before')
raise RuntimeError('stop here')
print('after')
#: uncaught name error
print('a')
print(undefined)
print('b')
#: system exit
import sys
print('x')
sys.exit(0)
print('y')
#: system exit with a code
raise SystemExit(3)
#: raise non exceptions
try:
    raise 5
except TypeError as e:
    print('TypeError')
#: except with expressions
errors = (ValueError, TypeError)
try:
    int('q')
except errors:
    print('in tuple')
def which(): return KeyError
try:
    {}[0]
except which():
    print('from call')
#: bare except
try:
    undefined_thing
except:
    print('bare')
#: assertion in a loop
def check(xs):
    for x in xs:
        assert x > 0, f"{x} is not positive"
    return True
print(check([1, 2]))
try:
    check([1, -2])
except AssertionError as e:
    print(e)
#: loop variables survive
for i in range(3): pass
print(i)
for i, c in enumerate("ab"): pass
print(i, c)
#: modifying a list while looping
a = [1, 2, 3, 4]
for x in a:
    if x == 2: a.remove(x)
print(a)
for x in a[:]:
    a.append(x)
print(a)
#: del and rebinding builtins
len = lambda x: 99
print(len([1]))
del len
print(len([1]))
list = [1]
print(list)
#: while with complex conditions
a, b = 0, 10
while a < b and not (a * 2 == b) or a == 100:
    a += 1
    b -= 1
print(a, b)
#: early return from nested loops
def find(m, x):
    for i, row in enumerate(m):
        for j, v in enumerate(row):
            if v == x:
                return i, j
    return None
print(find([[1, 2], [3, 4]], 3), find([[1]], 9))
#: import forms
import math as m, sys
from math import sqrt as root, pi
import collections
print(m.floor(2.5), root(16), round(pi, 2), sys.maxsize > 0)
#: import in functions and blocks
def f():
    import math
    from functools import reduce
    return math.ceil(1.2), reduce(lambda a, b: a + b, [1, 2])
print(f())
try:
    import no_such_module_here
except ImportError as e:
    print(type(e).__name__)
if True:
    from math import gcd
print(gcd(8, 12))
try:
    from math import no_such_name
except ImportError:
    print('ImportError')
#: semicolons, pass, ellipsis
class A: ...
def f(): ...
x = 1; y = 2;
if x: pass
print(f(), x, y, ..., Ellipsis is ...)
#: line joining
total = (1 +
         2 +
         3)
s = 'a' \
    'b'
print(total, s, [
    1,
    2,
])
#: deep nesting
x = 0
for a in range(2):
    if a:
        for b in range(2):
            while True:
                try:
                    if b:
                        x += 1
                    else:
                        x += 10
                finally:
                    x += 100
                break
print(x, ((((((1))))))), [[[[[]]]]])
#: sieve
def sieve(n):
    flags = [True] * (n + 1)
    flags[0] = flags[1] = False
    for i in range(2, int(n ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = [False] * len(flags[i * i::i])
    return [i for i, f in enumerate(flags) if f]
print(sieve(60))
#: matrix product in plain lists
A = [[1, 2, 3], [4, 5, 6]]
B = [[1, 0], [0, 1], [1, 1]]
print([[sum(a * b for a, b in zip(row, col)) for col in zip(*B)] for row in A])
#: string building
words = "the quick brown fox jumps over the lazy dog the end".split()
freq = {}
for w in words:
    freq[w] = freq.get(w, 0) + 1
print(sorted(freq.items(), key=lambda kv: (-kv[1], kv[0]))[:3], ' '.join(w.capitalize() for w in words))
#: quicksort and binary search
def qs(a):
    if len(a) <= 1: return a
    p, *rest = a
    return qs([x for x in rest if x < p]) + [p] + qs([x for x in rest if x >= p])
def bs(a, x):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < x: lo = mid + 1
        else: hi = mid
    return lo
s = qs([5, 3, 8, 1, 9, 2, 7])
print(s, bs(s, 7), bs(s, 10), bs(s, 0))
#: collatz with a dict cache
cache = {1: 1}
def steps(n):
    if n not in cache:
        cache[n] = 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)
    return cache[n]
print(max(range(1, 300), key=steps), steps(27))
