// SPDX-License-Identifier: Apache-2.0
// Pages that have one write for all of their granules, and the tiles that units read of them.
#include <algorithm>

#include "runtime/vm/checks/shadow.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_noted_tiles = 256; // that are noted

}

void Shadow::open_page(std::size_t p, Order& order) {
    const std::size_t begin = p << page_shift, end = begin + page_granules;
    const auto has_page = [&](const ReadTiles::Tile& tile) { return tile.first < end && begin <= tile.last; };
    if (std::ranges::any_of(m_tiles.all, has_page))
        enter_tiles(order);
    Page& page = m_pages[p];
    if (!page.is_whole)
        return;
    m_tiles.fine_pages = {};
    const auto from = static_cast<std::ptrdiff_t>(begin);
    const std::size_t count = std::min(page_granules, m_writes.size() - begin);
    std::fill_n(m_writes.begin() + from, count, page.all);
    std::fill_n(m_reads.begin() + from, count, Cell{0});
    page.is_whole = page.is_known = false;
}

void Shadow::enter_tiles(Order& order) {
    const std::vector<ReadTiles::Tile> tiles = std::move(m_tiles.all);
    m_tiles = {};
    for (const ReadTiles::Tile& tile : tiles)
        for (const GranuleRun& run : tile.runs) {
            open(run.first, run.first + run.count - 1, order);
            for (std::size_t g = run.first; g < run.first + run.count; ++g) {
                m_reads[g] = order.renewed(m_reads[g], tile.read);
                m_has_histories = m_has_histories || actor_of(m_reads[g]) >= first_history;
            }
        }
}

// A read of another unit that the reader knows of goes where they meet; that is for single granules.
bool Shadow::are_pages_fine(const ReadTiles::Pages& pages, const Visit& visit) {
    Conflict conflict;
    Cell fine = 0;
    for (std::size_t p = pages.first; p <= pages.last; ++p) {
        const Page& page = m_pages[p];
        if (page.is_whole && page.all && page.all == fine)
            continue;
        if (!page.is_whole || !is_unit(actor_of(page.all)) || epoch_of(page.all) == in_flight ||
            !m_ordered.is_ok(page.all, pages.who, visit, conflict))
            return false;
        fine = page.all;
    }
    Cell last = 0; // that the reader does not know of
    for (const ReadTiles::Tile& other : m_tiles.all) {
        const Actor unit = actor_of(other.read);
        if (unit == visit.unit || other.last >> page_shift < pages.first || pages.last < other.first >> page_shift ||
            other.read >> actor_shift == last)
            continue;
        Order::Pair pair;
        if (visit.order.is_before(unit, epoch_of(other.read), pages.who, false, pair))
            return false;
        last = other.read >> actor_shift;
    }
    return true;
}

bool Shadow::note_tile(std::span<const GranuleRun> runs, Actor who, const Visit& visit) {
    if (!m_updates.cells.empty() || runs.empty() || m_tiles.all.size() >= most_noted_tiles)
        return false;
    const ReadTiles::Tile tile{runs, cell_of(visit.order.epoch_now(visit.unit), visit.unit, 0), runs.front().first,
                               runs.back().first + runs.back().count - 1};
    const ReadTiles::Pages pages{tile.first >> page_shift, tile.last >> page_shift, tile.read, who,
                                 visit.order.version()};
    ReadTiles::Pages& known = m_tiles.fine_pages.at((pages.first / 8 + visit.unit) % m_tiles.fine_pages.size());
    if (known != pages && !are_pages_fine(pages, visit))
        return false;
    known = pages;
    m_tiles.all.push_back(tile);
    m_tiles.all.back().read |= visit.pc < last_pc ? visit.pc : last_pc;
    return true;
}

// Whole pages that are written by a unit from now on. False: something is not as usual.
bool Shadow::reserve_pages(std::size_t first, std::size_t last, Actor who, const Visit& visit) {
    Conflict conflict;
    Cell fine = 0;
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p) {
        const Page& page = m_pages[p];
        if (!page.is_whole)
            return false;
        if (!page.all || page.all == fine)
            continue;
        if (epoch_of(page.all) == in_flight || !m_ordered.is_ok(page.all, who, visit, conflict) ||
            !is_fenced(page.all, who, visit, conflict))
            return false;
        fine = page.all;
    }
    const auto is_apart = [&](const ReadTiles::Tile& tile) { return tile.last < first || last < tile.first; };
    const auto is_over = [&](const ReadTiles::Tile& tile) {
        return first <= tile.first && tile.last <= last && m_ordered.is_ok(tile.read, who, visit, conflict);
    };
    if (!std::ranges::all_of(m_tiles.all, [&](const ReadTiles::Tile& tile) { return is_apart(tile) || is_over(tile); }))
        return false;
    std::erase_if(m_tiles.all, [&](const ReadTiles::Tile& tile) { return !is_apart(tile); });
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p)
        m_pages[p].all = reserved_cell(who, visit);
    return true;
}

// A write that leaves nothing of what was there before makes a page whole.
void Shadow::reserve_run(GranuleRun run, Actor who, const Visit& visit, std::vector<Conflict>& found) {
    if (!m_updates.cells.empty())
        return write_run(run.first, run.count, who, visit, found);
    m_tiles.fine_pages = {};
    const std::size_t end = run.first + run.count;
    const std::size_t whole = std::min(end, (run.first + page_granules - 1) >> page_shift << page_shift);
    const std::size_t whole_end = std::max(whole, end >> page_shift << page_shift);
    if (run.first < whole)
        reserve_each({run.first, whole - run.first}, who, visit, found);
    if (whole < whole_end && !reserve_pages(whole, whole_end - 1, who, visit)) {
        reserve_each({whole, whole_end - whole}, who, visit, found);
        for (std::size_t p = whole >> page_shift; p < whole_end >> page_shift; ++p)
            m_pages[p].is_whole = true, m_pages[p].all = reserved_cell(who, visit);
    }
    if (whole_end < end)
        reserve_each({whole_end, end - whole_end}, who, visit, found);
}

} // namespace hidet::vm
