// SPDX-License-Identifier: Apache-2.0
// A launch that is run in pieces, forward and back, as a debugger says (debugger.h).
#pragma once

#include <map>
#include <optional>

#include "runtime/vm/debug/debugger.h"
#include "runtime/vm/launch.h"
#include "runtime/vm/saved_memory.h"

namespace hidet::vm {

class Replay {
public:
    explicit Replay(Debugger& debugger) : m_debugger(debugger) {}
    LaunchResult run(const LaunchContext& context, const std::function<void(std::string_view)>& print);

    // Before each instruction.
    void before(Block& block, Group& group) {
        if (m_position >= m_next || m_marks[group.pc])
            look(block, group);
        ++m_position;
    }
    bool was_here() const { return m_position <= m_furthest; } // what is found was found then
    void found(const Finding& finding);                        // by the instruction that runs; it goes on
    bool watches() const { return !m_watched.empty() && !m_goal; }
    struct Written {
        const std::byte* address = nullptr;
        std::int64_t bytes = 0;
        int lane = 0;         // whose thread writes, or has it copied
        bool is_unit = false; // by a copy
    };
    void note_write(Block& block, const Group& group, const Written& written); // by the instruction that runs

private:
    struct Rewind {}; // thrown through the block that runs
    struct Checkpoint {
        std::int64_t turn = 0; // of the clusters, which begins there
        Position position = 0;
        std::size_t printed = 0;
        SavedMemory memory;
    };
    struct Search { // for the last place before `end`
        Position end = 0;
        std::size_t from = 0; // checkpoint
        std::optional<Position> hit = {};
        bool finds_writer = false; // of the bytes that are watched, or else a mark, a write or a finding
        Position came_from = 0;
        std::optional<Writer> writer = {};
        std::optional<WatchedWrite> write = {}; // at the hit
    };
    void begin_turn(const LaunchContext& context, std::int64_t turn);
    void thin_out();
    void look(Block& block, Group& group);
    void look_back(const Standing& standing);
    void note_writer(const Block& block, const Group& group, const Written& written);
    void note_stop(const WatchedWrite& write);
    [[noreturn]] void end_search();
    [[noreturn]] void rewind_to(Position position, Stop stop);
    std::optional<Stop> stop_here(const Standing& standing);
    void stand(const Standing& standing, Stop stop);
    bool go(Going going, Position position); // false: it stands there already
    void run_piece(const LaunchContext& context, const std::function<void(std::string_view)>& print,
                   LaunchResult& result);
    void restore(const LaunchContext& context);
    void print_new(std::string_view text, const std::function<void(std::string_view)>& print);
    std::size_t checkpoint_before(Position position) const; // that begins there or earlier
    Position next_look() const;

    Debugger& m_debugger;
    Position m_position = 0; // of the instruction that comes; behind it while it runs
    Position m_next = 0;     // a look at the latest
    Position m_furthest = 0; // so far it ran before
    std::vector<std::uint8_t> m_no_marks;
    std::vector<std::uint8_t> m_asked_marks;
    const std::uint8_t* m_marks = nullptr;
    std::vector<WatchedBytes> m_watched; // as of the marks: none while it goes somewhere in silence
    std::optional<Position> m_goal;      // where it goes without a question
    Stop m_at_goal;
    std::optional<Search> m_search;
    bool m_is_left = false;
    std::map<Position, Finding> m_findings;
    struct NewStop {
        Position position = 0;
        Stop stop;
    };
    std::optional<NewStop> m_new_stop; // to go back to
    std::optional<Position> m_told;    // of the finding that it stood at last
    std::optional<Position> m_stood;   // where it stood last
    std::vector<Checkpoint> m_checkpoints;
    std::size_t m_begin = 0;                       // the checkpoint that the piece begins at
    Position m_interval = 0;                       // between checkpoints, at least
    std::size_t m_printed = 0, m_printed_here = 0; // bytes, ever and up to here
};

} // namespace hidet::vm
