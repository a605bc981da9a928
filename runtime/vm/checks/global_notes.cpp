// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/global_notes.h"

#include <algorithm>

#include "runtime/vm/lane_offsets.h"

namespace hidet::vm {

namespace {

constexpr int line_shift = 6;
constexpr std::int64_t line_mask = 63;

} // namespace

GlobalNotes::Table& GlobalNotes::table_of(std::uint32_t id) {
    for (Table& table : m_tables)
        if (table.id == id)
            return table;
    m_tables.push_back({id, {}});
    return m_tables.back();
}

GlobalNotes::Line& GlobalNotes::line_of(Table& table, std::int64_t line) {
    const auto at = static_cast<std::size_t>(line);
    const std::size_t page = at / lines_of_page;
    if (page >= table.pages.size())
        table.pages.resize(page + 1);
    if (!table.pages[page])
        table.pages[page] = std::make_unique<Page>();
    return (*table.pages[page])[at % lines_of_page];
}

// Threads that access the same places by the same addresses meet themselves only.
void GlobalNotes::look(Line& line, std::uint64_t mask, const Pass& pass, std::int64_t base, Met& met) {
    const bool is_over = std::max(line.read, line.written) <= pass.least;
    const bool is_own = pass.own && line.own == pass.own && line.base == base;
    if (!is_over && !is_own) {
        met.reads = met.reads || ((line.reads & mask) && line.read > pass.floor);
        met.writes = met.writes || ((line.writes & mask) && line.written > pass.floor);
    }
    if (is_over)
        line.reads = line.writes = 0, line.own = pass.own, line.base = base;
    else if (!is_own)
        line.own = nullptr;
    if (pass.reads)
        line.reads |= mask, line.read = pass.now;
    if (pass.writes)
        line.writes |= mask, line.written = pass.now;
}

GlobalNotes::Met GlobalNotes::pass(const Pass& pass, const TouchList& touches, std::int64_t base) {
    Met met;
    Table& table = table_of(pass.id);
    constexpr auto of_page = static_cast<std::int64_t>(lines_of_page);
    Line* lines = nullptr; // of the page of the line before
    std::int64_t first = 0;
    touches.for_each_line(base, [&](std::int64_t line, std::uint64_t mask) {
        if (!lines || line - first >= of_page) {
            first = line / of_page * of_page;
            lines = &line_of(table, first);
        }
        look(lines[line - first], mask, pass, base, met);
    });
    return met;
}

GlobalNotes::Met GlobalNotes::pass(const Pass& pass, std::int64_t first, std::int64_t count) {
    Met met;
    Table& table = table_of(pass.id);
    const std::int64_t last = first + count - 1;
    for (std::int64_t line = first >> line_shift; line <= last >> line_shift; ++line) {
        std::uint64_t mask = ~std::uint64_t{0};
        if (line == first >> line_shift)
            mask &= ~std::uint64_t{0} << (first & line_mask);
        if (line == last >> line_shift)
            mask &= ~std::uint64_t{0} >> (line_mask - (last & line_mask));
        look(line_of(table, line), mask, pass, 0, met);
    }
    return met;
}

} // namespace hidet::vm
