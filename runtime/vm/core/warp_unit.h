// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp do together, text, and assertions.
#pragma once

#include <string>
#include <utility>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

class WarpUnit : BlockView {
public:
    explicit WarpUnit(const BlockView& view) : BlockView(view) {}
    void begin_launch() { m_output.clear(); }
    std::string take_output() { return std::exchange(m_output, {}); } // no longer than may be printed
    void shuffle(Group& group, const Step& step);
    void vote(Group& group, const Step& step);
    void elect(Group& group, const Step& step);
    void match(Group& group, const Step& step);
    void combine_lanes(Group& group, const Step& step);
    void active_mask(Group& group, const Step& step);
    void read_clock(Group& group, const Step& step);
    void sync_warp(Group& group, const Step& step);
    void print(Group& group, const Step& step);
    void check_assert(Group& group, const Step& step);

private:
    template <class F>
    void for_members(Group& group, const Step& step, const char* what, F&& result);
    void check_mask(Group& group, std::int32_t operand, int w, const char* what);
    void sync_lanes(Group& group, std::int32_t mask_operand);

    std::string m_output;
    std::uint64_t m_clocks_read = 0;
};

} // namespace hidet::vm
