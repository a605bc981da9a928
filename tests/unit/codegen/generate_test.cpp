// SPDX-License-Identifier: Apache-2.0
// What generated text promises beside its words: names of architectures, entry points, any depth, any names.
#include "compiler/codegen/text/generate.h"

#include "compiler/ir/ops.h"
#include "tests/unit/passes/support.h"

using namespace hidet;
using namespace hidet::ir;
using compiler::Architecture;
using compiler::find_architecture;

namespace {

TypeRef i32() {
    return data_type(DType::I32);
}

artifact::Source cuda_of(const std::vector<FunctionRef>& functions) {
    DiagnosticSink sink;
    auto source = compiler::generate_cuda(test::module_of(functions, Level::Kernel), {90, true}, sink);
    if (!source)
        throw test::Failure{sink.all().front().message};
    return *source;
}

artifact::Source cpp_of(const std::vector<FunctionRef>& functions) {
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(test::module_of(functions, Level::Kernel), sink);
    if (!source)
        throw test::Failure{sink.all().front().message};
    return *source;
}

bool has(const artifact::Source& source, const std::string& text) {
    return source.text.find(text) != std::string::npos;
}

void check_architectures() {
    EXPECT(find_architecture("sm_75") == Architecture({75, false}));
    EXPECT(find_architecture("sm_90") == Architecture({90, false}));
    EXPECT(find_architecture("sm_90a") == Architecture({90, true}));
    EXPECT(find_architecture("sm_100a") == Architecture({100, true}));
    for (const char* name :
         {"", "sm_", "sm_a", "sm_9", "sm_75a", "sm_91", "sm_090", "sm_90b", "sm_90aa", "compute_90", "SM_90"})
        EXPECT(!find_architecture(name));
    EXPECT_EQUAL(compiler::architecture_name({100, true}), "sm_100a");
}

void check_entries() {
    VarRef a = make_var("a", pointer_type(data_type(DType::F16))), n = make_var("n", data_type(DType::I64));
    VarRef tile = make_var("tile", tensor_type(data_type(DType::F32), {int_constant(33)}));
    VarRef flag = make_var("flag", i32());
    StmtRef body = make_seq({make_declare(tile, nullptr, Scope::Shared), make_declare(flag, nullptr, Scope::Shared)});
    artifact::Source cuda = cuda_of({test::function_of("main", FuncKind::CudaKernel, {a, n}, body)});
    EXPECT_EQUAL(cuda.entries.size(), 1u);
    const artifact::EntryPoint& kernel = cuda.entries[0];
    EXPECT_EQUAL(kernel.name, "main");
    EXPECT(kernel.symbol != "main" && has(cuda, " " + kernel.symbol + "("));
    EXPECT(kernel.params ==
           std::vector<artifact::Parameter>({{"a", artifact::Scalar::U64, true}, {"n", artifact::Scalar::I64, false}}));
    EXPECT_EQUAL(kernel.static_shared_bytes, 148); // 33 floats, then the next multiple of 16
    EXPECT(!kernel.returns_value);

    VarRef x = make_var("x", data_type(DType::F32));
    FunctionRef twice = test::function_of("twice", FuncKind::Public, {x}, make_return(add(x, x)), x->type);
    artifact::Source cpp = cpp_of({twice});
    EXPECT_EQUAL(cpp.entries.size(), 1u);
    EXPECT(cpp.entries[0].returns_value && cpp.entries[0].return_type == artifact::Scalar::F32);
    EXPECT(has(cpp, "extern \"C\" void " + cpp.entries[0].symbol + "(const hidet_host*"));
    EXPECT(cuda_of({twice}).text.empty() && cuda_of({twice}).entries.empty());
}

void check_depth() {
    VarRef x = make_var("x", pointer_type(i32())), n = make_var("n", i32());
    ExprRef deep = n;
    while (deep->depth < max_depth - 10)
        deep = make_binary(deep->depth % 2 ? BinOp::Mul : BinOp::Sub, deep, make_element(x, {int_constant(1)}));
    StmtRef nested = make_store(x, {int_constant(0)}, n);
    while (nested->depth < max_depth - 10)
        nested = make_if(less(n, int_constant(3)), nested);
    for (const StmtRef& body : {make_store(x, {int_constant(0)}, deep), nested}) {
        EXPECT(cuda_of({test::function_of("k", FuncKind::CudaKernel, {x, n}, body)}).text.size() > 5000);
        EXPECT(cpp_of({test::function_of("f", FuncKind::CpuKernel, {x, n}, body)}).text.size() > 5000);
    }
}

void check_names() {
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
            throw test::Failure{cat(line, " is not in\n", source.text)};
    EXPECT(has(source, "int step = 0") && !has(source, "step_1"));
}

void check_texts() {
    StmtRef nasty = make_seq({make_comment("a \\\nb \\"), make_assert(bool_constant(true), "say \"no\"\n?"
                                                                                           "?/")});
    artifact::Source source = cuda_of({test::function_of("k", FuncKind::CudaKernel, {}, nasty)});
    EXPECT(has(source, "    // a\n    // b\n")); // no line is joined to the next
    EXPECT(has(source, "\"say \\\"no\\\"\\n?\\?/\""));
}

} // namespace

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("architectures have the names that nvcc gives them", check_architectures);
    suite.run("entry points say how they are called", check_entries);
    suite.run("expressions and statements may be as deep as IR may be", check_depth);
    suite.run("names are clear of the language and of each other", check_names);
    suite.run("texts of the script cannot break out of theirs", check_texts);
    return suite.result();
}
