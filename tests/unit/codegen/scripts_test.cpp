// SPDX-License-Identifier: Apache-2.0
// All scripts of samples, tests/run and tests/bench become CUDA C++ and C++ that compilers take without a warning. The
// modules stand in namespaces of their own in one text a language. Languages without a compiler here are skipped.
#include <algorithm>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/session/session.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/text/parse_text.h"
#include "runtime/toolchain/in_process.h"
#include "tests/harness/skip.h"

using namespace hidet;

namespace {

std::vector<std::string> scripts() {
    std::vector<std::string> paths;
    for (const char* folder : {"samples/kernels", "tests/run", "tests/bench/kernels"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(std::filesystem::path(HIDET_SOURCE_FOLDER) / folder))
            if (entry.path().extension() == ".py")
                paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

struct Texts {
    std::string cuda, cpp;
    int cuda_modules = 0, cpp_modules = 0;
};

// Names that the linker sees would be the same in many modules.
std::string without_c_names(std::string text) {
    for (std::size_t at = 0; (at = text.find("extern \"C\" ", at)) != std::string::npos;)
        text.erase(at, 11);
    return text;
}

void add_module(const ir::ModuleRef& module, const std::string& name, Texts& texts) {
    DiagnosticSink sink;
    auto cuda = compiler::generate_cuda(module, artifact::default_gpu(), sink);
    auto cpp = compiler::generate_cpp(module, sink);
    if (!cuda || !cpp)
        FAIL(cat(name, ": ", sink.all().front().message));
    auto space = [&](int number, const artifact::Source& source, const char* before = "") {
        return cat("// ", name, "\nnamespace m", number, " {\n", before, without_c_names(source.text), "}\n\n");
    };
    // A module may have one of its own for f16, which would hide the others here.
    constexpr char atomics[] = "using ::atomicAdd;\nusing ::atomicExch;\nusing ::atomicSub;\n";
    if (!cuda->entries.empty())
        texts.cuda += space(++texts.cuda_modules, *cuda, atomics);
    if (!cpp->entries.empty())
        texts.cpp += space(++texts.cpp_modules, *cpp);
}

void add_script(const std::string& path, Texts& texts) {
    std::ifstream in(path, std::ios::binary);
    session::PreviewRequest request;
    request.source.name = std::filesystem::path(path).filename();
    request.source.text.assign(std::istreambuf_iterator<char>(in), {});
    request.source.folder = std::filesystem::path(path).parent_path();
    session::PreviewResult result = session::preview(request);
    for (const session::ModuleSnapshot& snapshot : result.modules) {
        REQUIRE((!snapshot.passes.empty() && snapshot.passes.back().module));
        SourceMap sources;
        DiagnosticSink sink;
        FileId file = sources.add(request.source.name, snapshot.passes.back().module->text);
        ir::ModuleRef module = ir::parse_module(sources, file, sink);
        if (!module)
            FAIL(render(sink.all(), sources));
        add_module(module, request.source.name, texts);
    }
}

void compile(toolchain::Compiler& compiler, const toolchain::CompileRequest& request) {
    auto built = compiler.compile(request);
    if (!built)
        FAIL(built.error().message.substr(0, 4000));
    if (!built.value().log.empty())
        FAIL(built.value().log.substr(0, 4000));
}

const Texts& texts() {
    static const Texts all = [] {
        Texts made;
        for (const std::string& path : scripts())
            add_script(path, made);
        return made;
    }();
    return all;
}

} // namespace

TEST_CASE("every module is generated") {
    REQUIRE((texts().cuda_modules > 100 && texts().cpp_modules > 20));
}

TEST_CASE("C++ compiles without a warning") {
    toolchain::InProcessCompiler compiler(toolchain::default_places());
    if (auto cxx = compiler.cxx(); !cxx)
        return test::skip(cxx.error().message);
    compile(compiler, {.language = artifact::Language::Cxx,
                       .text = texts().cpp,
                       .product = toolchain::Product::SharedObject,
                       .arch = "x86-64-v2",
                       .options = {"-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused"}});
}

TEST_CASE("CUDA C++ compiles without a warning") {
    toolchain::InProcessCompiler compiler(toolchain::default_places());
    if (auto nvrtc = compiler.nvrtc(); !nvrtc)
        return test::skip(nvrtc.error().message);
    compile(compiler, {.language = artifact::Language::CudaCxx,
                       .text = texts().cuda,
                       .product = toolchain::Product::Ptx,
                       .arch = "sm_90a"});
}
