// SPDX-License-Identifier: Apache-2.0
// What a text costs, as far as it is known: the same few figures for a run, an edit and a side of a comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hidet::session {

struct CodeFigures {
    std::optional<int> registers;             // of a thread, of the kernel that has the most
    std::optional<std::int64_t> shared_bytes; // of a block, likewise
    std::optional<double> predicted;          // seconds: of all kernels, at the sizes of the script's first call
    std::optional<double> measured;           // seconds: the median of the run
    friend bool operator==(const CodeFigures&, const CodeFigures&) = default;

    void add_kernel(std::optional<int> registers, std::int64_t shared_bytes);
};

std::vector<std::string>
words_of(const CodeFigures& figures); // "40 registers", "4 KiB of shared memory", "~12 us predicted"
// What is known of both, and differs: "registers 40 to 32". What was measured is not compared: its spread says what counts.
std::vector<std::string> changes_of(const CodeFigures& now, const CodeFigures& before);

} // namespace hidet::session
