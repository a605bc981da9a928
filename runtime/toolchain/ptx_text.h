// SPDX-License-Identifier: Apache-2.0
// PTX as a text that a person may have changed: which kernels it has, what they take, and the same with a place before each
// statement, so that machine code leads back to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::toolchain {

struct PtxEntry {
    std::string name;
    std::vector<std::int64_t> parameter_bytes;
    friend bool operator==(const PtxEntry&, const PtxEntry&) = default;
};
std::vector<PtxEntry> entries_of_ptx(std::string_view ptx); // in the order of the text

// "sm_90a" of `.target sm_90a, debug`; empty: it says none.
std::string target_of_ptx(std::string_view ptx);

// Every statement gets a `.loc` with the line that it stands on, in the place of those that the text has. Lines stay lines.
std::string with_own_lines(std::string_view ptx);

} // namespace hidet::toolchain
