// SPDX-License-Identifier: Apache-2.0
// From CUDA text to PTX and machine code by kind of kernel, what the cache saves, and what threads bring.
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "app/session/session.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/text/parse_text.h"
#include "runtime/toolchain/toolchain.h"
#include "tests/bench/bench.h"
#include "tests/harness/compile_all.h"

using namespace hidet;
using namespace hidet::bench;
using namespace hidet::toolchain;

namespace {

// The CUDA text of a module that was lowered; empty where it has no kernel.
std::string cuda_of(const std::string& ir_text) {
    SourceMap sources;
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, sources.add("module.ir", ir_text), sink);
    if (!module || sink.has_errors())
        return {};
    auto source = compiler::generate_cuda(module, artifact::default_gpu(), sink);
    return source && !source->entries.empty() ? source->text : std::string();
}

std::vector<std::string> cuda_texts(const std::string& path) {
    session::PreviewRequest request;
    request.source.name = path;
    request.source.text = read_text(path);
    request.source.folder = std::filesystem::path(path).parent_path();
    std::vector<std::string> texts;
    for (const session::ModuleSnapshot& module : session::preview(request).modules)
        if (module.lowered && !module.passes.empty() && module.passes.back().module)
            if (std::string text = cuda_of(module.passes.back().module->text); !text.empty())
                texts.push_back(std::move(text));
    return texts;
}

CompileRequest request_of(const std::string& text, Product product) {
    return {.text = text, .product = product, .arch = "sm_90a"};
}

double compile_ms(Compiler& compiler, const CompileRequest& request) {
    return median_ms([&] {
        if (auto result = compiler.compile(request); !result)
            std::fprintf(stderr, "%s\n", result.error().message.c_str());
    });
}

void one_kind(Compiler& compiler, const std::string& kind, const std::string& path, double ptx_goal,
              double cubin_goal) {
    std::vector<std::string> texts = cuda_texts(path);
    if (texts.empty()) {
        std::printf("%s: no CUDA text\n", path.c_str());
        return;
    }
    figure(kind + ": to PTX", compile_ms(compiler, request_of(texts[0], Product::Ptx)), "ms", ptx_goal);
    figure(kind + ": to a cubin", compile_ms(compiler, request_of(texts[0], Product::Cubin)), "ms", cubin_goal);
}

// A fresh toolchain each time: what a process pays that finds everything compiled.
void cache_hit(const std::string& text, const std::string& folder) {
    ToolchainOptions options{.cache = CacheOptions{.folder = folder}};
    (void)Toolchain(options).compiler().compile(request_of(text, Product::Cubin));
    int missed = 0;
    double opened = median_ms([&] {
        auto result = Toolchain(options).compiler().compile(request_of(text, Product::Cubin));
        missed += !result || !result.value().from_cache;
    });
    Toolchain toolchain(options);
    double warm = compile_ms(toolchain.compiler(), request_of(text, Product::Cubin));
    if (missed > 0)
        std::printf("%d hits were none\n", missed);
    figure("cache hit of a new toolchain, the search for tools included", opened, "ms", 2);
    figure("cache hit", warm, "ms");
}

double all_ms(Compiler& compiler, const std::vector<CompileRequest>& requests, int threads) {
    return median_ms([&] { (void)compile_all(compiler, requests, threads); }, 100);
}

void all_samples(Compiler& compiler, const std::string& folder) {
    std::vector<CompileRequest> requests;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".py")
            for (const std::string& text : cuda_texts(entry.path()))
                requests.push_back(request_of(text, Product::Cubin));
    int processors = static_cast<int>(std::thread::hardware_concurrency());
    double one = all_ms(compiler, requests, 1);
    double many = all_ms(compiler, requests, processors);
    std::string count = std::to_string(requests.size()) + " modules of all samples, cubins, ";
    figure(count + "1 thread", one, "ms");
    figure(count + std::to_string(processors) + " threads", many, "ms");
    figure("those threads, to 1", one / many, "times", 0.8 * std::min(processors, 8), Better::More);
}

} // namespace

int main(int argc, char** argv) {
    std::string root = argc > 1 ? argv[1] : ".";
    std::string kernels = root + "/tests/bench/kernels/";
    InProcessCompiler compiler(default_places());
    if (auto nvrtc = compiler.nvrtc(); !nvrtc) {
        std::printf("%s\n", nvrtc.error().message.c_str());
        return 0;
    }
    auto start = Clock::now();
    (void)compiler.compile(request_of("extern \"C\" __global__ void k() {}\n", Product::Ptx));
    figure("the first compilation of a process", milliseconds_since(start), "ms");
    one_kind(compiler, "elementwise", kernels + "elementwise.py", 50, 70);
    one_kind(compiler, "softmax", kernels + "softmax_rows.py", 50, 70);
    one_kind(compiler, "SIMT matmul, shared tiles", kernels + "shared_tile.py", 50, 70);
    one_kind(compiler, "SIMT matmul, register tiles", kernels + "register_tile.py", 50, 70);
    one_kind(compiler, "mma matmul", root + "/samples/kernels/tensor_core_matmul.py", 50, 70);
    std::string folder = std::filesystem::temp_directory_path() / ("hidet-bench-" + std::to_string(getpid()));
    cache_hit("extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n", folder);
    std::filesystem::remove_all(folder);
    all_samples(compiler, root + "/samples/kernels");
    return 0;
}
