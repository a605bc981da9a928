// SPDX-License-Identifier: Apache-2.0
// parse(print(m)) == m for hand-written and random modules, and no text crashes the reader.
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "compiler/ir/module_options.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "tests/unit/ir/random_module.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

struct Parsed {
    ModuleRef module;
    std::string diagnostics;
};

Parsed parse(const std::string& text) {
    SourceMap sources;
    FileId file = sources.add("m.ir", text);
    DiagnosticSink sink;
    ModuleRef module = parse_module(sources, file, sink);
    return {module, render(sink.all(), sources)};
}

void round_trip(const ModuleRef& module) {
    std::string text = print_module(*module).text;
    Parsed again = parse(text);
    if (!again.module)
        FAIL(again.diagnostics, "\n", text);
    REQUIRE(print_module(*again.module).text == text);
    if (!structural_equal(module, again.module))
        FAIL("not equal:\n", text);
    REQUIRE(structural_hash(module) == structural_hash(again.module));
}

void expect_error(const std::string& text, const std::string& head) {
    Parsed parsed = parse(text);
    REQUIRE(!parsed.module);
    REQUIRE(parsed.diagnostics.substr(0, parsed.diagnostics.find('\n')) == head);
}

std::string in_function(const std::string& line) {
    return "module 'm' level script\n\ndef f(a: *f32[4, 8], n: i32):\n    attrs.func_kind = 'cuda_internal'\n    " +
           line + "\n";
}

class KindCollector : public Walker {
public:
    std::set<Kind> kinds;
    std::set<DType> dtypes;

protected:
    using Walker::visit;
#define HIDET_TYPE(name)                                                                                               \
    void visit(const name& node) override {                                                                            \
        kinds.insert(node.kind);                                                                                       \
        note(node);                                                                                                    \
        Walker::visit(node);                                                                                           \
    }
#define HIDET_LAYOUT(name) HIDET_TYPE(name)
#define HIDET_MAPPING(name) HIDET_TYPE(name)
#define HIDET_EXPR(name) HIDET_TYPE(name)
#define HIDET_STMT(name) HIDET_TYPE(name)
#define HIDET_TOP(name)                                                                                                \
    void visit(const name& node) override {                                                                            \
        kinds.insert(node.kind);                                                                                       \
        note(node);                                                                                                    \
        Walker::visit(node);                                                                                           \
    }
#include "compiler/ir/nodes.def"

private:
    void note(const DataType& type) {
        dtypes.insert(type.dtype);
    }
    void note(const Node&) {}
};

} // namespace

TEST_CASE("random modules round-trip, and together use every kind of node and every dtype") {
    KindCollector seen;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        ModuleRef module = test::random_module(seed, {static_cast<Level>(seed % 5), 12});
        round_trip(module);
        seen.walk(module);
    }
    for (int kind = 0; kind <= static_cast<int>(Kind::Module); ++kind)
        if (!seen.kinds.contains(static_cast<Kind>(kind)))
            FAIL("never made: ", kind_name(static_cast<Kind>(kind)));
    REQUIRE(seen.dtypes.size() == all_dtypes().size());
}

TEST_CASE("a mistake in the text is reported at its place") {
    expect_error(in_function("total = n"), "m.ir:5:5: error: unknown name 'total' [ir-unknown-name]");
    expect_error(in_function("declare x: f99 = n"), "m.ir:5:16: error: unknown name 'f99' [ir-unknown-name]");
    expect_error(in_function("return n +"),
                 "m.ir:5:15: error: expected an expression before the end of the line [ir-expected]");
    expect_error(in_function("return n $ 1"), "m.ir:5:14: error: unexpected character '$' [ir-character]");
    expect_error(in_function("declare s: str = 'abc"),
                 "m.ir:5:22: error: this string does not end on its line [ir-unterminated]");
    expect_error(in_function("return i8(300)"), "m.ir:5:15: error: '300' is not a value of 'int8' [ir-literal]");
    expect_error(in_function("n[0] = 1"), "m.ir:5:5: error: a 'i32' has no elements [ir-invalid]");
    expect_error(in_function("declare n: i32"), "m.ir:5:13: error: 'n' is defined twice [ir-duplicate]");
    expect_error(in_function("if True:\n        return\n      return"),
                 "m.ir:7:1: error: this line is indented like no line before it [ir-indentation]");
}

TEST_CASE("each function reports its own mistake") {
    Parsed parsed =
        parse("module 'm' level script\n\ndef f():\n    return a\n\ndef g():\n    pass\n\ndef h():\n    return b\n");
    REQUIRE(!parsed.module);
    REQUIRE(parsed.diagnostics.find("m.ir:4:12: error: unknown name 'a'") != std::string::npos);
    REQUIRE(parsed.diagnostics.find("m.ir:10:12: error: unknown name 'b'") != std::string::npos);
}

TEST_CASE("nesting without end is refused, not followed") {
    for (const char* unit : {"(", "-", "not ", "n[", "(let x: i32 = ", "1 + (", "cast(", "&", "@a[", "math.exp("}) {
        std::string text = "return ";
        for (int i = 0; i < 100'000; ++i)
            text += unit;
        REQUIRE(!parse(in_function(text)).module);
    }
    std::string sum = "return n";
    for (int i = 0; i < 100'000; ++i)
        sum += " + n";
    REQUIRE(parse(in_function(sum)).diagnostics.find("[ir-too-deep]") != std::string::npos);
    std::string chain = "if n == 0:\n        pass";
    for (int i = 0; i < 5'000; ++i)
        chain += "\n    elif n == 1:\n        pass";
    REQUIRE(parse(in_function(chain)).diagnostics.find("[ir-too-deep]") != std::string::npos);
}

TEST_CASE("a tree as deep as nodes may be prints and reads back") {
    VarRef n = make_var("n", data_type(DType::I32));
    ExprRef left = n, right = n;
    for (int i = 0; i < max_depth - 60; ++i) {
        left = make_binary(BinOp::Sub, left, n);
        right = make_binary(BinOp::Sub, n, right);
    }
    Function f;
    f.name = "f";
    f.params = {n};
    f.ret = data_type(DType::I32);
    f.body = make_seq({make_evaluate(left), make_return(right)});
    Module module;
    module.functions = {make<Function>(std::move(f))};
    round_trip(make<Module>(std::move(module)));
}

TEST_CASE("mutated text is read or refused, never more") {
    std::uint64_t state = 7;
    auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        std::string text = print_module(*test::random_module(seed % 300, {static_cast<Level>(seed % 5), 4})).text;
        for (std::uint64_t edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
            std::size_t at = random() % text.size();
            std::size_t length = random() % 6;
            switch (random() % 4) {
            case 0: text[at] = static_cast<char>(random()); break;
            case 1: text.erase(at, length); break;
            case 2: text.insert(at, text.substr(random() % text.size(), length)); break;
            default: text.resize(at + 1);
            }
        }
        Parsed parsed = parse(text);
        REQUIRE((parsed.module || !parsed.diagnostics.empty()));
        if (parsed.module) {
            round_trip(parsed.module);
            ++accepted;
        }
    }
    REQUIRE(accepted > 100);
}

TEST_CASE("bytes that are no text are refused") {
    for (std::string text :
         {std::string(), std::string(3, '\0'), std::string("\xff\xfe"), std::string("module"), std::string("\r\n \r")})
        REQUIRE(!parse(text).module);
    REQUIRE(parse("# head\r\nmodule 'm' level loop\r\n").module);
}
TEST_CASE("what a script asks of code stands beside the module's name, and is part of what modules are compared by") {
    ir::Module plain;
    plain.name = "m";
    ir::Module asked = plain;
    asked.options = text_of(ModuleOptions{"sm_80", "x86-64-v3", true, true});
    const ModuleRef module = make<ir::Module>(std::move(asked));
    round_trip(module);
    REQUIRE(options_of(*module) == ModuleOptions{"sm_80", "x86-64-v3", true, true});
    REQUIRE(!structural_equal(module, make<ir::Module>(std::move(plain))));
    expect_error(
        "module 'm' level script options 'cuda.arch=sm_80 cuda.build.fast'\n",
        "m.ir:1:33: error: expected options of code before \"'cuda.arch=sm_80 cuda.build.fast'\" [ir-expected]");
}
