// SPDX-License-Identifier: Apache-2.0
// The barriers in the shared memory of a block.
#pragma once

#include <map>
#include <string>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

// Who uses a barrier in shared memory: a thread of the block that has it, one of another block, or a copy.
enum class BarrierUse : std::uint8_t { Own, Remote, Copy };
struct Mbarrier {
    std::int64_t expected = 0, pending = 0; // threads of a phase, and those of them that did not arrive
    std::int64_t bytes = 0;                 // that are to come
    std::uint64_t phase = 0;                // how many are over
    Clock arrived, over;                    // what those knew who arrived at this phase, and at the phases before
    Actor unit = 0;                         // its copies
    Actor maker = 0;                        // a thread
    Epoch made = 0;
    std::uint32_t pc = 0;
    bool is_published = false; // behind fence_barrier_init
    std::uint32_t copy_pc = 0; // of the last copy that arrived, and when; 0: none did
    Epoch copied = 0;
};

class Mbarriers : BlockView {
public:
    explicit Mbarriers(const BlockView& view) : BlockView(view) {}
    void begin() { m_mbarriers.clear(); }
    void publish(const Mask& makers); // those that they have made
    const std::map<const std::byte*, Mbarrier>& all() const { return m_mbarriers; }
    Mbarrier* find(const std::byte* place) { // null: there is none
        const auto found = m_mbarriers.find(place);
        return found == m_mbarriers.end() ? nullptr : &found->second;
    }
    std::string name_of(std::uint64_t pointer) const;
    const std::byte* place_of(Group& group, std::uint64_t pointer, int lane, const char* what);
    Mbarrier& at(Group& group, Block& owner, std::uint64_t pointer, int lane, const char* what);
    void make_mbarrier(Group& group, const Step& step);
    void end_mbarrier(Group& group, const Step& step);
    void settle(Mbarrier& barrier);
    void signal_mbarrier(Group& group, const Step& step);
    void check_made(Group& group, const Mbarrier& barrier, std::uint64_t pointer, int lane, BarrierUse use);
    void await_mbarrier(Group& group, const Step& step);
    void test_mbarrier(Group& group, const Step& step);
    std::string waiting_text(const Group& group) const;

private:
    void reserve_barrier(std::uint64_t pointer, Actor actor, Epoch epoch, std::uint32_t pc);
    Mask lanes_that_signal(Group& group, const artifact::Operands& row, int lane) const;
    bool is_over(Group& group, const Step& step, int lane);
    Mask lanes_that_ask(Group& group, const Step& step, const Mask& lanes) const;
    void observe_phase(Group& group, const Step& step, const Mask& lanes);

    std::map<const std::byte*, Mbarrier> m_mbarriers;
};

} // namespace hidet::vm
