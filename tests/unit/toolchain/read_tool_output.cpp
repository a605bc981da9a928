// SPDX-License-Identifier: Apache-2.0
// read_tool_output ptx|sass|figures|messages|instructions|launches FILE: what the toolchain makes of a tool's output, for golden files. Listings show
// before each line the line of CUDA text it came from, and the lines of the calls that led there.
#include <cstdio>
#include <string>

#include "lang/base/text.h"
#include "runtime/toolchain/figures.h"
#include "runtime/toolchain/listing.h"
#include "runtime/toolchain/messages.h"
#include "runtime/toolchain/ncu.h"
#include "tests/bench/bench.h"

using namespace hidet::toolchain;

namespace {

void show(const Listing& listing) {
    std::vector<std::string> lines = hidet::split(listing.text, '\n');
    for (std::size_t i = 0; i < listing.source_lines.size(); ++i) {
        std::string link = listing.source_lines[i] ? std::to_string(listing.source_lines[i]) : "";
        for (int caller : listing.callers[i])
            link += "<" + std::to_string(caller);
        std::printf("%8s |%s%s\n", link.c_str(), lines[i].empty() ? "" : " ", lines[i].c_str());
    }
}

void show(const std::vector<CompilerMessage>& messages) {
    for (const CompilerMessage& message : messages) {
        bool is_error = message.severity == CompilerMessage::Severity::Error;
        std::printf("%s, line %d", is_error ? "error" : "warning", message.line);
        for (int caller : message.callers)
            std::printf(" < %d", caller);
        std::printf("%s%s: %s\n", message.symbol.empty() ? "" : ", ", message.symbol.c_str(), message.text.c_str());
    }
}

void show(const PtxasLog& log) {
    for (const KernelFigures& kernel : log.figures)
        std::printf("%s: %d registers, %d stack, %d + %d spilled, %d shared, %d constant, %d barriers\n",
                    kernel.symbol.c_str(), kernel.registers, kernel.stack_bytes, kernel.spill_store_bytes,
                    kernel.spill_load_bytes, kernel.static_shared_bytes, kernel.constant_bytes, kernel.barriers);
    std::printf("%s", log.rest.c_str());
}

void show(const hidet::Error& error) {
    std::printf("%s: %s\n", error.code.c_str(), error.message.c_str());
}

void show(const std::vector<CountedKernel>& kernels) {
    for (const CountedKernel& kernel : kernels) {
        std::printf("%s\n", kernel.name.c_str());
        for (const CountedInstruction& row : kernel.code) {
            std::printf("  %04x %s: %d samples, %d executed, %d threads, sectors %d of %d, wavefronts %d of %d",
                        static_cast<unsigned>(row.offset), row.text.c_str(), static_cast<int>(row.samples),
                        static_cast<int>(row.executed), static_cast<int>(row.threads),
                        static_cast<int>(row.least_sectors), static_cast<int>(row.sectors),
                        static_cast<int>(row.least_wavefronts), static_cast<int>(row.wavefronts));
            for (const CountedStall& stall : row.stalls)
                std::printf(", %s %d (%d)", stall.reason.c_str(), static_cast<int>(stall.samples),
                            static_cast<int>(stall.not_issued));
            std::printf("\n");
        }
    }
}

void show(const std::vector<CountedLaunch>& launches) {
    for (const CountedLaunch& launch : launches) {
        std::printf("%s on %s\n", launch.kernel.c_str(), launch.capability.c_str());
        for (const auto& [name, value] : launch.figures)
            std::printf("  %s = %g\n", name.c_str(), value);
    }
}

template <class T>
void show(const hidet::Result<T>& result) {
    if (result)
        show(result.value());
    else
        show(result.error());
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3)
        return 2;
    std::string kind = argv[1];
    std::string text = hidet::bench::read_text(argv[2]);
    if (kind == "ptx")
        show(ptx_listing(text));
    else if (kind == "sass")
        show(sass_listing(text));
    else if (kind == "instructions")
        show(read_counted_kernels(text));
    else if (kind == "launches")
        show(read_counted_launches(text));
    else if (kind == "messages")
        show(read_messages(text));
    else
        show(read_ptxas_log(text));
    return 0;
}
