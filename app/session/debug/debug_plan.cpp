// SPDX-License-Identifier: Apache-2.0
#include "app/session/debug/debug_plan.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

bool is_barrier(artifact::Op op) {
    switch (op) {
    case artifact::Op::Barrier:
    case artifact::Op::BarrierReduce:
    case artifact::Op::ClusterBarrier:
    case artifact::Op::MbarWait: return true;
    default: return false;
    }
}

std::int64_t number_of_block(const vm::Standing& standing) {
    const auto at = standing.block();
    const auto& grid = standing.shape().grid;
    return at[0] + grid[0] * (at[1] + grid[1] * at[2]);
}

} // namespace

std::vector<PlacedBreakpoint> DebugPlan::place(const Breakpoints& breakpoints, const DebuggedText& script,
                                               const Statements* statements) {
    std::vector<PlacedBreakpoint> out;
    std::vector<Placed> all;
    for (const auto& [file, of_file] : breakpoints)
        for (const DebugBreakpoint& each : of_file) {
            std::optional<Statements::Line> line;
            if (statements && !(line = statements->line_from(file, each.line))) {
                out.push_back({each.id, each.line, false, "the kernel that is debugged has no code from that line on"});
                continue;
            }
            const int at = line ? line->line : each.line;
            Result<Placed> made = placed(each, is_same_file(file, script.file) ? &script : nullptr, at);
            if (!made) {
                out.push_back({each.id, at, false, made.error().message});
                continue;
            }
            if (!line) {
                out.push_back({each.id, at, false, "it is placed when the kernel is launched"});
                continue;
            }
            Placed& next = all.emplace_back(std::move(made).value());
            next.pcs = line->pcs;
            out.push_back({each.id, at, true, ""});
        }
    m_placed = std::move(all);
    return out;
}

// What is wrong with its texts is its error.
Result<DebugPlan::Placed> DebugPlan::placed(const DebugBreakpoint& breakpoint, const DebuggedText* script, int line) {
    const auto wrong = [](const char* what, const std::string& why) {
        return Error{"bad-breakpoint", cat(what, " cannot be computed: ", why)};
    };
    if (script && !breakpoint.condition.empty())
        if (const std::string mistake = mistake_in(breakpoint.condition, script->text, line); !mistake.empty())
            return wrong("its condition", mistake);
    Placed out{breakpoint, {}, {}, {}};
    if (auto condition = StopCondition::parse(breakpoint.condition, breakpoint.hits))
        out.condition = std::move(condition).value();
    else
        return wrong("its condition", condition.error().message);
    if (auto message = LogMessage::parse(breakpoint.message))
        out.message = std::move(message).value();
    else
        return wrong("its message", message.error().message);
    return out;
}

std::vector<PlacedBreakpoint> DebugPlan::watch(const std::vector<DebugWatch>& watches) {
    std::vector<PlacedBreakpoint> out;
    m_watches.clear();
    for (const DebugWatch& each : watches) {
        Result<StopCondition> condition = StopCondition::parse(each.condition, each.hits);
        out.push_back({.id = each.id, .is_placed = condition.ok()});
        if (condition)
            m_watches.push_back({each, std::move(condition).value()});
        else
            out.back().message = cat("its condition cannot be computed: ", condition.error().message);
    }
    return out;
}

std::vector<vm::WatchedBytes> DebugPlan::watched() const {
    std::vector<vm::WatchedBytes> out;
    for (const Watched& each : m_watches)
        out.push_back(each.watch.bytes);
    return out;
}

void DebugPlan::begin(const DebugMove& move, const vm::Standing& standing, const Statements& statements) {
    m_move = move;
    m_hit.clear();
    m_warp = std::max(0, move.thread >= 0 ? move.thread : standing.first_thread()) / lanes_of_warp;
    m_from_block = number_of_block(standing);
    m_seen = {standing.position(), m_from_block, standing.pc(), statements.at(standing.pc())};
}

std::vector<std::uint8_t> DebugPlan::marks(const artifact::Function& kernel, const Statements& statements) const {
    std::vector<std::uint8_t> out(statements.count(), m_move.by == DebugMove::By::Instruction);
    for (std::size_t pc = 0; pc < out.size(); ++pc)
        if ((m_move.by == DebugMove::By::Statement && statements.begins(pc)) ||
            (m_move.by == DebugMove::By::Barrier && is_barrier(kernel.code[pc].op)))
            out[pc] = 1;
    for (const Placed& each : m_placed)
        for (const std::size_t pc : each.pcs)
            out[pc] = 1;
    return out;
}

bool DebugPlan::stops(const vm::Standing& standing, const DebuggedKernel& kernel) {
    if (standing.first_thread() < 0)
        return false;
    m_prints = !m_move.is_back;
    const bool hits = stops_at_breakpoint(standing, kernel);
    m_prints = false;
    return (m_move.by != DebugMove::By::Continue && is_step(standing, kernel.statements)) || hits;
}

bool DebugPlan::stops_at_breakpoint(const vm::Standing& standing, const DebuggedKernel& kernel) {
    m_hit.clear();
    if (m_block && *m_block != standing.block())
        return false;
    for (Placed& each : m_placed) {
        if (!std::ranges::binary_search(each.pcs, std::size_t{standing.pc()}))
            continue;
        const DebugView view(standing, kernel);
        const bool is_of_thread = each.condition.asks();
        const std::optional<int> thread = each.condition.thread_that_fits(view, standing);
        note_mistake(each.condition, each.breakpoint.id, each.breakpoint.line);
        if (!thread)
            continue;
        if (!each.breakpoint.message.empty()) {
            if (m_prints)
                m_printed += each.message.text(view, *thread, is_of_thread) + '\n';
            continue;
        }
        m_hit.push_back(each.breakpoint.id);
        m_hit_thread = *thread;
    }
    return !m_hit.empty();
}

bool DebugPlan::stops_at_write(const vm::Standing& standing, const vm::WatchedWrite& write,
                               const DebuggedKernel& kernel) {
    if (m_block && *m_block != standing.block())
        return false;
    Watched& each = m_watches.at(write.row);
    const bool fits = each.condition.fits(DebugView(standing, kernel), write.position, write.thread);
    note_mistake(each.condition, each.watch.id, 0);
    return fits;
}

void DebugPlan::note_mistake(StopCondition& condition, int id, int line) {
    if (const std::optional<std::string> why = condition.take_complaint())
        m_mistakes.push_back({id, line, true, cat("its condition cannot be computed: ", *why)});
}

bool DebugPlan::is_step(const vm::Standing& standing, const Statements& statements) {
    const std::size_t pc = standing.pc();
    const std::int64_t block = number_of_block(standing);
    const bool is_same_block = block == m_from_block;
    if (is_same_block && !standing.has_warp(m_warp))
        return false;
    switch (m_move.by) {
    case DebugMove::By::Instruction: return true;
    case DebugMove::By::Barrier: return is_barrier(standing.kernel().code[pc].op);
    case DebugMove::By::Statement: break;
    default: return false;
    }
    if (!statements.begins(pc))
        return false;
    const Seen before = std::exchange(m_seen, {standing.position(), block, pc, statements.at(pc)});
    const bool is_new_piece = standing.position() < before.position || before.block != block;
    return is_new_piece || before.place != m_seen.place || pc <= before.pc || statements.begins_copy(pc);
}

} // namespace hidet::session
