// SPDX-License-Identifier: Apache-2.0
// What a person types at a breakpoint, in the words of the script: when it counts, and what it prints instead of stopping.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/debug/debug_view.h"

namespace hidet::session {

// Why an expression cannot be computed at a line of the script, as far as the text says; empty: nothing speaks against it.
std::string mistake_in(const std::string& expression, const std::string& script, int line);

// The element of a tensor that stands at an offset of the script, as it is written there: "tile[63 - t]"; empty: there is none.
std::string element_at(const std::string& script, std::uint32_t offset);

// At which times something counts, the first being 1.
struct HitCount {
    std::int64_t least = 0, most = std::numeric_limits<std::int64_t>::max(), every = 1;
    // "3" or ">= 3", "> 3", "== 3", "<= 3", "< 3", "% 3"; empty: always.
    static Result<HitCount> parse(std::string_view text);
    bool holds(std::int64_t time) const { return least <= time && time <= most && time % every == 0; }
};

// Counts the places where a condition holds for some thread. Each counts once, however often a launch comes there.
class StopCondition {
public:
    static Result<StopCondition> parse(const std::string& condition, const std::string& hits);
    // The first thread that it holds for and that counts; nothing: there is none. What cannot be computed is told once, and
    // holds from then on.
    std::optional<int> thread_that_fits(const DebugView& view, const vm::Standing& standing);
    bool fits(const DebugView& view, vm::Position position, int thread);
    std::optional<std::string> take_complaint() { return std::exchange(m_complaint, {}); }
    bool asks() const { return m_condition.has_value(); }

private:
    bool holds(const DebugView& view, int thread);
    bool counts(vm::Position position);

    std::optional<DebugExpression> m_condition;
    HitCount m_hits;
    std::set<vm::Position> m_places;
    std::optional<std::string> m_complaint;
};

// "i is {i}": what a breakpoint prints. Without a condition a value is that of all lanes of the warp.
class LogMessage {
public:
    static Result<LogMessage> parse(const std::string& text);
    std::string text(const DebugView& view, int thread, bool of_thread_alone) const;

private:
    struct Part {
        std::string text;
        std::optional<DebugExpression> value; // in its place
    };
    std::vector<Part> m_parts;
};

} // namespace hidet::session
