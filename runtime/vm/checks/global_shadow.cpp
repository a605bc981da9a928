// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/global_shadow.h"

namespace hidet::vm {

namespace {

constexpr std::uint32_t shared_line = ~0u; // the record of a line that several blocks touched

} // namespace

GlobalShadow::GlobalShadow(std::int64_t bytes, int granule, std::int64_t rank_blocks, bool is_shared)
    : m_shift(__builtin_ctz(static_cast<unsigned>(granule))), m_rank_blocks(rank_blocks), m_is_shared(is_shared) {
    const auto count = static_cast<std::size_t>((bytes >> m_shift) / line_granules + 1);
    m_reads.lines.resize(count);
    m_writes.lines.resize(count);
}

bool GlobalShadow::are_atomic(const Trace& a, const Trace& b) const {
    if (!a.is_atomic || !b.is_atomic)
        return false;
    const TraceScope least = std::min(a.scope, b.scope);
    return least == TraceScope::System ||
           (least == TraceScope::Gpu &&
            (!m_rank_blocks || (a.block - 1) / m_rank_blocks == (b.block - 1) / m_rank_blocks));
}

void GlobalShadow::compare(const Side& side, std::size_t line, std::uint64_t mask, const Trace& self, bool writes,
                           std::vector<GlobalConflict>& found) const {
    const Line& all = side.lines[line];
    const auto first = static_cast<std::int64_t>(line) * line_granules;
    const auto is_none = [&](const Trace& trace) { return !trace.block || trace.block == self.block; };
    if (is_none(all.by.last) && is_none(all.by.other))
        return;
    const Traces* known = nullptr;   // neighbours that have the same
    std::size_t from = found.size(); // whose conflicts begin here
    const auto add = [&](const Traces& by, std::uint64_t granules) {
        const std::int64_t byte = __builtin_ctzll(granules);
        for (const Trace* trace : {&by.last, &by.other})
            if (trace->block && trace->block != self.block && !are_atomic(*trace, self)) {
                const bool is_seen = !self.is_atomic && trace == &by.other && trace->is_atomic && by.last.updates;
                found.push_back({*trace, is_seen ? by.last : Trace{}, writes, (first + byte) << m_shift, granules});
                known = &by;
            }
    };
    if (all.by.last.block != shared_line) {
        for (std::uint64_t rest = mask; rest & all.mask;) { // each run of granules once
            const std::uint64_t above = rest + (rest & -rest), run = rest & ~above;
            if (all.mask & run)
                add(all.by, all.mask & run);
            rest &= above;
        }
        return;
    }
    const Bytes& bytes = side.shared[line % stripes].at(line);
    for (std::uint64_t rest = mask; rest; rest &= rest - 1) {
        const Traces& by = bytes[static_cast<std::size_t>(__builtin_ctzll(rest))];
        const std::uint64_t granule = rest & -rest;
        const std::size_t count = found.size();
        const bool is_like = known && known->last.block == by.last.block && known->last.pc == by.last.pc &&
                             (!m_rank_blocks || known->last.epoch == by.last.epoch);
        if (!is_like)
            from = count, add(by, granule);
        else
            for (std::size_t i = from; i < count; ++i)
                found[i].mask |= granule;
    }
}

void GlobalShadow::record(Side& side, std::size_t line, std::uint64_t mask, const Trace& self) const {
    Line& all = side.lines[line];
    const Trace& last = all.by.last;
    const bool is_own = last.block == self.block && last.is_atomic == self.is_atomic && last.scope == self.scope;
    if (last.block == 0 || (is_own && is_told(all, mask)) || (last.block != shared_line && all.mask == mask)) {
        all.record(mask, self);
        return;
    }
    Bytes& bytes = side.shared[line % stripes][line];
    if (last.block != shared_line) {
        bytes.assign(static_cast<std::size_t>(line_granules), Traces{});
        for (std::uint64_t rest = all.mask; rest; rest &= rest - 1)
            bytes[static_cast<std::size_t>(__builtin_ctzll(rest))] = all.by;
        all.by.last.block = shared_line;
    }
    for (std::uint64_t rest = mask; rest; rest &= rest - 1)
        bytes[static_cast<std::size_t>(__builtin_ctzll(rest))].add(self);
}

void GlobalShadow::look(GlobalKind kind, std::size_t line, std::uint64_t mask, const Trace& self,
                        std::vector<GlobalConflict>& found) {
    compare(m_writes, line, mask, self, true, found);
    if (kind == GlobalKind::Write || kind == GlobalKind::AtomicWrite) {
        compare(m_reads, line, mask, self, false, found);
        record(m_writes, line, mask, self);
    } else if (kind == GlobalKind::Read) {
        record(m_reads, line, mask, self);
    }
}

} // namespace hidet::vm
