// SPDX-License-Identifier: Apache-2.0
// What is noted of a block beside its work, where somebody asks.
#pragma once

#include "runtime/vm/block.h"

namespace hidet::vm {

// Its shared memory, and the local arrays of its threads (tiles.cpp).
struct BlockTiles {
    static void begin(Block& block);
    static void follow_line(Block& block, Group& group); // before an instruction
    static void end(Block& block);                       // when its last thread has ended
    static void found(Block& block, Finding& finding);   // gets them as they are

private:
    static bool is_asked_for(const Block& block);
    static void keep(Block& block); // for who asked for it
    static std::vector<KeptTile> taken(Block& block);
    static std::int64_t place_in_tile(const Block& block, std::int64_t place);
    static KeptTile kept_tile(const Block& block, std::size_t row);
    static KeptTile kept_local(Block& block, const artifact::LocalArray& array);
};

// Who wrote which element of a tensor (owner_map.cpp).
struct BlockOwners {
    static void note_access(Block& block, Group& group, const Step& step, const Block::Target& target);
    static void note_copy(const Block& block, const BulkCopy& copy, int lane);
};

} // namespace hidet::vm
