// SPDX-License-Identifier: Apache-2.0
// Whether the accesses of a kernel stay within their tensors, without running it: proved, or a thread that leaves, or neither.
//
// Two proofs. With the sizes of a call the kernel is followed for all threads, blocks and turns of loops (tracer.h), so that an
// index is known to the number, and one that leaves has an example. Without them ranges of numbers, and conditions that compare
// an index with its extent, prove what holds for any sizes (inside.h). Numbers that are read from memory may be anything.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/access/access_map.h"

namespace hidet::compiler::access {

enum class Within : std::uint8_t { Proved, Undecided, Leaves };

struct Turn { // of a loop
    std::string variable;
    std::int64_t number = 0;
};

// One thread that leaves.
struct Escape {
    std::array<std::int64_t, 3> block{}, thread{};
    std::vector<Turn> turns;                // of the loops around, from the outside in
    std::vector<std::int64_t> index, shape; // of the element
    // Instead of them, where the access is no element: the first byte behind the beginning of what has so many bytes.
    std::int64_t at = 0, bytes = 0, size = 0;
    std::int64_t threads = 1; // of the block, that leave there
};

struct BoundsCheck {
    Origin origin;
    AccessKind kind{};
    bool is_shared = false;
    std::string tensor; // as in Access
    Within within{};
    bool for_any_size = false;    // it is proved whatever the sizes of the call are
    std::string why;              // it is not decided
    std::optional<Escape> escape; // also of what is not decided, where it leaves if data lets it run
};

// Of one kernel, in the order of the script.
std::vector<BoundsCheck> check_bounds(const ir::Module& module, const ir::Function& kernel,
                                      const SymbolValues& sizes = {}, const Limits& limits = {});

const char* within_name(Within within); // "proved"

} // namespace hidet::compiler::access
