// SPDX-License-Identifier: Apache-2.0
// Where a launch that goes on, or back, stops next.
//
// A step follows one warp: the first that ran where the launch stood. The groups of a block run one at a time, so where that warp
// waits, others may do much before it goes on. When its block has ended the step ends in the next one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/debug/condition.h"

namespace hidet::session {

struct DebugBreakpoint {
    int id = 0;
    int line = 0;
    std::string condition = {}; // empty: none
    std::string hits = {};      // at which times, as HitCount has it
    std::string message = {};   // printed instead of stopping; empty: it stops
};

// Stops before an element is written.
struct DebugWatch {
    int id = 0;
    std::string element = {}; // "tile[3, 4]"
    vm::WatchedBytes bytes = {};
    std::string condition = {};
    std::string hits = {};
};

// The text of a script, in which names of conditions are looked up.
struct DebuggedText {
    std::string file, text;
};

struct PlacedBreakpoint {
    int id = 0;
    int line = 0;
    bool is_placed = false;
    std::string message = {}; // why not, or why it stops each time
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
    using Breakpoints = std::map<std::string, std::vector<DebugBreakpoint>>; // by file
    // Of a kernel that is launched; null: none is yet, and they are only looked at.
    std::vector<PlacedBreakpoint> place(const Breakpoints& breakpoints, const DebuggedText& script,
                                        const Statements* statements);
    std::vector<PlacedBreakpoint> watch(const std::vector<DebugWatch>& watches);
    void only_block(std::optional<std::array<std::int64_t, 3>> block) { m_block = block; }

    void begin(const DebugMove& move, const vm::Standing& standing, const Statements& statements);
    std::vector<std::uint8_t> marks(const artifact::Function& kernel, const Statements& statements) const;
    std::vector<vm::WatchedBytes> watched() const;
    bool stops(const vm::Standing& standing, const DebuggedKernel& kernel);
    bool stops_at_breakpoint(const vm::Standing& standing, const DebuggedKernel& kernel);
    bool stops_at_write(const vm::Standing& standing, const vm::WatchedWrite& write, const DebuggedKernel& kernel);
    const DebugWatch& watch_at(std::size_t row) const { return m_watches.at(row).watch; }
    bool is_back() const { return m_move.is_back; }
    const std::vector<int>& hit_breakpoints() const { return m_hit; } // where it stopped last
    int hit_thread() const { return m_hit_thread; }
    std::string take_printed() { return std::exchange(m_printed, {}); }
    std::vector<PlacedBreakpoint> take_mistakes() { return std::exchange(m_mistakes, {}); } // of conditions, each once

private:
    struct Placed {
        DebugBreakpoint breakpoint;
        std::vector<std::size_t> pcs;
        StopCondition condition;
        LogMessage message;
    };
    struct Watched {
        DebugWatch watch;
        StopCondition condition;
    };
    struct Seen { // the last beginning of a statement of the warp
        vm::Position position = 0;
        std::int64_t block = -1;
        std::size_t pc = 0;
        StatementPlace place;
    };
    Result<Placed> placed(const DebugBreakpoint& breakpoint, const DebuggedText* script, int line);
    void note_mistake(StopCondition& condition, int id, int line);
    bool is_step(const vm::Standing& standing, const Statements& statements);

    std::vector<Placed> m_placed;
    std::vector<Watched> m_watches;
    std::optional<std::array<std::int64_t, 3>> m_block;
    DebugMove m_move;
    int m_warp = 0;
    Seen m_seen;
    std::int64_t m_from_block = -1;
    std::vector<int> m_hit;
    int m_hit_thread = 0;
    bool m_prints = false; // what is passed by on the way on, and not looked at twice
    std::string m_printed;
    std::vector<PlacedBreakpoint> m_mistakes;
};

} // namespace hidet::session
