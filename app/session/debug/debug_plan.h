// SPDX-License-Identifier: Apache-2.0
// Where a launch that goes on, or back, stops next.
//
// A step follows one warp: the first that ran where the launch stood. The groups of a block run one at a time, so where that warp
// waits, others may do much before it goes on. When its block has ended the step ends in the next one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/session/debug/debug_view.h"

namespace hidet::session {

struct DebugBreakpoint {
    int id = 0;
    int line = 0;
    std::string condition = {}; // empty: none
    std::int64_t hits = 0;      // stops at this one and those behind it
};

struct PlacedBreakpoint {
    int id = 0;
    int line = 0;
    bool is_placed = false;
    std::string message = {}; // why not
};

struct DebugMove {
    enum class By : std::uint8_t { Continue, Statement, Barrier, Instruction, Position };
    By by{};
    bool is_back = false;
    int thread = -1;           // whose warp is followed; -1: the first that runs
    vm::Position position = 0; // By::Position
};

class DebugPlan {
public:
    // Of a kernel that is launched, by file.
    std::vector<PlacedBreakpoint> place(const std::map<std::string, std::vector<DebugBreakpoint>>& breakpoints,
                                        const Statements& statements);
    void only_block(std::optional<std::array<std::int64_t, 3>> block) { m_block = block; }

    void begin(const DebugMove& move, const vm::Standing& standing, const Statements& statements);
    std::vector<std::uint8_t> marks(const artifact::Function& kernel, const Statements& statements) const;
    bool stops(const vm::Standing& standing, const DebuggedKernel& kernel);
    bool stops_at_breakpoint(const vm::Standing& standing, const DebuggedKernel& kernel);
    DebugMove::By by() const { return m_move.by; }
    const std::vector<int>& hit_breakpoints() const { return m_hit; } // where it stopped last
    int hit_thread() const { return m_hit_thread; }
    std::string take_complaint() { return std::exchange(m_complaint, {}); } // about a condition, once

private:
    struct Placed {
        DebugBreakpoint breakpoint;
        std::vector<std::size_t> pcs;
        std::optional<DebugExpression> condition;
        std::set<vm::Position> hits;
    };
    struct Seen { // the last beginning of a statement of the warp
        vm::Position position = 0;
        std::int64_t block = -1;
        std::size_t pc = 0;
        StatementPlace place;
    };
    std::optional<int> thread_that_fits(Placed& placed, const vm::Standing& standing, const DebuggedKernel& kernel);
    bool is_step(const vm::Standing& standing, const Statements& statements);

    std::vector<Placed> m_placed;
    std::optional<std::array<std::int64_t, 3>> m_block;
    DebugMove m_move;
    int m_warp = 0;
    Seen m_seen;
    std::int64_t m_from_block = -1;
    std::vector<int> m_hit;
    int m_hit_thread = 0;
    std::string m_complaint;
};

} // namespace hidet::session
