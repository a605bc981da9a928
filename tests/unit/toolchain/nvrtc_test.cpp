// SPDX-License-Identifier: Apache-2.0
// What the real NVRTC does for us. Skipped where there is none.
#include <algorithm>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>

#include "runtime/toolchain/in_process.h"
#include "runtime/toolchain/messages.h"
#include "runtime/toolchain/toolchain.h"
#include "tests/harness/compile_all.h"
#include "tests/harness/skip.h"

using namespace hidet;
using namespace hidet::toolchain;

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
    REQUIRE(at != std::string::npos);
    auto line = std::count(listing.text.begin(), listing.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return listing.source_lines[static_cast<std::size_t>(line)];
}

struct WithNvrtc {
    InProcessCompiler compiler{default_places()};
    // Whether the case has to be skipped.
    bool is_skipped() {
        auto nvrtc = compiler.nvrtc();
        if (!nvrtc)
            test::skip(nvrtc.error().message);
        return !nvrtc;
    }
};

} // namespace

TEST_CASE_FIXTURE(WithNvrtc, "PTX names the architecture, the kernel and the lines of the text") {
    if (is_skipped())
        return;
    auto result = compiler.compile(request(Product::Ptx, "sm_90a"));
    REQUIRE(result.ok());
    const std::string& ptx = result.value().bytes;
    REQUIRE(ptx.find(".target sm_90a") != std::string::npos);
    REQUIRE(ptx.find(".visible .entry add(") != std::string::npos);
    REQUIRE(ptx.find("\t.loc\t1 5 ") != std::string::npos);
    REQUIRE(ptx.find(".file\t1 \"/hidet/kernel.cu\"") != std::string::npos);
    REQUIRE(ptx.back() == '\n');
    REQUIRE(result.value().log == "");
}

TEST_CASE_FIXTURE(WithNvrtc, "a cubin comes with the figures of its kernels") {
    if (is_skipped())
        return;
    auto result = compiler.compile(request(Product::Cubin, "sm_90"));
    REQUIRE(result.ok());
    REQUIRE(result.value().bytes.substr(1, 3) == "ELF");
    REQUIRE(result.value().figures.size() == 1u);
    const KernelFigures& figures = result.value().figures[0];
    REQUIRE(figures.symbol == "add");
    REQUIRE((figures.registers > 4 && figures.registers < 40));
    REQUIRE(figures.static_shared_bytes == 128);
    REQUIRE(result.value().log == "");
    REQUIRE(result.value().compiler.starts_with("NVRTC 1"));
}

TEST_CASE_FIXTURE(WithNvrtc, "the same text gives the same bytes") {
    if (is_skipped())
        return;
    auto first = compiler.compile(request(Product::Cubin, "sm_80"));
    auto second = compiler.compile(request(Product::Cubin, "sm_80"));
    REQUIRE(first.value().bytes == second.value().bytes);
}

TEST_CASE_FIXTURE(WithNvrtc, "an architecture that NVRTC does not know is refused with those it knows") {
    if (is_skipped())
        return;
    for (const char* arch : {"sm_61", "sm_90x", "sm_80a", "90", "", "sm_"}) {
        auto result = compiler.compile(request(Product::Ptx, arch));
        REQUIRE(!result.ok());
        REQUIRE(result.error().code == "arch-unknown");
        REQUIRE(result.error().message.find("sm_90") != std::string::npos);
    }
}

TEST_CASE_FIXTURE(WithNvrtc, "the message of a text that does not compile is NVRTC's log") {
    if (is_skipped())
        return;
    auto result = compiler.compile(request(Product::Ptx, "sm_80", "__global__ void f() { x = 1; }\n"));
    REQUIRE(result.error().code == "compile-failed");
    REQUIRE(result.error().message.starts_with("/hidet/kernel.cu(1): error: identifier \"x\" is undefined"));
}

TEST_CASE_FIXTURE(WithNvrtc, "what ptxas says of assembly leads back to the line of the text, and to the calls") {
    if (is_skipped())
        return;
    const std::string text = "__device__ __forceinline__ void wrong(float x) {\n"
                             "    asm volatile(\"bogus.f32 %0;\" :: \"f\"(x));\n"
                             "}\n"
                             "extern \"C\" __global__ void k(float* x) {\n"
                             "    x[1] = 3;\n"
                             "    wrong(x[0]);\n"
                             "}\n";
    auto result = compiler.compile(request(Product::Cubin, "sm_80", text));
    REQUIRE(result.error().code == "compile-failed");
    auto messages = read_messages(result.error().message);
    REQUIRE(messages.size() == 1u);
    REQUIRE(messages[0].line == 2);
    REQUIRE(messages[0].callers == std::vector<int>{6});
    REQUIRE(messages[0].text == "Not a name of any known instruction: 'bogus'");
}

TEST_CASE_FIXTURE(WithNvrtc, "a kernel that asks for too much is named") {
    if (is_skipped())
        return;
    auto result = compiler.compile(request(Product::Cubin, "sm_80",
                                           "extern \"C\" __global__ void k(float* x) {\n"
                                           "    __shared__ float s[100000];\n"
                                           "    s[threadIdx.x] = x[0];\n"
                                           "    __syncthreads();\n"
                                           "    x[1] = s[threadIdx.x + 1];\n"
                                           "}\n"));
    auto messages = read_messages(result.error().message);
    REQUIRE(messages.size() == 1u);
    REQUIRE(messages[0].symbol == "k");
    REQUIRE(messages[0].text.find("shared data") != std::string::npos);
}

TEST_CASE_FIXTURE(WithNvrtc, "warnings are passed on without ptxas's figures") {
    if (is_skipped())
        return;
    auto result =
        compiler.compile(request(Product::Cubin, "sm_80", "extern \"C\" __global__ void f() { int unused; }\n"));
    REQUIRE(result.value().log.find("\"unused\" was declared but never referenced") != std::string::npos);
    REQUIRE(result.value().log.find("ptxas") == std::string::npos);
}

TEST_CASE_FIXTURE(WithNvrtc, "a cancelled compilation does not begin") {
    if (is_skipped())
        return;
    std::atomic<bool> cancelled{true};
    CompileRequest stale = request(Product::Ptx, "sm_80");
    stale.cancelled = &cancelled;
    REQUIRE(compiler.compile(stale).error().code == "cancelled");
}

TEST_CASE_FIXTURE(WithNvrtc, "many compile at once, in the order of their requests") {
    if (is_skipped())
        return;
    std::vector<CompileRequest> requests;
    for (int i = 0; i < 12; ++i)
        requests.push_back(
            request(Product::Ptx, "sm_80", "extern \"C\" __global__ void k" + std::to_string(i) + "() {}\n"));
    auto results = compile_all(compiler, requests, 4);
    for (int i = 0; i < 12; ++i)
        REQUIRE(results[static_cast<std::size_t>(i)].value().bytes.find(".entry k" + std::to_string(i) + "(") !=
                std::string::npos);
}

TEST_CASE_FIXTURE(WithNvrtc, "PTX and SASS lead back to the lines of the text") {
    if (is_skipped())
        return;
    auto ptx = compiler.compile(request(Product::Ptx, "sm_90a"));
    REQUIRE(line_of(ptx_listing(ptx.value().bytes), "bar.sync") == 4);
    REQUIRE(line_of(ptx_listing(ptx.value().bytes), ".visible .entry add(") == 1);
    Toolchain toolchain({.cache = CacheOptions{}});
    auto sass = toolchain.disassemble(compiler.compile(request(Product::Cubin, "sm_90a")).value().bytes);
    if (!sass) {
        REQUIRE(sass.error().code == "nvdisasm-missing");
        return;
    }
    REQUIRE(line_of(sass.value().listing, "BAR.SYNC") == 4);
    REQUIRE(line_of(sass.value().listing, "STG.E") == 5);
}
