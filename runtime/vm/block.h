// SPDX-License-Identifier: Apache-2.0
// One block of a kernel while it runs: its units, and the loop that hands each instruction to one of them.
//
// Its threads are lanes of the registers. A group is a set of warps that run together: it has the program counter, the
// running threads, the open frames and the u registers. A block begins as one group (or as some, when its registers
// would not fit the cache), and a group splits where its warps part ways and one side holds a barrier. Groups run one at
// a time until they wait, so a block needs no locks, and whatever the order, what ordered threads compute is the same.
//
// A group has a number for what a register holds for it. Integer arithmetic makes it out of the operation and the numbers of
// the operands, so equal computations have equal numbers: in every turn of a loop, every copy of an unrolled body, every
// block. What comes from memory gets a new number. The lanes' part of an address is looked at once for each combination
// of numbers and running threads; after that, checking and moving need no look at single lanes.
#pragma once

#include <string>
#include <vector>

#include "runtime/vm/async/async_copies.h"
#include "runtime/vm/async/copy_unit.h"
#include "runtime/vm/async/mbarriers.h"
#include "runtime/vm/checks/access_findings.h"
#include "runtime/vm/checks/global_checker.h"
#include "runtime/vm/checks/init_checker.h"
#include "runtime/vm/checks/race_checker.h"
#include "runtime/vm/core/block_barriers.h"
#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/control_flow.h"
#include "runtime/vm/core/memory_unit.h"
#include "runtime/vm/core/warp_groups.h"
#include "runtime/vm/core/warp_unit.h"
#include "runtime/vm/matrix/matrix_unit.h"
#include "runtime/vm/matrix/warp_group_products.h"
#include "runtime/vm/observe/observer.h"

namespace hidet::vm {

enum class BlockStatus : std::uint8_t { Finished, Waiting };

class Block : public BlockState, public BlockView {
public:
    explicit Block(const LaunchContext& context);
    void begin_launch();                                                   // another one than the last
    void start(std::int64_t linear);                                       // the number of the block in its grid
    void join(const std::vector<Block*>& cluster, int rank, Order* order); // no order: it is not checked
    // Runs until all threads ended, or nothing can go on before other blocks do.
    BlockStatus run();
    // Nobody will come; blocks that have not begun, and what is said of other ranks.
    [[noreturn]] void fail_waiting(std::int64_t outside, const std::string& others);
    void stopped(Finding& finding); // by it

    // For units whose instructions do what others say.
    void count_more(const Group& group, std::uint64_t instructions); // that were dispatched
    void change_sums(Group& group, const Step& step);
    void add_flops(const Group& group, std::uint64_t flops) {
        statistics.flops += flops;
        if (m_counts)
            observer.add_flops(group, flops);
    }

    ControlFlow flow{*this};
    BlockBarriers barriers{*this};
    WarpUnit warp{*this};
    WarpGroups warp_groups{*this};
    MemoryUnit memory{*this};
    RaceChecker races{*this};
    GlobalChecker globals{*this};
    InitChecker init{*this};
    AccessFindings findings{*this};
    AsyncCopies copies{*this};
    CopyUnit bulk{*this};
    Mbarriers mbarriers{*this};
    MatrixUnit matrix{*this};
    WarpGroupProducts products{*this};
    Observer observer{*this};

private:
    template <class Before>
    void run_group(Group& group, Before&& before_each);
    void run_vector(Group& group, const Step& step);
    void execute(Group& group, const Step& step);
    void muladd_all(Group& group, const Step& step);
    void check_divisor(Group& group, const Step& step);
    void check_budget(Group& group);
    void stop_in_time(Group& group);
    std::uint64_t computed_version(const Group& group, const Step& step) const;
    void number_threads();
    void special(Group& group, const Step& step);

    std::vector<std::int32_t> m_thread_indices; // x, y and z of each lane, and its number, behind each other
    std::uint64_t m_dispatched = 0;             // counted at looks at the budget
};

// What printf() prints: the format is row.text of the strings, and the value of a %s the number of one of them.
std::string format_text(const artifact::Operands& row, const std::vector<std::uint64_t>& values,
                        const std::vector<std::string>& strings);

} // namespace hidet::vm
