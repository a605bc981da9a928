// SPDX-License-Identifier: Apache-2.0
// Each rule of the verifier, broken once in the textual form; well-formed modules pass.
#include "compiler/ir/verify.h"

#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "tests/unit/ir/parsed.h"
#include "tests/unit/ir/random_module.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::ir;

namespace {

// The body stands in a device function; `helper` and `kernel` can be called and launched.
std::string module_text(const std::string& body, const std::string& level, const std::string& kind = "cuda_internal") {
    std::string text = "module 'm' level " + level + "\n\nextern abs: (i32) -> i32\n\n";
    text += "def helper(x: i32) -> f32:\n    attrs.func_kind = 'cuda_internal'\n    return 1.0\n\n";
    text += "def kernel(p: ~f32):\n    attrs.func_kind = 'cuda_kernel'\n    attrs.cuda.grid_dim = 1, 1, 1\n";
    text += "    attrs.cuda.block_dim = 32, 1, 1\n    pass\n\n";
    text += "def f(p: ~f32, n: i32, c: bool, h: f16):\n    attrs.func_kind = '" + kind + "'\n";
    for (const std::string& line : split(body, '\n'))
        text += "    " + line + "\n";
    return text;
}

void accepts(const std::string& body, const std::string& level = "script", const std::string& kind = "cuda_internal") {
    auto found = verify(*test::parsed_module(module_text(body, level, kind)));
    REQUIRE(join(found, "\n") == "");
}

void refuses(const std::string& body, const std::string& sentence, const std::string& level = "script",
             const std::string& kind = "cuda_internal") {
    auto found = verify(*test::parsed_module(module_text(body, level, kind)));
    REQUIRE((found.empty() ? "" : found.front()) == "function 'f': " + sentence);
}

ModuleRef with_body(StmtRef body, VarVec params = {}) {
    Function f;
    f.name = "f";
    f.params = std::move(params);
    f.ret = void_type();
    f.body = std::move(body);
    Module module;
    module.functions = {make<Function>(std::move(f))};
    return make<Module>(std::move(module));
}

} // namespace

TEST_CASE("random modules of every level are well formed") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        ModuleRef module = test::random_module(seed, {static_cast<Level>(seed % 5), 12});
        auto found = verify(*module);
        if (!found.empty())
            FAIL(join(found, "\n"), "\n", print_module(*module).text);
    }
}

TEST_CASE("operands have the types that their operators want") {
    refuses("n + 1.0", "both operands have the same type: n + 1.0");
    refuses("n and c", "'and' and 'or' are for bools: n and c");
    refuses("h << n", "shifts are for integers: h << n");
    refuses("not n", "'not' is for bools: not n");
    refuses("bitwise_not(h)", "'bitwise_not' is for integers: bitwise_not(h)");
    refuses("p * n", "an integer is added to a pointer: p * n");
    refuses("p == cast(p, ~i32)", "pointers to the same type are compared or subtracted: p == cast(p, ~i32)");
    refuses("(1 if n else 2)", "a condition is a bool: (1 if n else 2)");
    refuses("(1 if c else 2.0)", "both values have the same type: (1 if c else 2.0)");
    accepts("p + n\np - p\np == p\nn << i64(3)");
}

TEST_CASE("conditions are bools") {
    refuses("if n:\n    pass", "a condition is a bool: if n:");
    refuses("while n:\n    pass", "a condition is a bool: while n:");
    refuses("assert n, 'x'", "a condition is a bool: assert n, 'x'");
}

TEST_CASE("values have the types of their places") {
    refuses("declare x: i64 = n", "a value has the type of its variable: declare x: i64 = n");
    refuses("n = 1.0", "a value has the type of its variable: n = 1.0");
    refuses("p[n] = n", "a value has the type of the element: p[n] = n");
    refuses("return n", "a function returns a value unless it is void: return n");
    refuses("let x: i32 = n\nx = 2", "lets and loop variables are not assigned: x = 2");
    refuses("let x: i32 = n\ndeclare q: ~i32 = &x", "lets and loop variables have no address: &x");
    accepts("declare q: *f32[8] = p\nlet r: ~f32 = q");
}

TEST_CASE("elements have as many integer indices as dims") {
    refuses("declare s: f32[4, 8]\ns[n] = 1.0", "as many indices as the base has dims: s[n] = 1.0");
    refuses("p[n, n] = 1.0", "as many indices as the base has dims: p[n, n] = 1.0");
    refuses("p[h] = 1.0", "indices are integers: p[h] = 1.0");
    refuses("declare s: f32[h]", "the dims of a tensor are integers: f32[h]");
}

TEST_CASE("calls and launches match what they name") {
    refuses("helper(1.0)", "arguments have the types of the parameters: helper(1.0)");
    refuses("call('helper', i32, n)", "a call has the type that the function returns: helper(n)");
    refuses("call('nobody', void)", "no such function: nobody()");
    refuses("call('kernel', void, p)", "a kernel is launched, not called: kernel(p)");
    refuses("abs(h)", "arguments have the types of the parameters: abs(h)");
    refuses("helper(n)", "functions call functions on their own side: helper(n)", "script", "public");
    refuses("launch kernel(p), grid=[1, 1, 1], cluster=[], block=[32, 1, 1]",
            "kernels are launched from the host: launch kernel(p), grid=[1, 1, 1], cluster=[], block=[32, 1, 1]");
    refuses("launch kernel(p), grid=[1, 1], cluster=[], block=[32, 1, 1]",
            "a launch has three dims of each kind: launch kernel(p), grid=[1, 1], cluster=[], block=[32, 1, 1]",
            "script", "public");
    refuses("launch helper(n), grid=[1, 1, 1], cluster=[], block=[32, 1, 1]",
            "no such kernel: launch helper(n), grid=[1, 1, 1], cluster=[], block=[32, 1, 1]", "script", "public");
    refuses("launch kernel(n), grid=[1, 1, 1], cluster=[], block=[32, 1, 1]",
            "arguments have the types of the parameters: launch kernel(n), grid=[1, 1, 1], cluster=[], block=[32, "
            "1, 1]",
            "script", "public");
    accepts("launch kernel(p), grid=[n, 1, 1], cluster=[], block=[32, 1, 1], dynamic_smem_bytes=n", "script", "public");
    accepts("helper(abs(n))");
    refuses("n = threadIdx.x", "threads and blocks have their indices only in what runs on the GPU: threadIdx.x",
            "script", "public");
}

TEST_CASE("loops have integer variables, and only loops are left") {
    refuses("break", "only loops are left: break");
    refuses("if c:\n    continue", "only loops are continued: continue");
    refuses("for i: i64 in range(n):\n    pass",
            "loop variable and extent are the same kind of integer: for i: i64 in range(n):");
    refuses("for i in spatial(4, 8) on n:\n    pass", "one loop variable for each dim: for i in spatial(4, 8) on n:");
    refuses("for i in spatial(4) on h:\n    pass", "a worker is an integer: for i in spatial(4) on h:");
    refuses("for i in range(n):\n    i = 2", "lets and loop variables are not assigned: i = 2");
    accepts("for i in range(n):\n    for j in spatial(4) on i:\n        if c:\n            break\n        continue");
}

TEST_CASE("assembly is one instruction of the table, with its operands") {
    refuses("asm('nop', outputs=['=r'](), inputs=[]())",
            "one label for each operand: asm('nop', outputs=['=r'](), inputs=[]())");
    refuses("asm('mov.b32 %0, 1;', outputs=['=r'](n + 1), inputs=[]())",
            "an output is a place: asm('mov.b32 %0, 1;', outputs=['=r'](n + 1), inputs=[]())");
    refuses(
        "asm('mov.b32 %0, %2;', outputs=['=r'](n), inputs=['f'](p[0]))",
        "operand 2 of 'mov' is an operand such as %1, a number, or one of %tid.x, %tid.y, %tid.z, %ntid.x, %ntid.y, "
        "%ntid.z, %ctaid.x, %ctaid.y, %ctaid.z, %nctaid.x, %nctaid.y, %nctaid.z, %laneid, %clock, %clock64, "
        "%globaltimer, not '%2': asm('mov.b32 %0, %2;', outputs=['=r'](n), inputs=['f'](p[0]))");
    refuses("asm('mov.b32 %0, %1;', outputs=['=r'](n), inputs=['m'](p[0]))",
            "the label of an input is a letter: asm('mov.b32 %0, %1;', outputs=['=r'](n), inputs=['m'](p[0]))");
    accepts("asm('mov.b32 %0, %1;', outputs=['=r'](n), inputs=['f'](p[0]))");
}

TEST_CASE("each level forbids what is lowered before it") {
    std::string mapping = "for i in spatial(4) on n:\n    pass";
    accepts(mapping, "tile");
    refuses(mapping, "task mappings are lowered by this level: for i in spatial(4) on n:", "loop");
    refuses("p.protect[n] = 1.0", "protected access is lowered by this level: p.protect[n] = 1.0", "loop");
    std::string slice = "declare s: f32[4, 8]\ndeclare q: *f32[8] = s[n, :]";
    accepts(slice, "tile");
    refuses(slice, "slices are lowered by this level: s[n, :]", "loop");
    std::string square = "declare s: f32[4, 8]\ns[n, n] = 1.0";
    accepts(square, "loop");
    refuses(square, "a tensor of this level has one dim and no layout: s", "flat");
    refuses("declare q: *f32[8] = p", "a tensor of this level has one dim and no layout: q", "flat");
    accepts("declare s: f32[32]\ns[n] = p[n]", "flat");
    std::string unrolled = "for i in range(4, attr='u+'):\n    pass";
    accepts(unrolled, "flat");
    refuses(unrolled, "loops are unrolled by this level: for i in range(4, attr='u+'):", "kernel");
    accepts("n = @m", "flat");
    refuses("n = @m", "symbols are parameters by this level: @m", "kernel");
}

TEST_CASE("variables are defined once, before their uses and around them") {
    VarRef x = make_var("x", data_type(DType::I32));
    ExprRef one = int_constant(1);
    auto first = [](const ModuleRef& module) { return verify(*module).front(); };
    REQUIRE(first(with_body(make_assign(x, one))) ==
            "function 'f': this variable is defined nowhere before its use: x");
    REQUIRE(first(with_body(make_seq({make_declare(x, one), make_declare(x, one)}))) ==
            "function 'f': this variable is defined twice: x");
    StmtRef inner = make_if(bool_constant(true), make_declare(x, one));
    REQUIRE(first(with_body(make_seq({inner, make_evaluate(x)}))) ==
            "function 'f': this variable is used outside of its scope: x");
    REQUIRE(first(with_body(make_declare(x, x))) == "function 'f': this variable is defined nowhere before its use: x");
    REQUIRE(verify(*with_body(make_assign(x, one), {x})).empty());
}

TEST_CASE("a Seq is flat and holds several statements") {
    SeqStmt nothing, nested, single;
    nested.stmts = {make<SeqStmt>(std::move(nothing)), make_break()};
    single.stmts = {make_return()};
    REQUIRE(verify(*with_body(make<SeqStmt>(std::move(nested)))).front() == "function 'f': a Seq holds no Seq: pass");
    REQUIRE(verify(*with_body(make<SeqStmt>(std::move(single)))).front() ==
            "function 'f': a Seq of one statement is that statement: return");
}

TEST_CASE("a kernel has its dims and returns nothing") {
    std::string sentence = "function 'k': a kernel, and nothing else, has three grid and three block dims: ";
    auto first = [](const std::string& text) {
        return verify(*test::parsed_module("module 'm' level script\n\n" + text)).front();
    };
    REQUIRE(first("def k():\n    attrs.func_kind = 'cuda_kernel'\n    pass\n") == sentence + "void");
    REQUIRE(
        first("def k() -> i32:\n    attrs.func_kind = 'public'\n    attrs.cuda.grid_dim = 1, 1, 1\n    return 0\n") ==
        sentence + "i32");
    REQUIRE(first("def k() -> i32:\n    attrs.func_kind = 'cuda_kernel'\n    attrs.cuda.grid_dim = 1, 1, 1\n  "
                  "  attrs.cuda.block_dim = 1, 1, 1\n    return 0\n") == "function 'k': a kernel returns nothing: i32");
}

TEST_CASE("names of functions are taken once") {
    auto found = verify(*test::parsed_module("module 'm' level script\n\ndef f():\n    pass\n\ndef f():\n    pass\n"));
    REQUIRE(found.front() == "module: the name 'f' is empty or taken");
}
