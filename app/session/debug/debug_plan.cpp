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

std::vector<PlacedBreakpoint> DebugPlan::place(const std::map<std::string, std::vector<DebugBreakpoint>>& breakpoints,
                                               const Statements& statements) {
    std::vector<PlacedBreakpoint> out;
    std::vector<Placed> placed;
    for (const auto& [file, all] : breakpoints)
        for (const DebugBreakpoint& each : all) {
            const std::optional<Statements::Line> line = statements.line_from(file, each.line);
            if (!line) {
                out.push_back({each.id, each.line, false, "the kernel that is debugged has no code from that line on"});
                continue;
            }
            Placed next{each, line->pcs, std::nullopt, {}};
            if (!each.condition.empty()) {
                Result<DebugExpression> condition = DebugExpression::parse(each.condition);
                if (!condition) {
                    out.push_back({each.id, line->line, false, condition.error().message});
                    continue;
                }
                next.condition = std::move(condition).value();
            }
            placed.push_back(std::move(next));
            out.push_back({each.id, line->line, true, ""});
        }
    m_placed = std::move(placed);
    return out;
}

void DebugPlan::begin(const DebugMove& move, const vm::Standing& standing, const Statements& statements) {
    m_move = move;
    m_hit.clear();
    m_warp = std::max(0, move.thread >= 0 ? move.thread : standing.first_thread()) / 32;
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
    const bool hits = stops_at_breakpoint(standing, kernel);
    return (m_move.by != DebugMove::By::Continue && is_step(standing, kernel.statements)) || hits;
}

bool DebugPlan::stops_at_breakpoint(const vm::Standing& standing, const DebuggedKernel& kernel) {
    m_hit.clear();
    if (m_block && *m_block != standing.block())
        return false;
    for (Placed& each : m_placed) {
        if (!std::ranges::binary_search(each.pcs, std::size_t{standing.pc()}))
            continue;
        const std::optional<int> thread = thread_that_fits(each, standing, kernel);
        if (!thread)
            continue;
        each.hits.insert(standing.position());
        const auto before = std::distance(each.hits.begin(), each.hits.find(standing.position()));
        if (before + 1 < each.breakpoint.hits)
            continue;
        m_hit.push_back(each.breakpoint.id);
        m_hit_thread = *thread;
    }
    return !m_hit.empty();
}

// The first whose condition holds. A condition that makes no sense is told once, and holds.
std::optional<int> DebugPlan::thread_that_fits(Placed& placed, const vm::Standing& standing,
                                               const DebuggedKernel& kernel) {
    if (!placed.condition)
        return standing.first_thread();
    const DebugView view(standing, kernel);
    for (int thread = 0; thread < view.threads(); ++thread) {
        if (!standing.runs(thread))
            continue;
        const Result<DebugNumber> number = view.value(*placed.condition, thread);
        if (!number) {
            m_complaint =
                cat("the condition of the breakpoint in line ", placed.breakpoint.line, ": ", number.error().message);
            placed.condition.reset();
            return thread;
        }
        if (number.value().is_true())
            return thread;
    }
    return std::nullopt;
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
    return is_new_piece || before.place != m_seen.place || pc <= before.pc;
}

} // namespace hidet::session
