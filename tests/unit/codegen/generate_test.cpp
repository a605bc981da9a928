// SPDX-License-Identifier: Apache-2.0
// What generated text promises beside its words: entry points, any depth, any names.
#include "compiler/codegen/cpp/generate.h"
#include "compiler/codegen/cuda/generate.h"

#include "compiler/ir/ops.h"
#include "tests/unit/passes/support.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::ir;

namespace {

TypeRef i32() {
    return data_type(DType::I32);
}

artifact::Source cuda_of(const std::vector<FunctionRef>& functions) {
    DiagnosticSink sink;
    auto source = compiler::generate_cuda(test::module_of(functions, Level::Kernel), artifact::default_gpu(), sink);
    if (!source)
        FAIL(sink.all().front().message);
    return *source;
}

artifact::Source cpp_of(const std::vector<FunctionRef>& functions) {
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(test::module_of(functions, Level::Kernel), sink);
    if (!source)
        FAIL(sink.all().front().message);
    return *source;
}

bool has(const artifact::Source& source, const std::string& text) {
    return source.text.find(text) != std::string::npos;
}

TEST_CASE("entry points say how they are called") {
    VarRef a = make_var("a", pointer_type(data_type(DType::F16))), n = make_var("n", data_type(DType::I64));
    VarRef tile = make_var("tile", tensor_type(data_type(DType::F32), {int_constant(33)}));
    VarRef flag = make_var("flag", i32());
    StmtRef body = make_seq({make_declare(tile, nullptr, Scope::Shared), make_declare(flag, nullptr, Scope::Shared)});
    artifact::Source cuda = cuda_of({test::function_of("main", FuncKind::CudaKernel, {a, n}, body)});
    REQUIRE(cuda.entries.size() == 1u);
    const artifact::EntryPoint& kernel = cuda.entries[0];
    REQUIRE(kernel.name == "main");
    REQUIRE((kernel.symbol != "main" && has(cuda, " " + kernel.symbol + "(")));
    REQUIRE(kernel.params == std::vector<artifact::Parameter>(
                                 {{"a", artifact::Scalar::U64, true}, {"n", artifact::Scalar::I64, false}}));
    REQUIRE(kernel.static_shared_bytes == 148); // 33 floats, then the next multiple of 16
    REQUIRE(!kernel.returns_value);

    VarRef x = make_var("x", data_type(DType::F32));
    FunctionRef twice = test::function_of("twice", FuncKind::Public, {x}, make_return(add(x, x)), x->type);
    artifact::Source cpp = cpp_of({twice});
    REQUIRE(cpp.entries.size() == 1u);
    REQUIRE((cpp.entries[0].returns_value && cpp.entries[0].return_type == artifact::Scalar::F32));
    REQUIRE(has(cpp, "extern \"C\" void " + cpp.entries[0].symbol + "(const hidet_host*"));
    REQUIRE((cuda_of({twice}).text.empty() && cuda_of({twice}).entries.empty()));
}

TEST_CASE("expressions and statements may be as deep as IR may be") {
    VarRef x = make_var("x", pointer_type(i32())), n = make_var("n", i32());
    ExprRef deep = n;
    while (deep->depth < max_depth - 10)
        deep = make_binary(deep->depth % 2 ? BinOp::Mul : BinOp::Sub, deep, make_element(x, {int_constant(1)}));
    StmtRef nested = make_store(x, {int_constant(0)}, n);
    while (nested->depth < max_depth - 10)
        nested = make_if(less(n, int_constant(3)), nested);
    for (const StmtRef& body : {make_store(x, {int_constant(0)}, deep), nested}) {
        REQUIRE(cuda_of({test::function_of("k", FuncKind::CudaKernel, {x, n}, body)}).text.size() > 5000);
        REQUIRE(cpp_of({test::function_of("f", FuncKind::CpuKernel, {x, n}, body)}).text.size() > 5000);
    }
}

TEST_CASE("names are clear of the language and of each other") {
    VarVec vars = {make_var("int", i32()),   make_var("__x", i32()), make_var("", i32()),  make_var("9", i32()),
                   make_var("größe", i32()), make_var("k", i32()),   make_var("a", i32()), make_var("a", i32())};
    StmtVec stmts;
    for (const VarRef& var : vars)
        stmts.push_back(make_declare(var, int_constant(1)));
    // Loops beside each other use one name.
    for (int i = 0; i < 2; ++i)
        stmts.push_back(make_for(make_var("step", i32()), int_constant(3), {}, make_seq({})));
    artifact::Source source = cuda_of({test::function_of("k", FuncKind::CudaKernel, {}, make_seq(stmts))});
    for (const char* line : {"int int_1 = 1;", "int v_x = 1;", "int v = 1;", "int v9 = 1;", "int gr_e = 1;",
                             "int k_1 = 1;", "int a = 1;", "int a_1 = 1;"})
        if (!has(source, line))
            FAIL(cat(line, " is not in\n", source.text));
    REQUIRE((has(source, "int step = 0") && !has(source, "step_1")));
}

TEST_CASE("texts of the script cannot break out of theirs") {
    StmtRef nasty = make_seq({make_comment("a \\\nb \\"), make_assert(bool_constant(true), "say \"no\"\n?"
                                                                                           "?/")});
    artifact::Source source = cuda_of({test::function_of("k", FuncKind::CudaKernel, {}, nasty)});
    REQUIRE(has(source, "    // a\n    // b\n")); // no line is joined to the next
    REQUIRE(has(source, "\"say \\\"no\\\"\\n?\\077/\""));
}

} // namespace
