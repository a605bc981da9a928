// SPDX-License-Identifier: Apache-2.0
// Every token of generated text leads back to the script: random programs as text, lowered and generated.
#include "compiler/codegen/cpp/generate.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "tests/unit/codegen/random_expr.h"
#include "tests/unit/passes/random_program.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::ir;

namespace {

// The module as it is when it was read from text: every node has a place.
ModuleRef with_places(const ModuleRef& module, SourceMap& sources) {
    DiagnosticSink sink;
    FileId file = sources.add("m.ir", print_module(*module).text);
    ModuleRef read = parse_module(sources, file, sink);
    if (!read)
        FAIL(render(sink.all(), sources));
    return read;
}

void check_tokens(const artifact::Source& source) {
    REQUIRE(!source.tokens.empty());
    std::size_t at = source.tokens.front().begin; // what stands before is the prelude
    for (const TokenOrigin& token : source.tokens) {
        std::string text = source.text.substr(token.begin, token.end - token.begin);
        if (token.begin < at || token.end <= token.begin || token.end > source.text.size())
            FAIL("tokens overlap, or leave the text, at ", text);
        for (; at < token.begin; ++at)
            if (source.text[at] != ' ' && source.text[at] != '\n')
                FAIL(cat("no token holds the byte ", at, " '", source.text[at], "'\n", source.text));
        if (!token.origin.known())
            FAIL(cat("the token '", text, "' came from nowhere\n", source.text));
        at = token.end;
    }
    REQUIRE(source.text.find_first_not_of(" \n", at) == std::string::npos);
    REQUIRE(source.text.ends_with("}\n"));
}

artifact::Source cuda_text(const ModuleRef& module) {
    DiagnosticSink sink;
    auto source = compiler::generate_cuda(module, artifact::default_gpu(), sink);
    if (!source)
        FAIL(sink.all().front().message);
    return *source;
}

TEST_CASE("tokens of programs cover the text and have places") {
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        test::Random random(seed);
        SourceMap sources;
        DiagnosticSink sink;
        ModuleRef module = with_places(test::random_program(random), sources);
        ModuleRef lowered = compiler::lower(module, {.to = compiler::LowerTo::Kernel}, sink);
        if (!lowered || sink.has_errors())
            continue;
        ++checked;
        artifact::Source source = cuda_text(lowered);
        check_tokens(source);
        REQUIRE(source == cuda_text(lowered));
    }
    REQUIRE(checked > 60);
}

TEST_CASE("tokens of expressions cover the text and have places") {
    std::vector<FunctionRef> kernels, functions;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        test::Random random(seed), again(seed);
        kernels.push_back(test::random_expression(random, cat("k", seed), FuncKind::CudaKernel));
        functions.push_back(test::random_expression(again, cat("f", seed), FuncKind::CpuKernel));
    }
    SourceMap sources;
    check_tokens(cuda_text(with_places(test::module_of(kernels, Level::Kernel), sources)));
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(with_places(test::module_of(functions, Level::Kernel), sources), sink);
    REQUIRE(source.has_value());
    check_tokens(*source);
}

TEST_CASE("a token has the narrowest place") {
    SourceMap sources;
    DiagnosticSink sink;
    std::string text = "module 'm' level kernel\n\n"
                       "def k(x: ~f32):\n"
                       "    attrs.func_kind = 'cuda_kernel'\n"
                       "    attrs.cuda.grid_dim = 1, 1, 1\n"
                       "    attrs.cuda.block_dim = 1, 1, 1\n"
                       "    let a: f32 = x[3]\n"
                       "    x[0] = a * x[1]\n";
    artifact::Source source = cuda_text(parse_module(sources, sources.add("m.ir", text), sink));
    auto from = [&](const std::string& word, std::size_t offset) {
        const auto at = static_cast<std::uint32_t>(source.text.find(word) + offset);
        const auto token = std::ranges::find_if(
            source.tokens, [&](const TokenOrigin& each) { return each.begin <= at && at < each.end; });
        REQUIRE(token != source.tokens.end());
        return text.substr(token->origin.span.begin, token->origin.span.end - token->origin.span.begin);
    };
    REQUIRE(from("a * x[1]", 0) == "a * x[1]"); // the use of a variable has the place of the expression it is in
    REQUIRE(from("a * x[1]", 4) == "x[1]");
    REQUIRE(from("x[3]", 2) == "3");
    std::vector<Origin> lines = artifact::line_origins(source);
    REQUIRE(lines.size() == 6u); // the last is empty
}

} // namespace
