// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes are, the parser comes back soon with a tree, and with a diagnostic unless Python would take the text.
#include <chrono>
#include <doctest/doctest.h>
#include <functional>
#include <random>
#include <string>
#include <string_view>

#include "lang/parse/parser.h"
#include "tests/syntax/dump.h"

using namespace hidet;

namespace {

struct Parsed {
    std::size_t errors = 0;
    std::string first; // id of the first diagnostic
    std::string dump;
    double ms = 0;
};

Parsed parsed(std::string text) {
    SourceMap sources;
    FileId file = sources.add("x.py", std::move(text));
    DiagnosticSink sink;
    auto start = std::chrono::steady_clock::now();
    lang::ast::Module module = lang::parse(sources, file, sink);
    Parsed out;
    out.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    out.errors = sink.all().size();
    out.first = out.errors ? info(sink.all()[0].id).id : "";
    out.dump = lang::ast::dump(module); // walks the whole tree
    if (module.had_errors != (out.errors > 0))
        FAIL("had_errors does not say whether there were errors");
    render(sink.all(), sources);
    return out;
}

std::string repeat(std::string_view piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i)
        out += piece;
    return out;
}

const char* const sample = R"(# studio: f(3)
import hidet
from hidet.lang import attrs, f32 as f
@hidet.script(a=1)
def g(a: f[3, 4], *b, c=-1.5e3, **d) -> int:
    """text"""
    for i, (j, k) in grid(3, 4):
        if i < 3 <= j and not k or a[i, ::2] is not None:
            a[i, ...] += f"{i!r:>{j}} {k=}" 'x' if j else lambda x, /, *, y=2: (x, *y)
        elif (n := len(b)) > 10: continue
        else:
            del a[0], b
    while True:
        try:
            with open(x) as h, (k): yield [i for i in h if i async for z in w]
        except (A, B) as e: raise C from e
        else: pass
        finally:
            return {1: 2, **d}, {3, 4}, b"\x00", 0x1F, 1_000j
class K(B, m=M):
    x: int = 3
match g:
    case {"a": [1, *r], **s} | K(t=u) if r: pass
    case _: assert x, "m"
)";

} // namespace

TEST_CASE("every truncation of a script gives a tree") {
    std::string text = sample;
    for (std::size_t n = 0; n <= text.size(); ++n)
        parsed(text.substr(0, n));
}

TEST_CASE("every byte of a script can be replaced, dropped or doubled") {
    std::string text = sample;
    const char bytes[] = {'(', ')', '\'',   '"',  ':', '\n', '\t', ' ', '\\',
                          '{', '}', '\xFF', '\0', '#', '=',  ',',  'x', '7'};
    for (std::size_t n = 0; n < text.size(); ++n) {
        std::string changed = text;
        changed[n] = bytes[n % sizeof bytes];
        parsed(changed);
        parsed(text.substr(0, n) + text.substr(n + 1));
        parsed(text.substr(0, n) + bytes[(n * 7) % sizeof bytes] + text.substr(n));
    }
}

TEST_CASE("random bytes and random tokens give diagnostics") {
    std::mt19937 random(7);
    const char* const words[] = {
        "if ",  "else",   ":",      "\n",    "    ", "(",      ")",      "[",      "]",       "{",      "}",
        "x",    "1 ",     "'a'",    "f'{",   "}'",   "=",      "==",     "def ",   "lambda ", "for ",   " in ",
        "not ", "*",      "**",     ",",     ".",    "\"\"\"", "\\",     "\t",     "#",       "match ", "case ",
        "@",    "async ", "await ", "with ", " as ", "try",    "except", "yield ", "class ",  ":=",     ";"};
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        int length = static_cast<int>(random() % 60);
        for (int i = 0; i < length; ++i)
            if (round % 3 == 0)
                text += static_cast<char>(random() & 0xFF);
            else
                text += words[random() % (sizeof words / sizeof *words)];
        parsed(text);
    }
}

TEST_CASE("brackets beyond any sense are one mistake") {
    for (const char* open : {"(", "[", "{", "f(", "x[", "(lambda: ", "{1:"}) {
        Parsed r = parsed(repeat(open, 100000));
        REQUIRE((r.errors >= 1 && r.errors <= 2));
        REQUIRE(r.ms < 2000);
    }
    REQUIRE(parsed(repeat("(", 100000) + repeat(")", 100000)).errors == 1u);
    REQUIRE(parsed("x = " + repeat("(", 199) + "1" + repeat(")", 199) + "\n").errors == 0);
    REQUIRE(parsed("x = " + repeat("(", 201) + "1" + repeat(")", 201) + "\n").first == "syntax-too-many-brackets");
}

TEST_CASE("long chains are accepted or refused, and never overflow the stack") {
    for (const char* piece :
         {"a+",   "a**",      "a.",           "a and ", "a<",      "-",         "not ", "~",           "a,",
          "a;",   "lambda: ", "a if b else ", "a=",     "f'{a}' ", "'a' ",      "a[0]", "await ",      "*",
          "@a\n", "\\\n",     "a\n",          "\n",     "x: ",     "import a,", "a:=",  "a or b and ", "(a)("}) {
        for (int times : {10, 1000, 50000}) {
            Parsed r = parsed("x = " + repeat(piece, times) + "a\n");
            REQUIRE(r.ms < 4000);
        }
    }
    REQUIRE(parsed("x = " + repeat("lambda: ", 199) + "a\n").errors == 0u);
    REQUIRE(parsed("x = " + repeat("lambda: ", 201) + "a\n").first == "syntax-too-deep");
    REQUIRE(parsed("x = " + repeat("a if b else ", 201) + "a\n").first == "syntax-too-deep");
    REQUIRE(parsed("x = [" + repeat("a if b else c, ", 5000) + "a]\n").errors == 0u);
    REQUIRE(parsed("if x: " + repeat("a if b else ", 201) + "a\n" + repeat("if x:\n  y\n", 300)).errors == 1u);
    REQUIRE(parsed("x = " + repeat("a + ", 300) + "a\n").errors == 0u);
    REQUIRE(parsed("x = " + repeat("a + ", 3000) + "a\n").first == "syntax-too-deep");
    REQUIRE(parsed("x = " + repeat("a and ", 3000) + "a\n").errors == 0u);
}

TEST_CASE("deep blocks and long clauses are bounded") {
    std::string nested;
    for (int i = 0; i < 150; ++i)
        nested += repeat(" ", i) + "if x:\n";
    REQUIRE(parsed(nested + repeat(" ", 150) + "y\n").first == "syntax-too-many-indents");
    std::string chain = "if x: y\n";
    for (int i = 0; i < 20000; ++i)
        chain += "elif x: y\n";
    REQUIRE(parsed(chain).first == "syntax-too-deep");
    REQUIRE(parsed(repeat("if x:\n  y\nelse:\n  z\n", 2000)).errors == 0);
}

TEST_CASE("a big file is read or refused at once") {
    Parsed big = parsed(repeat("x = 1\n", 300000));
    REQUIRE(big.errors == 0u);
    Parsed bigger = parsed(repeat("a b c ( ] \" \n", 900000));
    REQUIRE(bigger.first == "syntax-file-too-big");
    REQUIRE(bigger.ms < 100);
}

TEST_CASE("a file of mistakes stops after a hundred") {
    Parsed r = parsed(repeat("a b c\n", 50000));
    REQUIRE((r.errors >= 100 && r.errors <= 103));
    REQUIRE(r.ms < 3000);
    REQUIRE(parsed(repeat("$ ? ! ' \n", 50000)).errors <= 103);
    REQUIRE(parsed(repeat(") ] }\n", 50000)).errors <= 103);
    REQUIRE(parsed(repeat("a b ", 200000)).errors == 1);
}

TEST_CASE("bytes that are no text are named") {
    REQUIRE(parsed(std::string("x = 1\0\n", 7)).first == "syntax-nul");
    REQUIRE(parsed("x = '\xFF'\n").first == "syntax-not-utf8");
    REQUIRE(parsed("x = '\xED\xA0\x80'\n").first == "syntax-not-utf8");
    REQUIRE(parsed("x = '\xC3").first == "syntax-not-utf8");
    REQUIRE(parsed("\xEF\xBB\xBFx = 1\n").errors == 0u);
    REQUIRE(parsed("").errors == 0u);
    REQUIRE(parsed("x = 1\r\nif x:\r\n  y\r\n").dump == parsed("x = 1\nif x:\n  y\n").dump);
    REQUIRE(parsed("x = 1\rif x:\r  y\r").dump == parsed("x = 1\nif x:\n  y\n").dump);
}
