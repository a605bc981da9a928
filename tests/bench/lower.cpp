// SPDX-License-Identifier: Apache-2.0
// The passes alone: a module of 300 lines of IR, kernels with shared tiles, register tiles and composed mappings.
#include "compiler/ir/text/parse_text.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "tests/bench/bench.h"

using namespace hidet;

namespace {

const char* const kernel = R"(
def NAME(a: *f32[512, 512], b: *f32[512, 512], c: *f32[512, 512]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 8, 8, 1
    attrs.cuda.block_dim = 256, 1, 1
    declare shared smem_a: f32[8, 64]
    declare shared smem_b: f32[8, 64]
    declare regs_c: f32[64, 64; compose(compose(compose(local(4, 2), row(2, 2)), local(4, 8)), row(2, 2))]
    for i, j in spatial(4, 2).repeat(2, 2).spatial(4, 8).repeat(2, 2) on threadIdx.x:
        regs_c[i, j] = 0.0
    for k0 in range(64):
        for i_1, k1 in repeat(2, 1).spatial(32, 8) on threadIdx.x:
            smem_a[k1, i_1] = a.protect[i_1 + blockIdx.x * 64, k1 + k0 * 8]
        for k1_1, j_1 in repeat(2, 1).spatial(4, 64) on threadIdx.x:
            smem_b[k1_1, j_1] = b.protect[k1_1 + k0 * 8, j_1 + blockIdx.y * 64]
        cuda.syncthreads()
        for k1_2 in range(8):
            for i_2, j_2 in spatial(4, 2).repeat(2, 2).spatial(4, 8).repeat(2, 2) on threadIdx.x:
                regs_c[i_2, j_2] = regs_c[i_2, j_2] + smem_a[k1_2, i_2] * smem_b[k1_2, j_2]
        cuda.syncthreads()
    for i_3, j_3 in spatial(4, 2).repeat(2, 2).spatial(4, 8).repeat(2, 2) on threadIdx.x:
        c.protect[i_3 + blockIdx.x * 64, j_3 + blockIdx.y * 64] = regs_c[i_3, j_3]
)";

std::string module_text(int kernels) {
    std::string text = "module 'm' level script\n";
    for (int i = 0; i < kernels; ++i) {
        std::string body = kernel;
        body.replace(body.find("NAME"), 4, "k" + std::to_string(i));
        text += body;
    }
    return text + "\ndef launch():\n    attrs.func_kind = 'public'\n    pass\n";
}

class Times : public compiler::PassInstrument {
public:
    std::vector<std::pair<std::string, double>> passes;
    void after(const compiler::PassInfo& pass, const ir::Module&, const ir::Module&, double milliseconds) override {
        passes.emplace_back(pass.name, milliseconds);
    }
};

} // namespace

int main(int argc, char**) {
    SourceMap sources;
    FileId file = sources.add("m.ir", module_text(13)); // 13 kernels of 23 lines
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, file, sink);
    HIDET_CHECK(module != nullptr, render(sink.all(), sources));
    auto lowered = [&](compiler::LowerTo to, bool verify) {
        return bench::median_ms([&] {
            DiagnosticSink errors;
            compiler::LowerOptions options{.to = to, .verify = verify};
            HIDET_CHECK(compiler::lower(module, options, errors) != nullptr);
        });
    };
    bench::figure("lower 300 lines for the emulator", lowered(compiler::LowerTo::Emulation, false), "ms", 8);
    bench::figure("lower 300 lines for code generators", lowered(compiler::LowerTo::Kernel, false), "ms", 12);
    bench::figure("the same with verification", lowered(compiler::LowerTo::Kernel, true), "ms");
    if (argc > 1) { // where the time goes
        Times times;
        compiler::lower(module, {.verify = false}, sink, {&times});
        for (const auto& [name, ms] : times.passes)
            std::printf("%-26s %7.3f ms\n", name.c_str(), ms);
    }
    return 0;
}
