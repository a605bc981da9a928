// SPDX-License-Identifier: Apache-2.0
// Loads that stand behind each other and differ in a constant only, as loops that were unrolled leave them: their lanes'
// parts are the same, so the first one's address and one look at the bounds of all of them serve for the rest.
//
// Where sums of products follow and nothing else uses what is loaded, it goes into no register: the factors are taken from
// where they are, for each chunk of lanes one value or sixteen that lie together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/artifact/program.h"
#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/vector/table.h"

namespace hidet::vm {

struct Code;

// Those of one place: the first one, and all of them with how much further on they are.
struct LoadFamily {
    std::int32_t access = 0; // row of the first
    std::int64_t lowest = 0, highest = 0;
    std::uint64_t low_bits = 0; // of all distances, or-ed
    struct Bounds {
        std::int64_t lowest = 0, highest = 0;
    };
    std::vector<Bounds> indices; // of the constants of each term, from the first one's
    std::vector<Repeat> members;
};
struct FusedLoads {
    std::uint32_t steps = 0; // how many
    std::vector<LoadFamily> families;
    // Of the sums that follow; none: they take their factors from registers.
    std::vector<MulAddTerm> terms;
    std::size_t a = 0, b = 0; // families of the factors
};

// Where the members of a family are, for sums that take them from there.
struct FactorPlaces {
    static constexpr std::size_t most = 64;
    Factors factors;
    std::array<const std::byte*, most> members;
    alignas(64) std::byte values[most * chunk_lanes * sizeof(float)]; // of one chunk, where all have the same
};

// Marks the steps that begin one. Steps of a run have nothing to be tracked (after note_registers).
void find_load_runs(Code& code, const artifact::Function& function);

} // namespace hidet::vm
