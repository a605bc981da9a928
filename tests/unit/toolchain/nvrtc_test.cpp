// SPDX-License-Identifier: Apache-2.0
// What the real NVRTC does for us. Skipped where there is none.
#include <algorithm>
#include <cstdio>

#include "runtime/toolchain/in_process.h"
#include "runtime/toolchain/messages.h"
#include "runtime/toolchain/toolchain.h"
#include "tests/harness/unit.h"

using namespace hidet;
using namespace hidet::toolchain;
using hidet::test::Suite;

namespace {

const std::string kernel = "extern \"C\" __global__ void add(float* y, const float* x) {\n"
                           "  __shared__ float s[32];\n"
                           "  s[threadIdx.x] = x[threadIdx.x];\n"
                           "  __syncthreads();\n"
                           "  y[threadIdx.x] += s[threadIdx.x ^ 1];\n"
                           "}\n";

CompileRequest request(Product product, std::string arch, std::string text = kernel) {
    return {.text = std::move(text), .product = product, .arch = std::move(arch)};
}

// The line of CUDA text behind the first line of the listing that holds these words.
int line_of(const Listing& listing, const std::string& words) {
    std::size_t at = listing.text.find(words);
    EXPECT(at != std::string::npos);
    auto line = std::count(listing.text.begin(), listing.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return listing.source_lines[static_cast<std::size_t>(line)];
}

} // namespace

int main(int argc, char** argv) {
    InProcessCompiler compiler(default_places());
    if (auto nvrtc = compiler.nvrtc(); !nvrtc) {
        std::printf("%s\n", nvrtc.error().message.c_str());
        return 77;
    }
    Suite suite(argc, argv);
    suite.run("PTX names the architecture, the kernel and the lines of the text", [&] {
        auto result = compiler.compile(request(Product::Ptx, "sm_90a"));
        EXPECT(result.ok());
        const std::string& ptx = result.value().bytes;
        EXPECT(ptx.find(".target sm_90a") != std::string::npos);
        EXPECT(ptx.find(".visible .entry add(") != std::string::npos);
        EXPECT(ptx.find("\t.loc\t1 5 ") != std::string::npos);
        EXPECT(ptx.find(".file\t1 \"/hidet/kernel.cu\"") != std::string::npos);
        EXPECT_EQUAL(ptx.back(), '\n');
        EXPECT_EQUAL(result.value().log, "");
    });
    suite.run("a cubin comes with the figures of its kernels", [&] {
        auto result = compiler.compile(request(Product::Cubin, "sm_90"));
        EXPECT(result.ok());
        EXPECT_EQUAL(result.value().bytes.substr(1, 3), "ELF");
        EXPECT_EQUAL(result.value().figures.size(), 1u);
        const KernelFigures& figures = result.value().figures[0];
        EXPECT_EQUAL(figures.symbol, "add");
        EXPECT(figures.registers > 4 && figures.registers < 40);
        EXPECT_EQUAL(figures.static_shared_bytes, 128);
        EXPECT_EQUAL(result.value().log, "");
        EXPECT(result.value().compiler.starts_with("NVRTC 1"));
    });
    suite.run("the same text gives the same bytes", [&] {
        auto first = compiler.compile(request(Product::Cubin, "sm_80"));
        auto second = compiler.compile(request(Product::Cubin, "sm_80"));
        EXPECT(first.value().bytes == second.value().bytes);
    });
    suite.run("an architecture that NVRTC does not know is refused with those it knows", [&] {
        for (const char* arch : {"sm_61", "sm_90x", "sm_80a", "90", "", "sm_"}) {
            auto result = compiler.compile(request(Product::Ptx, arch));
            EXPECT(!result.ok());
            EXPECT_EQUAL(result.error().code, "arch-unknown");
            EXPECT(result.error().message.find("sm_90") != std::string::npos);
        }
    });
    suite.run("the message of a text that does not compile is NVRTC's log", [&] {
        auto result = compiler.compile(request(Product::Ptx, "sm_80", "__global__ void f() { x = 1; }\n"));
        EXPECT_EQUAL(result.error().code, "compile-failed");
        EXPECT(result.error().message.starts_with("/hidet/kernel.cu(1): error: identifier \"x\" is undefined"));
    });
    suite.run("what ptxas says of assembly leads back to the line of the text, and to the calls", [&] {
        const std::string text = "__device__ __forceinline__ void wrong(float x) {\n"
                                 "    asm volatile(\"bogus.f32 %0;\" :: \"f\"(x));\n"
                                 "}\n"
                                 "extern \"C\" __global__ void k(float* x) {\n"
                                 "    x[1] = 3;\n"
                                 "    wrong(x[0]);\n"
                                 "}\n";
        auto result = compiler.compile(request(Product::Cubin, "sm_80", text));
        EXPECT_EQUAL(result.error().code, "compile-failed");
        auto messages = read_messages(result.error().message);
        EXPECT_EQUAL(messages.size(), 1u);
        EXPECT_EQUAL(messages[0].line, 2);
        EXPECT(messages[0].callers == std::vector<int>{6});
        EXPECT_EQUAL(messages[0].text, "Not a name of any known instruction: 'bogus'");
    });
    suite.run("a kernel that asks for too much is named", [&] {
        auto result = compiler.compile(request(Product::Cubin, "sm_80",
                                               "extern \"C\" __global__ void k(float* x) {\n"
                                               "    __shared__ float s[100000];\n"
                                               "    s[threadIdx.x] = x[0];\n"
                                               "    __syncthreads();\n"
                                               "    x[1] = s[threadIdx.x + 1];\n"
                                               "}\n"));
        auto messages = read_messages(result.error().message);
        EXPECT_EQUAL(messages.size(), 1u);
        EXPECT_EQUAL(messages[0].symbol, "k");
        EXPECT(messages[0].text.find("shared data") != std::string::npos);
    });
    suite.run("warnings are passed on without ptxas's figures", [&] {
        auto result =
            compiler.compile(request(Product::Cubin, "sm_80", "extern \"C\" __global__ void f() { int unused; }\n"));
        EXPECT(result.value().log.find("\"unused\" was declared but never referenced") != std::string::npos);
        EXPECT(result.value().log.find("ptxas") == std::string::npos);
    });
    suite.run("a cancelled compilation does not begin", [&] {
        std::atomic<bool> cancelled{true};
        CompileRequest stale = request(Product::Ptx, "sm_80");
        stale.cancelled = &cancelled;
        EXPECT_EQUAL(compiler.compile(stale).error().code, "cancelled");
    });
    suite.run("many compile at once, in the order of their requests", [&] {
        std::vector<CompileRequest> requests;
        for (int i = 0; i < 12; ++i)
            requests.push_back(
                request(Product::Ptx, "sm_80", "extern \"C\" __global__ void k" + std::to_string(i) + "() {}\n"));
        auto results = compile_all(compiler, requests, 4);
        for (int i = 0; i < 12; ++i)
            EXPECT(results[static_cast<std::size_t>(i)].value().bytes.find(".entry k" + std::to_string(i) + "(") !=
                   std::string::npos);
    });
    suite.run("PTX and SASS lead back to the lines of the text", [&] {
        auto ptx = compiler.compile(request(Product::Ptx, "sm_90a"));
        EXPECT_EQUAL(line_of(ptx_listing(ptx.value().bytes), "bar.sync"), 4);
        EXPECT_EQUAL(line_of(ptx_listing(ptx.value().bytes), ".visible .entry add("), 1);
        Toolchain toolchain({.cache = CacheOptions{}});
        auto sass = toolchain.disassemble(compiler.compile(request(Product::Cubin, "sm_90a")).value().bytes);
        if (!sass) {
            EXPECT_EQUAL(sass.error().code, "nvdisasm-missing");
            return;
        }
        EXPECT_EQUAL(line_of(sass.value(), "BAR.SYNC"), 4);
        EXPECT_EQUAL(line_of(sass.value(), "STG.E"), 5);
    });
    return suite.result();
}
