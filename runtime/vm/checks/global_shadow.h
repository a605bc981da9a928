// SPDX-License-Identifier: Apache-2.0
// Which block read and wrote what in global memory during a launch, to find what two blocks do to one place with nothing
// between them. Threads of one block are not told apart here.
//
// Blocks mostly own whole stretches, so a line of 64 granules has one record with a mask of them as long as one block alone
// touches it, and gets a record for each granule when a second one comes. Blocks of several ranks pass buffers to and fro, a piece
// behind a signal each: there a line has one record only as long as it is touched as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/vm/checks/happens_before.h"

namespace hidet::vm {

enum class TraceScope : std::uint8_t { Block, Cluster, Gpu, System };

// One block's access to some bytes; epoch and thread of the last one.
struct Trace {
    std::uint32_t block = 0; // among those of all ranks, + 1; 0: none
    Epoch epoch : 30 = 0;
    std::uint32_t is_mixed : 1 = 0; // of several accesses, of which this is the last
    std::uint32_t pc : 18 = 0;
    std::uint32_t lane : 10 = 0;
    std::uint32_t is_atomic : 1 = 0;
    std::uint32_t updates : 1 = 0;          // an atomic that reads what it changes
    TraceScope scope : 2 = TraceScope::Gpu; // who sees it as atomic
    std::uint32_t warps = 0;                // those that took part, where it is not the one thread alone
};

struct GlobalConflict {
    Trace first;
    Trace last; // the last access there, where it is an update behind the first: it has seen that. Block 0: it is not
    bool first_writes = false;
    std::int64_t byte = 0;  // of the allocation
    std::uint64_t mask = 0; // granules of its line
};

enum class GlobalKind : std::uint8_t { Read, Write, AtomicRead, AtomicWrite };

// Of one allocation.
class GlobalShadow {
public:
    // Bytes that are told apart: 1, 2, 4; blocks of each rank, 0 where one runs alone; whether several host threads look.
    GlobalShadow(std::int64_t bytes, int granule, std::int64_t rank_blocks, bool is_shared);
    int granule_bytes() const { return 1 << m_shift; }
    // Calls f(line, mask) for the granules of [begin, begin + count), line by line.
    template <class F>
    void for_each_line(std::int64_t begin, std::int64_t count, F&& f) const {
        const std::int64_t last = (begin + count - 1) >> m_shift;
        for (std::int64_t at = begin >> m_shift; at <= last;) {
            const std::int64_t line = at / line_granules, end = std::min(last + 1, (line + 1) * line_granules);
            f(line, ~std::uint64_t{0} >> (line_granules - (end - at)) << (at % line_granules));
            at = end;
        }
    }
    // Granules of a line by `self`. `is_ordered(conflict, trace)`: whether that was before what is done there. Updates see those before them, each the
    // last one: who is behind the last of them is behind all, fences or not (the causality order of PTX).
    template <class IsOrdered>
    void touch(GlobalKind kind, std::int64_t line, std::uint64_t mask, const Trace& self, IsOrdered&& is_ordered,
               std::vector<GlobalConflict>& found) {
        const std::size_t known = found.size();
        {
            std::unique_lock lock(m_locks[static_cast<std::size_t>(line) % stripes], std::defer_lock);
            if (m_is_shared)
                lock.lock();
            if (kind == GlobalKind::Write && is_own_write(static_cast<std::size_t>(line), mask, self))
                return;
            look(kind, static_cast<std::size_t>(line), mask, self, found);
        }
        for (std::size_t i = known; i < found.size();)
            if (is_ordered(found[i], found[i].first) || (found[i].last.block && is_ordered(found[i], found[i].last)))
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
            else
                ++i;
    }

private:
    static constexpr std::int64_t line_granules = 64;
    static constexpr std::size_t stripes = 64; // of lines: blocks run on several host threads
    struct Traces {
        Trace last, other; // of another block: of several readers, one is not the writer that comes
        void add(const Trace& self) {
            if (last.block != self.block)
                other = last;
            last = self;
        }
        // Of pieces of a line that are not told apart: one of those who were there.
        void join(const Trace& self) {
            const Trace before = last;
            add(self);
            if (before.block != self.block || (!before.warps && !self.warps && before.lane == self.lane))
                return;
            last.is_mixed = before.is_mixed || before.epoch != self.epoch || before.pc != self.pc;
            last.warps |= warps_of(self) | warps_of(before);
        }
        static std::uint32_t warps_of(const Trace& trace) { return trace.warps ? trace.warps : 1u << trace.lane / 32; }
    };
    struct Line {
        Traces by;
        std::uint64_t mask = 0;
        void record(std::uint64_t granules, const Trace& self) {
            (mask & ~granules) ? by.join(self) : by.add(self);
            mask |= granules;
        }
    };
    using Bytes = std::vector<Traces>;
    struct Side { // of the reads, or of the writes
        std::vector<Line> lines;
        std::array<std::unordered_map<std::size_t, Bytes>, stripes> shared; // lines of several blocks
    };
    // A write to a line that this block alone has touched, as it is now; it is recorded.
    bool is_own_write(std::size_t line, std::uint64_t mask, const Trace& self) {
        const Traces& reads = m_reads.lines[line].by;
        Line& writes = m_writes.lines[line];
        const Trace& last = writes.by.last;
        const bool is_alone = last.block == self.block && !writes.by.other.block && !last.is_atomic &&
                              last.scope == self.scope && !reads.other.block &&
                              (!reads.last.block || reads.last.block == self.block) && is_told(writes, mask);
        if (is_alone)
            writes.record(mask, self);
        return is_alone;
    }
    // What others did to these bytes becomes a conflict, whether it is ordered or not.
    void look(GlobalKind kind, std::size_t line, std::uint64_t mask, const Trace& self,
              std::vector<GlobalConflict>& found);
    void compare(const Side& side, std::size_t line, std::uint64_t mask, const Trace& self, bool writes,
                 std::vector<GlobalConflict>& found) const;
    bool are_atomic(const Trace& a, const Trace& b) const; // whoever they are
    // By one record, with an access to these granules.
    bool is_told(const Line& line, std::uint64_t granules) const { return !m_rank_blocks || !(line.mask & ~granules); }
    void record(Side& side, std::size_t line, std::uint64_t mask, const Trace& self) const;

    int m_shift = 0;
    std::int64_t m_rank_blocks = 0;
    bool m_is_shared = false;
    Side m_reads, m_writes;
    std::array<std::mutex, stripes> m_locks;
};

} // namespace hidet::vm
