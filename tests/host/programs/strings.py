#: quotes and escapes
print('a\tb\n', "it's", 'say "hi"', '\x41\u00e9', r'\n', 'a' 'b' "c")
print(repr('it\'s'), repr("say \"hi\""), repr('both \' and "'), repr('\n\t\\'), repr('\x00\x7f'), repr('é€'))
#: triple quotes
print("""one
two "quoted" three
""", end='|')
#: indexing
s = "hello"
print(s[0], s[-1], s[1:3], s[:2], s[3:], s[::-1], s[::2], s[-3:], s[10:], s[2:1], len(s), s * 2, 'ell' in s, 'x' not in s)
u = "naïve €uro"
print(u[2], u[-4], u[::-1], len(u), u[6:], u.upper(), u.find('€'))
#: methods one
s = "  Hello World  "
print(repr(s.strip()), repr(s.lstrip()), repr(s.rstrip()), s.lower(), s.upper(), s.title(), s.swapcase(), s.strip().capitalize())
print("a,b,,c".split(','), "a b  c ".split(), "a,b,c".split(',', 1), "a,b,c".rsplit(',', 1), " a b ".split(' '), ''.split(), ''.split(','))
print('-'.join(['a', 'b']), ''.join([]), ', '.join(str(i) for i in range(3)), "x".join("abc"))
#: methods two
print("hello".replace('l', 'L'), "hello".replace('l', 'L', 1), "aaa".replace('', '-'), "abc".replace('b', ''))
print("hello".find('l'), "hello".rfind('l'), "hello".find('z'), "hello".index('e'), "hello".count('l'), "aaaa".count('aa'), "abc".count(''))
print("hello".startswith('he'), "hello".endswith(('x', 'lo')), "hello".startswith('ell', 1), "hello".find('l', 3, 4))
print("12".isdigit(), "a1".isalnum(), "ab".isalpha(), " ".isspace(), "AB".isupper(), "ab".islower(), "".isdigit(), "a_b".isidentifier(), "1a".isidentifier())
#: methods three
print(repr("ab".ljust(5)), repr("ab".rjust(5)), repr("ab".center(5)), repr("abc".center(6)), repr("ab".ljust(5, '*')), "7".zfill(3), "-7".zfill(4), "abc".zfill(2))
print("a=b=c".partition('='), "a=b=c".rpartition('='), "abc".partition('x'), "prefix_x".removeprefix('prefix_'), "x.py".removesuffix('.py'))
print("a\nb\r\nc".splitlines(), "a\nb\n".splitlines(True), "a\tb".expandtabs(4))
print(" x y z ".rsplit(), " x y z ".rsplit(None, 1), " x y z ".split(None, 1))
#: index errors
try:
    "abc"[5]
except IndexError as e:
    print("IndexError")
try:
    "abc".index("z")
except ValueError as e:
    print(e)
try:
    "abc" + 1
except TypeError as e:
    print("TypeError")
try:
    ''.join([1])
except TypeError as e:
    print(e)
#: f-strings
x, name = 3.14159, "pi"
print(f"{name} = {x:.2f}", f"{x!r}", f"{name!s:>6}|", f"{1 + 2}", f"{{}}", f"{name:*^10}", f"{x:10.3f}|", f"{42:05d}", f"{'nested ' + name}")
w, p = 8, 2
print(f"{x:{w}.{p}f}|", f"{x = }", f"{x=:.2f}", f"{name=}", f"{255:#x} {255:b} {255:o}", f"{1234567:,}", f"{0.25:.1%}", f"{True}", f"{None}")
print(f"a{'b'}c" "d" f"{1}", f"{[1, 2][0]}", f"{ {'k': 1}['k'] }", f'{"x" if x > 3 else "y"}')
#: format mini-language for integers
for spec in ("d", "5d", "<5d", "^5d", "05d", "+d", " d", ",d", "_d", "x", "X", "#x", "o", "b", "#b", "08b", "e", ".2f", "c", "=+8d", "*>8d", "+,d", "010,d"):
    print(spec, '|' + format(77, spec) + '|', end=' ')
print()
for spec in ("d", "5d", "05d", "+d", "x", "#x", ",", "_b"):
    print(spec, '|' + format(-123456, spec) + '|', end=' ')
print()
#: format mini-language for floats
for v in (3.14159265, -0.000123, 1234567.891, 1e20, 0.0, 100.0, 2.5):
    for spec in ("", "f", ".2f", "e", ".3e", "g", ".3g", "G", "%", ".1%", "10.2f", "<10.2f", "+.1f", ",.2f", "010.3f", ".0f", "#.3g", ".3", "n"):
        print(format(v, spec), end=' ')
    print()
print(format(float('nan'), '.2f'), format(float('inf'), '8.1f'), format(-float('inf'), 'e'))
#: format mini-language for strings
for spec in ("", "s", "10", "<10", ">10", "^10", ".2", "10.2", "*^9", "010"):
    print('|' + format("abc", spec) + '|', end=' ')
print()
#: str.format
print("{} {}".format(1, 2), "{1} {0}".format('a', 'b'), "{x} {y!r}".format(x=1, y='q'), "{0:>5}|{0:<5}|".format(7), "{:{w}}".format(3, w=4), "{{{}}}".format(1))
print("{0[1]} {1.real} {2[k]}".format([1, 2], 5, {'k': 'v'}), "{:.3f} ms".format(1.23456), "{!s}".format([1]), "{a[0]}{a[1]}".format(a="xy"))
#: bad formats
for f in (lambda: "{}".format(), lambda: format(3, 'z!'), lambda: format('a', 'd'), lambda: "{x}".format(), lambda: "{".format(1), lambda: format(1.5, 'd')):
    try:
        print(f())
    except (IndexError, ValueError, KeyError) as e:
        print(type(e).__name__)
#: percent formatting
print("%d %i %s %r %f %.2f %e %g %x %X %o %c %%" % (1, 2, 'a', 'b', 1.5, 2.345, 12345.678, 0.0001, 255, 255, 8, 'z'))
print("%5d|%-5d|%05d|%+d|% d|%5s|%-5s|%.2s" % (1, 2, 3, 4, 5, 'a', 'b', 'abcdef'))
print("%(a)s-%(b)03d" % {'a': 'x', 'b': 7}, "%s" % None, "%s" % [1, 2], "%d" % 3.9, "%*d" % (5, 42), "%s %s" % ('a', (1, 2)), "%s" % (1,), "%#x" % 255, "%.3d" % 7)
#: bad percent formats
for f in (lambda: "%d" % 'a', lambda: "%s %s" % (1,), lambda: "%s" % (1, 2), lambda: "%q" % 1, lambda: "%x" % 1.5):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
#: comparison and order
print("a" < "b", "abc" < "abd", "Z" < "a", "" < "a", "a" == 'a', "a" != "b", sorted(["b", "A", "a", "B"]), sorted("hello"), max("abc"))
#: iteration
for c in "aé€":
    print(c, ord(c))
print(list("abc"), tuple("ab"), [c.upper() for c in "xyz"], dict(zip("ab", (1, 2))), list(enumerate("ab", 1)), list(reversed("abc")))
#: str of containers
print(str([1, 'a', None, 2.5, (1,), {'k': [1]}, {1}, True]), [[]], [()], {}, set(), (1, 2), ((),))
#: print options
print(1, 2, 3, sep='-', end='!\n')
print('a', 'b', sep='')
print()
print(end='x\n')
print(*[1, 2, 3], sep=', ')
#: long strings
s = ''
for i in range(1000):
    s += str(i)
print(len(s), s[:20], s[-10:])
