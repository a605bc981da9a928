// SPDX-License-Identifier: Apache-2.0
// How the four warps of a warp group come together.
#pragma once

#include <map>
#include <vector>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

// Of each thread of a warp, since setmaxnreg; `is_more`: it asked for more.
struct WarpRegisters {
    int count = 0;
    std::uint32_t pc = 0;
    bool is_more = false;
};

class WarpGroups : BlockView {
public:
    explicit WarpGroups(const BlockView& view) : BlockView(view) {}
    bool gathers(Group& group, const Step& step);
    void change_registers(Group& group, const Step& step);
    void check_registers();
    void check_gathering();

private:
    Mask warps_apart(const Group& group) const;
    int missing_warp(const Group& group, const Mask& apart) const;
    const Group* group_of_warp(int w) const; // none: it has ended, or there is none
    bool is_same_turn(const Group& group, const Group& other, std::uint32_t pc);
    void join_waiting(Group& group, Group& other);
    bool missing_of(const Mask& apart, int w) const;
    [[noreturn]] void fail_apart(Group& group, const Mask& apart);

    std::vector<WarpRegisters> m_warp_registers;                      // empty: no warp has changed them
    std::map<std::uint32_t, std::vector<std::size_t>> m_live_scalars; // where warp groups come together
};

} // namespace hidet::vm
