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
    static std::vector<KeptTile> taken(Block& block);

private:
    static bool is_asked_for(const Block& block);
    static void keep(Block& block); // for who asked for it
    static std::int64_t place_in_tile(const Block& block, std::int64_t place);
    static KeptTile kept_tile(const Block& block, std::size_t row);
    static KeptTile kept_local(Block& block, const artifact::LocalArray& array);
};

// Who takes part in a finding beside the thread that it names (parties.cpp).
struct BlockParties {
    static constexpr std::uint32_t at_end = ~std::uint32_t{0}; // of the kernel, which is nowhere in the script
    static Doing doing_of(Purpose purpose);
    static Party access(const Block& block, Doing doing, std::uint32_t pc, int lane);
    static Party first_access(const Block& block, const Conflict& conflict);
    // Its own access, and the other one.
    static void add_accesses(const Block& block, Finding& finding, const Group& group, int lane, Doing own,
                             Party other);
    // Where all threads of the block stand; `at`: those who stand at what the finding is about.
    static void add_standing(const Block& block, std::vector<Party>& out, const Group* at);
    // What those of `doing` do, and where that is in the script.
    static void add_places(const Block& block, Finding& finding, Doing doing);

private:
    static Party at(const Block& block, Doing doing, std::uint32_t pc, const Mask& lanes);
    static void add(const Block& block, std::vector<Party>& out, Party party);
    static void add_away(const Block& block, std::vector<Party>& out, const Group& group, std::uint32_t pc);
};

// Who wrote which element of a tensor (owner_map.cpp).
struct BlockOwners {
    static void note_access(Block& block, Group& group, const Step& step, const Target& target);
    static void note_copy(Block& block, const Group& group, const BulkCopy& copy, int lane);
    // For a debugger: what is written to shared memory otherwise.
    struct SharedWrite {
        const std::byte* address = nullptr;
        std::int64_t bytes = 0;
        int lane = 0;
        bool is_copy = false;
    };
    static void note_shared(Block& block, const Group& group, const SharedWrite& write);
};

} // namespace hidet::vm
