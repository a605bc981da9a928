// SPDX-License-Identifier: Apache-2.0
// What a block left in its shared memory and its threads in their local arrays, when its last thread ended, when its last
// thread left a line, or when a finding stopped it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/program.h"

namespace hidet::vm {

struct TileRequest {
    std::array<std::int64_t, 3> block{};   // of each launch that has it
    std::function<bool(const Origin&)> at; // the instructions of the line; null: as it is when the block ends
};

struct KeptTile { // a shared array, or a local one
    std::string name;
    artifact::Scalar element{};
    std::vector<std::byte> bytes;      // what the copy unit has swizzled is back in its place
    std::vector<std::uint8_t> written; // of each byte whether something was written to it; empty: nobody looked
    std::int64_t threads = 0;          // of a local array: whose elements follow each other
};

struct KeptTiles {
    std::string kernel;
    std::array<std::int64_t, 3> block{};
    std::vector<KeptTile> tiles = {};
    bool is_asked = true; // it is the block that was asked for; else another one, in which something was found
};

// Of one launch.
struct TileKeeper {
    std::vector<bool> marks;   // of each instruction whether it is of the line; empty: the end of the block is meant
    KeptTiles* kept = nullptr; // null: nobody asks
    std::optional<std::int64_t> number; // of the block that was asked for; nothing: the grid has none
    struct Declaration {                // of a local array
        std::uint32_t pc = 0;
        std::int32_t first = 0, count = 0; // of its registers
    };
    std::vector<Declaration> declarations;
    void forget() const { kept->tiles.clear(); } // of a run that does not count
};

} // namespace hidet::vm
