// SPDX-License-Identifier: Apache-2.0
// PTX and SASS as an author of kernels reads them, each line with the lines of CUDA text that it came from. The links are
// the compiler's own line tables: `.loc` in PTX, what nvdisasm reads from a cubin that was compiled with -lineinfo.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"
#include "runtime/toolchain/sass/program.h"

namespace hidet::toolchain {

struct Listing {
    std::string text; // every line ends with '\n'
    // For each line of the text the line of the CUDA text (from 1) that it came from, 0: none. For an inlined function
    // that is a line of the function, and `callers` has the lines of the calls that led there, outward.
    std::vector<int> source_lines;
    std::vector<std::vector<int>> callers;
    friend bool operator==(const Listing&, const Listing&) = default;
};

// The innermost line of CUDA text behind a line of the listing (from 0) that `counts`, as one outside of a prelude does.
int source_line(const Listing& listing, std::size_t line, const std::function<bool(int)>& counts);

Listing ptx_listing(std::string_view ptx);
// The lines of CUDA text behind a line (from 1) of PTX as NVRTC gives it, innermost first.
std::vector<int> lines_behind_ptx(std::string_view ptx, int line);
Listing sass_listing(std::string_view disassembly); // what disassemble() gives

// SASS as a listing, and the instructions that stand in it.
struct Disassembly {
    Listing listing;
    std::vector<sass::Function> functions; // in the order of the listing
};
Disassembly read_disassembly(std::string_view text); // likewise

struct DisassemblyRequest {
    std::string_view cubin;
    const std::atomic<bool>* cancelled = nullptr;
    double seconds = 60; // then nvdisasm is ended
};

// Runs nvdisasm. "nvdisasm-missing" (cannot be started), "disassembly-failed", "cancelled".
Result<std::string> disassemble(const std::string& nvdisasm, const DisassemblyRequest& request);

// Whether code of the cubin jumps to where a register says, or nobody can tell.
bool has_indirect_jumps(std::string_view cubin);

} // namespace hidet::toolchain
