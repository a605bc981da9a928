// SPDX-License-Identifier: Apache-2.0
// Which threads of a block run, in which groups, and which group is next.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

class ControlFlow : BlockView {
public:
    explicit ControlFlow(const BlockView& view) : BlockView(view) {}
    void begin(bool forgets);
    const std::vector<ThreadsEnd>& exits() const { return m_exits; }
    void set_active(Group& group, const Mask& mask);
    void open_if(Group& group, const Step& step);
    void other_side(Group& group, const Step& step);
    void close_frame(Group& group, const Step& step);
    void open_loop(Group& group);
    void test_loop(Group& group, const Step& step);
    void next_turn(Group& group, const Step& step);
    void leave(Group& group, const Step& step);
    void exit_threads(Group& group, const Step& step);
    Group& part(Group& group, const Mask& leaving, std::uint32_t pc);
    void part_from_idle(Group& group);
    void finish(Group& group);
    void merge_into(Group& to, Group& from);
    std::size_t chosen(std::size_t count); // one of so many
    Group* next_group();

private:
    Group& add_group();
    void note_exit(std::uint32_t pc, const Mask& lanes);
    Mask condition_mask(Group& group, const Step& step);
    bool split(Group& group, const Mask& stay, const Mask& go, const Step& step);
    std::uint32_t end_of_open(std::uint32_t pc) const;
    Group& fresh_group(); // a new one, or one that ended
    void clear(Group& group) const;
    int split_parties(int split) const;
    Group* ready_group();
    bool deliver();

    std::deque<std::unique_ptr<Group>> m_spare_groups; // with what they know about accesses, for the next block
    int m_splits = 0;
    std::uint64_t m_random = 0;
    std::vector<ThreadsEnd> m_exits; // of its threads so far
};

} // namespace hidet::vm
