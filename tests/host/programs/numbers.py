#: integer arithmetic
for a in (7, -7, 0, 12345678901):
    for b in (2, -2, 3, -5):
        print(a + b, a - b, a * b, a // b, a % b, divmod(a, b))
print(2 ** 10, (-2) ** 3, 2 ** 0, 0 ** 0, 2 ** -1, 10 ** 18)
print(1 << 10, 1024 >> 3, -5 >> 1, 6 & 3, 6 | 3, 6 ^ 3, ~5, -(-3), +4)
#: division and types
print(7 / 2, 6 / 3, -7 / 2, 1 / 3, 0 / 5)
print(7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7 % -2.5, 1e300 * 10)
print(True + True, True * 3, False - 1, True / 2, True & False, True | False, True ^ True, ~True)
#: float text
for x in (0.1, 1.0, 1e15, 1e16, 1e17, 123456789012345678.0, 1e-4, 1e-5, 0.00012345, 1.5e300, -0.0, 2.5e-310, 100.0, 3.14159):
    print(x, repr(x), str(x))
print(float('inf'), float('-inf'), float('nan'), 1e308 * 10)
#: comparison of mixed numbers
print(1 == 1.0, 1 < 1.5, True == 1, 2 ** 53 == float(2 ** 53), 2 ** 53 + 1 == float(2 ** 53), 3 > 2 > 1, 1 < 3 < 2)
print(float('nan') == float('nan'), float('nan') != 1, 0.0 == -0.0)
#: rounding
print([round(x) for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6)])
print(round(2.675, 2), round(1.005, 2), round(1234.5678, -2), round(1234, -2), round(1250, -2), round(1350, -2), round(5, 3), round(-7.123456, 4))
#: abs min max sum
print(abs(-3), abs(2.5), abs(True), min(3, 1, 2), max([4, 9, 2]), sum([1, 2, 3]), sum([0.5, 0.25], 1), sum([[1], [2]], []))
print(min("hello"), max("a", "b", key=lambda c: -ord(c)), min([], default=7), max(range(5), key=lambda x: (x % 3, x)))
#: conversions
print(int("42"), int(" -17 "), int("ff", 16), int("0x1F", 16), int("0b101", 0), int("1_000"), int(3.99), int(-3.99), int(True), int())
print(float("2.5"), float(" 1e3 "), float("-inf"), float(3), float(), bool(0), bool("x"), bool([]), bool(0.0), bool())
print(str(12), str(None), str(True), str([1, 'a']), str(1.50))
#: bad conversions
for text in ("abc", "1.5", "", "12a"):
    try:
        print(int(text))
    except ValueError as e:
        print(type(e).__name__, e)
for text in ("abc", "", "1.2.3"):
    try:
        print(float(text))
    except ValueError as e:
        print(type(e).__name__, e)
#: division by zero
for f in (lambda: 1 / 0, lambda: 1 // 0, lambda: 1 % 0, lambda: 1.0 / 0, lambda: divmod(1, 0), lambda: 0 ** -1):
    try:
        print(f())
    except ZeroDivisionError as e:
        print("ZeroDivisionError")
#: bases
print(bin(10), oct(64), hex(255), bin(-5), hex(-255), chr(65), ord('z'), chr(8364), ord('€'))
#: pow with three arguments
print(pow(2, 10), pow(2, 10, 1000), pow(3, 5, 7), pow(2.0, 3), pow(-3, 3, 5), pow(7, 0, 13))
#: integer methods
print((5).bit_length(), (0).bit_length(), (-8).bit_length(), (2.0).is_integer(), (2.5).is_integer(), (255).bit_count())
#: in place operators
x = 5
x += 3; print(x)
x -= 1; print(x)
x *= 2; print(x)
x //= 3; print(x)
x **= 2; print(x)
x %= 7; print(x)
x <<= 4; print(x)
x >>= 1; print(x)
x |= 1; print(x)
x &= 7; print(x)
x ^= 2; print(x)
x /= 4; print(x)
#: math module
import math
print(math.pi, math.e, math.sqrt(2), math.floor(-2.5), math.ceil(2.1), math.trunc(-2.7), math.gcd(12, 18), math.lcm(4, 6))
print(math.log(math.e), math.log2(8), math.log10(1000), math.log(8, 2), math.exp(1), math.isclose(0.1 + 0.2, 0.3))
print(math.factorial(10), math.comb(10, 3), math.isqrt(99), math.prod([1, 2, 3, 4]), math.hypot(3, 4), math.fabs(-2))
print(math.inf > 10 ** 18, math.isnan(math.nan), math.isinf(-math.inf), math.copysign(1, -0.0), math.fmod(-7, 3), math.atan2(1, 1))
#: math errors
import math
for f in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.acos(2), lambda: math.factorial(-1)):
    try:
        print(f())
    except ValueError as e:
        print("ValueError")
#: numbers with underscores and other bases
print(1_000_000, 0xff, 0o17, 0b1010, 1e3, 1_0.5, .5, 5., 1E-2)
#: precedence
print(2 + 3 * 4 ** 2, -2 ** 2, (-2) ** 2, 2 ** 3 ** 2, 10 - 4 - 3, 100 / 10 / 2, not True or True, 1 + 2 << 3, 5 & 3 == 3, -3 // 2, ~1 + 1)
#: overflow stays an exception here, large floats become inf only by multiplication
try:
    print(10.0 ** 400)
except OverflowError:
    print("OverflowError")
print(1e200 * 1e200)
#: hash and identity
print(hash(1) == hash(1.0) == hash(True), hash("a") == hash("a"), hash((1, 2)) == hash((1, 2)), id(x := [1]) == id(x))
#: chained comparisons evaluate each operand once
def f(x):
    print("f", x)
    return x
print(f(1) < f(2) < f(3))
print(f(3) < f(2) < f(1))
