// SPDX-License-Identifier: Apache-2.0
// What copies and products touch: many granules by one actor, most of which are alike. What is said of one holds for those that
// are as it was.
#include "runtime/vm/checks/shadow.h"

#include <algorithm>
#include <array>

namespace hidet::vm {

namespace {

constexpr std::size_t cells_together = 2; // cells that a vector of any processor has
using CellPair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = Cell;

bool are_alike(const Cell* writes, const Cell* reads, std::size_t count, Cell written, Cell read) {
    CellPair differs = {0, 0};
    std::size_t i = 0;
    for (; i + cells_together <= count; i += cells_together)
        differs |= (*reinterpret_cast<const CellPair*>(writes + i) ^ written) |
                   (*reinterpret_cast<const CellPair*>(reads + i) ^ read);
    Cell rest = differs[0] | differs[1];
    for (; i < count; ++i)
        rest |= (writes[i] ^ written) | (reads[i] ^ read);
    return rest == 0;
}

void set_all(Cell* cells, std::size_t count, Cell value) {
    std::size_t i = 0;
    for (; i + cells_together <= count; i += cells_together)
        *reinterpret_cast<CellPair*>(cells + i) = CellPair{value, value};
    for (; i < count; ++i)
        cells[i] = value;
}

} // namespace

void Shadow::read_runs(std::span<const GranuleRun> runs, Actor who, const Visit& visit, std::vector<Conflict>& found) {
    if (!m_updates.cells.empty()) {
        for (const GranuleRun& run : runs)
            read_run(run.first, run.count, who, visit, found);
        return;
    }
    // What was found in order. Which instruction wrote is of no matter to a read that it is before.
    struct Alike {
        Cell written = 0, read = 0, next = 0;
    };
    std::array<Alike, 8> known{};
    std::size_t kinds = 0, newest = 0;
    Alike last; // the granule before, if it was in order
    bool has_last = false;
    const auto find = [&](Cell written, Cell read) -> const Alike* {
        for (std::size_t k = 0; k < kinds; ++k)
            if (known.at(k).written == written >> actor_shift && known.at(k).read == read)
                return &known.at(k);
        return nullptr;
    };
    std::size_t expected = ~std::size_t{0}; // a page
    for (const GranuleRun& run : runs) {
        const std::size_t end = run.first + run.count - 1;
        if (run.first >> page_shift != expected || end >> page_shift != expected)
            expect(run.first, end, visit, false);
        expected = end >> page_shift;
        Cell* const writes = m_writes.data() + run.first;
        Cell* const reads = m_reads.data() + run.first;
        if (has_last && are_alike(writes, reads, run.count, last.written, last.read)) {
            set_all(reads, run.count, last.next);
            continue;
        }
        for (std::size_t i = 0; i < run.count; ++i) {
            last.written = writes[i], last.read = reads[i];
            if (const Alike* const same = find(writes[i], reads[i])) {
                last.next = reads[i] = same->next;
                has_last = true;
                continue;
            }
            const std::size_t count = found.size();
            look(Purpose::Load, run.first + i, who, visit, found);
            last.next = reads[i];
            has_last = found.size() == count;
            if (!has_last)
                continue;
            known.at(newest) = {last.written >> actor_shift, last.read, last.next};
            newest = (newest + 1) % known.size();
            kinds = std::min(kinds + 1, known.size());
        }
    }
}

// The instruction of a read is of no matter to a write that it is before.
void Shadow::reserve_each(GranuleRun run, Actor who, const Visit& visit, std::vector<Conflict>& found) {
    expect(run.first, run.first + run.count - 1, visit, true);
    constexpr std::size_t together = 4;
    struct Alike {
        Cell written = 0, read = 0;
    };
    std::array<Alike, 8> known{};
    std::size_t kinds = 0, newest = 0;
    const auto is_known = [&](Cell written, Cell read) {
        for (std::size_t k = 0; k < kinds; ++k)
            if (known.at(k).written == written && known.at(k).read == read >> actor_shift)
                return true;
        return false;
    };
    Cell* const writes = m_writes.data() + run.first;
    Cell* const reads = m_reads.data() + run.first;
    Cell next = 0;
    const auto look_at = [&](std::size_t i) {
        const Alike was{writes[i], reads[i] >> actor_shift};
        const std::size_t count = found.size();
        look(Purpose::Store, run.first + i, who, visit, found);
        next = writes[i];
        if (found.size() != count)
            return;
        known.at(newest) = was;
        newest = (newest + 1) % known.size();
        kinds = std::min(kinds + 1, known.size());
    };
    std::size_t i = 0;
    for (; i + together <= run.count; i += together) {
        Cell differs = 0;
        for (std::size_t k = 1; k < together; ++k)
            differs |= (writes[i + k] ^ writes[i]) | (reads[i + k] ^ reads[i]) >> actor_shift;
        if (!differs && is_known(writes[i], reads[i])) {
            set_all(writes + i, together, next);
            set_all(reads + i, together, 0);
            continue;
        }
        for (std::size_t k = i; k < i + together; ++k)
            if (is_known(writes[k], reads[k]))
                writes[k] = next, reads[k] = 0;
            else
                look_at(k);
    }
    for (; i < run.count; ++i)
        look_at(i);
}

} // namespace hidet::vm
