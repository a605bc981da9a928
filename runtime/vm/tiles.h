// SPDX-License-Identifier: Apache-2.0
// What a block left in its shared memory, when its last thread ended or when its last thread left a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/artifact/program.h"

namespace hidet::vm {

struct TileRequest {
    std::array<std::int64_t, 3> block{};   // of each launch that has it
    std::function<bool(const Origin&)> at; // the instructions of the line; null: as it is when the block ends
};

struct KeptTile { // a shared array
    std::string name;
    artifact::Scalar element{};
    std::vector<std::byte> bytes;      // what the copy unit has swizzled is back in its place
    std::vector<std::uint8_t> written; // of each byte whether something was written to it; empty: nobody looked
};

struct KeptTiles {
    std::string kernel;
    std::array<std::int64_t, 3> block{};
    std::vector<KeptTile> tiles = {};
};

// Of one launch.
struct TileKeeper {
    std::vector<bool> marks;   // of each instruction whether it is of the line; empty: the end of the block is meant
    KeptTiles* kept = nullptr; // null: nobody asks
};

} // namespace hidet::vm
