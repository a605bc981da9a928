// SPDX-License-Identifier: Apache-2.0
// What the blocks of a launch share: the kernel and its arguments, what is known of global memory, what was found.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/artifact/launch_shape.h"
#include "lang/base/symbol_values.h"
#include "runtime/vm/checks/global_shadow.h"
#include "runtime/vm/checks/rank_history.h"
#include "runtime/vm/code.h"
#include "runtime/vm/machine.h"
#include "runtime/vm/memory.h"

namespace hidet::vm {

class TimelineLog;

// Empty: it has none.
inline std::string name_in(const Program& program, std::int32_t row) {
    return row >= 0 ? program.strings[static_cast<std::size_t>(row)] : std::string();
}

// Unwinds to the launch (or the call): the run ends with this finding; others were made before it.
struct FindingError {
    Finding finding;
    std::vector<Finding> earlier = {};
};

// Findings after which a kernel goes on: each once for a kind and the places of the script that take part, with a count.
class FindingLog {
public:
    bool add(Finding finding);   // from any thread; false: it was known
    std::vector<Finding> take(); // in the order in which they were first made
    bool is_empty() const {
        const std::lock_guard lock(m_mutex);
        return m_findings.empty();
    }

private:
    mutable std::mutex m_mutex;
    std::vector<Finding> m_findings;
    std::map<std::tuple<FindingKind, std::uint32_t, std::uint32_t>, std::size_t> m_rows;
};

using artifact::LaunchShape;

// What is known of global memory while a launch runs whose accesses are checked.
struct LaunchShadow {
    bool tracks_all = false;
    std::vector<std::uint32_t> tracked;                  // allocations that the kernel may write; others have no record
    int granule = 4;                                     // bytes that are told apart
    std::vector<std::pair<std::uint32_t, int>> narrower; // allocations of which narrower pieces are accessed
    int granule_of(std::uint32_t id) const {
        int least = granule;
        for (const auto& [known, bytes] : narrower)
            least = known == id && bytes < least ? bytes : least;
        return least;
    }
    void track_as(const LaunchShadow& other) {
        tracks_all = other.tracks_all, tracked = other.tracked;
        granule = other.granule, narrower = other.narrower;
    }
    std::mutex mutex;       // of the shadows
    bool is_shared = false; // by several host threads
    // By the memory and its bytes, which several ranks may have under numbers of their own; null: not tracked.
    std::map<std::pair<const std::byte*, std::int64_t>, std::unique_ptr<GlobalShadow>> shadows;
    std::vector<Published> published = std::vector<Published>(1); // by rank
    Published to_all;                                             // by accesses of the system's scope
};

class KeptClusters;
class Replay;
struct LaunchContext;

// The launches of one kernel by all ranks, which run together.
struct Ranks {
    std::vector<const LaunchContext*> launches; // by rank
    int size() const { return static_cast<int>(launches.size()); }
};

// What all blocks of a launch share, read only but for the printed text.
struct LaunchContext {
    const Program* program = nullptr;
    const Function* kernel = nullptr;
    const Code* code = nullptr;
    const VectorTable* table = nullptr;
    const Memory* memory = nullptr;
    const std::vector<std::uint64_t>* globals = nullptr; // pointers to the program's global variables
    const SymbolValues* symbols = nullptr;
    std::vector<std::uint64_t> args;
    LaunchShape shape;
    const Ranks* ranks = nullptr; // null: it runs alone
    int rank = 0;
    std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> peers; // of symmetric memory: where each rank has it
    int rank_count() const { return ranks ? ranks->size() : 1; }
    std::int64_t first_block() const { return rank * shape.blocks(); } // among those of all ranks
    std::int64_t resident_blocks = 0;                                  // that the GPU holds at a time
    int thread_registers = 0;                                          // that a thread begins with, at most
    int group_lanes = 0;                                               // threads of a block that run together
    int most_lanes = 0;                                                // the same where nothing is found
    bool is_random = false;                                            // the order of what may come in any
    std::uint64_t seed = 0;
    std::uint64_t max_steps = 0; // of this launch, in instructions times threads
    std::uint64_t max_block_instructions = 0;
    std::size_t most_printed = 0; // bytes, of all blocks
    const std::atomic<bool>* cancelled = nullptr;
    FindingLog* log = nullptr; // null: bounds are checked, not the order of accesses
    LaunchShadow* global = nullptr;
    RankHistory* history_of_ranks = nullptr; // null: there is one rank
    RankHistory::Launch* history = nullptr;  // null: no symmetric memory is reached
    bool counts = false;                     // what each instruction does
    TimelineLog* timelines = nullptr;        // of blocks that are timed, which counts has to be set for
    KeptClusters* kept = nullptr;            // null: none are
    TileKeeper* tiles = nullptr;             // null: nobody asks for shared memory
    // Whether registers are looked at where a line ends: what is done later for speed is done at once then.
    bool shows_lines() const { return replay || (tiles && !tiles->marks.empty()); }
    Replay* replay = nullptr;      // null: nobody stops in the launch
    std::vector<OwnerMap*> owners; // of tensors of which it is asked who writes what
    bool is_told_of_writes() const { return !owners.empty() || replay; }
    bool fills =
        true; // with NaNs, where copies are under way to; else a look at it is a finding, and the launch runs again
};

} // namespace hidet::vm
