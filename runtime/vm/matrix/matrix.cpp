// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix: what a warp does on whole tiles.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/vm/checks/block_notes.h"

namespace hidet::vm {

namespace {
constexpr int row_bytes = 16;                // of a matrix
constexpr int most_tiles = 4;                // of an instruction
constexpr std::size_t most_rows_kept = 4096; // addresses of ldmatrix and stmatrix that have been looked at
} // namespace

// Rows of matrices belong to all lanes of the warp. Addresses that come again, as in each turn of a loop, are looked at once.
const MatrixRows& MatrixUnit::matrix_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose) {
    if (!has_number(group, row.items.back()))
        return fresh_rows(group, row, count, purpose); // never of an address that is put off
    const std::uint64_t version = group.versions[static_cast<std::size_t>(row.items.back())];
    const auto key = mix(mix(version, group.mask_version), static_cast<std::uint64_t>(count));
    MatrixRows& rows = kept_rows(key);
    if (rows.rows.empty()) {
        m_block.memory.settle_address(group, row.items.back());
        learn_rows(group, row, count, purpose, rows);
    }
    return rows;
}

MatrixRows& MatrixUnit::kept_rows(std::uint64_t key) {
    KnownRows& known = m_known_rows.at(key % m_known_rows.size());
    if (known.rows && known.key == key)
        return *known.rows;
    if (m_matrix_rows.size() >= most_rows_kept && !m_matrix_rows.contains(key)) {
        if (m_order)
            m_shadow->enter_notes(*m_order); // which refer to them
        m_old_rows = std::exchange(m_matrix_rows, {});
        m_known_rows = {};
    }
    MatrixRows& rows = m_matrix_rows[key];
    m_known_rows.at(key % m_known_rows.size()) = {key, &rows};
    return rows;
}

// Addresses that come from memory: often those of the last time.
const MatrixRows& MatrixUnit::fresh_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose) {
    if (!is_v(row.items.back())) {
        learn_rows(group, row, count, purpose, m_fresh_rows);
        return m_fresh_rows;
    }
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    const auto* pointers = reinterpret_cast<const std::uint64_t*>(lanes(row.items.back())) + first;
    const int lanes_count = (group.hi - group.lo) * chunk_lanes;
    MatrixRows& rows = kept_rows(mix(mix(mix(pointers[0], group.pc), group.mask_version), fresh_bit));
    if (!rows.rows.empty() && m_table.has_distances(pointers, rows.distances.data(), lanes_count))
        return rows;
    learn_rows(group, row, count, purpose, rows);
    for (int i = 0; i < lanes_count; ++i)
        rows.distances.push_back(static_cast<std::int64_t>(pointers[i] - pointers[0]));
    return rows;
}

void MatrixUnit::learn_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose, MatrixRows& out) {
    const char* what = purpose == Purpose::Load ? "loads a matrix from" : "stores a matrix to";
    if (m_order && !out.touches.empty())
        m_shadow->enter_notes(*m_order);
    out = {};
    out.first_of_warp.resize(static_cast<std::size_t>(m_warps));
    const auto most_rows = static_cast<std::size_t>(8 * count * m_warps);
    out.rows.reserve(most_rows);
    std::vector<WarpGranule> granules;
    granules.reserve(m_order ? most_rows * m_shadow->granules_of(row_bytes) : 0);
    for (int w : running_warps(group)) {
        out.first_of_warp[static_cast<std::size_t>(w)] = static_cast<std::uint32_t>(out.rows.size());
        for (int lane = 32 * w; lane < 32 * w + 8 * count; ++lane) {
            const auto pointer = lane_value<std::uint64_t>(group, row.items.back(), lane);
            const std::size_t array = id_of(pointer) - first_shared_id;
            const std::int64_t at = offset_of(pointer);
            if (!is_own_shared(pointer))
                fail(group, FindingKind::InvalidPointer, lane, std::string(what) + " memory that is not shared memory");
            const bool is_inside = array < m_shared.size() && at >= 0 && at + row_bytes <= m_shared[array].bytes;
            if (is_inside && at % row_bytes == 0)
                out.rows.push_back(m_shared[array].data + at);
            else
                out.rows.push_back(
                    m_block.memory.checked_pointer(group, pointer, row_bytes, row_bytes, lane, purpose, what));
            for (std::size_t g = 0; m_order && g < m_shadow->granules_of(row_bytes); ++g)
                granules.push_back(
                    {static_cast<std::int32_t>(m_shadow->granule_of(m_shared_place[array] + at) + g), w});
        }
    }
    for (int w = 0; w < m_warps; ++w) {
        const auto row_count = std::ptrdiff_t{8} * count;
        const auto has_same = [&](int other) {
            return group.active.warp(other) &&
                   std::equal(out.of_warp(w), out.of_warp(w) + row_count, out.of_warp(other));
        };
        int first = 0;
        while (first < w && !(group.active.warp(w) && has_same(first)))
            ++first;
        out.alike.at(static_cast<std::size_t>(w)) = static_cast<std::uint8_t>(first);
    }
    add_touches(granules, purpose, out);
}

// In the order of the granules, which lie in a tile.
void MatrixUnit::add_touches(const std::vector<WarpGranule>& granules, Purpose purpose, MatrixRows& out) {
    if (granules.empty())
        return;
    const auto [lowest, highest] = std::ranges::minmax(granules, {}, &WarpGranule::granule);
    std::vector<std::uint32_t> warps(static_cast<std::size_t>(highest.granule - lowest.granule) + 1);
    for (const auto& [granule, w] : granules)
        warps[static_cast<std::size_t>(granule - lowest.granule)] |= 1u << w;
    std::uint32_t known = 0; // warps of the set `all`
    Actor all = 0;
    for (std::size_t i = 0; i < warps.size(); ++i) {
        const auto granule = static_cast<std::int32_t>(i) + lowest.granule;
        const auto add = [&](Actor who) {
            out.touches.push_back({granule, who});
            out.tags.push_back(Cell{who} << actor_shift);
        };
        // Warps that read the same do it as one; of those that write the same each is looked at.
        const bool is_one = std::has_single_bit(warps[i]) || purpose != Purpose::Load;
        for (std::uint32_t rest = is_one ? warps[i] : 0; rest; rest &= rest - 1)
            add(m_block.races.warp_set(std::countr_zero(rest)));
        if (is_one || !warps[i])
            continue;
        if (warps[i] != known) {
            Mask lanes;
            for (std::uint32_t rest = known = warps[i]; rest; rest &= rest - 1)
                lanes.set_warp(std::countr_zero(rest), ~0u);
            all = m_order->set_of(m_rank, lanes);
        }
        add(all);
    }
}

void MatrixUnit::check_rows(Group& group, const MatrixRows& rows, Purpose purpose) {
    if (!m_order)
        return;
    const Touches touches{rows.touches.data(), rows.tags.data(), rows.touches.size()};
    const Visit now = m_block.races.visit(group);
    m_block.races.look(group, *m_shadow, purpose, [&](std::vector<Conflict>& found) {
        if (purpose == Purpose::Store)
            m_shadow->write({touches.all, nullptr, touches.count}, 0, now, found);
        else if (&rows == &m_fresh_rows || !touches.count || !m_shadow->note(touches, 0, {}, now))
            m_shadow->read(touches, 0, now, found);
    });
}

// What it holds was computed, so equal numbers mean equal contents.
bool MatrixUnit::has_number(const Group& group, std::int32_t operand) const {
    return is_v(operand) && !(group.versions[static_cast<std::size_t>(operand)] & fresh_bit);
}

void MatrixUnit::load_matrix(Group& group, const Step& step) {
    m_block.barriers.check_complete_warps(group, "ldmatrix");
    const artifact::Operands& row = operands_of(step);
    const bool turned = string_at(row.text) == "trans";
    const int tiles = row.definitions;
    const MatrixRows& rows = matrix_rows(group, row, tiles, Purpose::Load);
    check_rows(group, rows, Purpose::Load);
    const bool is_put_off = step.is_put_off && !m_counts && has_number(group, row.items.back());
    if (!is_put_off)
        gather_matrices(group, row, rows, turned);
    m_loaded.resize(group.versions.size());
    const std::uint64_t load = ++m_clock;
    for (int t = 0; t < tiles; ++t) {
        const auto reg = static_cast<std::size_t>(row.items[static_cast<std::size_t>(t)]);
        written(group, static_cast<std::int32_t>(reg));
        LoadedRegister& loaded = m_loaded[reg]; // each field on its own: a value that is put together is slow to copy
        loaded.version = group.versions[reg];
        loaded.load = load;
        loaded.warps = rows.alike;
        loaded.rows = is_put_off ? &rows : nullptr;
        loaded.tile = static_cast<std::uint8_t>(t);
        loaded.is_turned = turned;
    }
    if (m_counts)
        m_block.observer.count_tiles(group, row, tiles);
}

// Eight lanes of four words each have a tile's rows as they lie.
void MatrixUnit::gather_matrices(const Group& group, const artifact::Operands& row, const MatrixRows& rows,
                                 bool turned) {
    const int tiles = row.definitions;
    std::byte* to[most_tiles];
    for (int t = 0; t < tiles; ++t)
        to[t] = lanes(row.items[static_cast<std::size_t>(t)]);
    constexpr std::size_t bytes = 32 * sizeof(std::uint32_t); // of a warp
    for (std::size_t w = 0; w < static_cast<std::size_t>(m_warps); ++w) {
        if (!group.active.warp(static_cast<int>(w)))
            continue;
        if (const std::size_t other = rows.alike.at(w); other != w)
            for (int t = 0; t < tiles; ++t)
                std::memcpy(to[t] + bytes * w, to[t] + bytes * other, bytes);
        else
            m_table.gather_tiles(rows.of_warp(static_cast<int>(w)), tiles, turned, to, bytes * w);
    }
}

// All lanes of a warp have a part of what it stores.
void MatrixUnit::tell_debugger(const Group& group, const MatrixRows& rows, int tiles) {
    for (int w : running_warps(group))
        for (int row = 0; row < 8 * tiles; ++row)
            for (int lane = 32 * w; lane < 32 * (w + 1); ++lane)
                BlockOwners::note_shared(m_block, group, {rows.of_warp(w)[row], row_bytes, lane});
}

void MatrixUnit::store_matrix(Group& group, const Step& step) {
    m_block.barriers.check_complete_warps(group, "stmatrix");
    const artifact::Operands& row = operands_of(step);
    const bool transposed = string_at(row.text) == "trans";
    const int tiles = static_cast<int>(row.items.size()) - 1;
    const MatrixRows& rows = matrix_rows(group, row, tiles, Purpose::Store);
    check_rows(group, rows, Purpose::Store);
    if (m_context.replay)
        tell_debugger(group, rows, tiles);
    for (int w : running_warps(group)) {
        for (int t = 0; t < tiles; ++t) {
            alignas(64) std::byte tile[8 * row_bytes], turned[8 * row_bytes];
            for (int l = 0; l < 32; ++l) {
                const auto word = lane_value<std::uint32_t>(group, row.items[static_cast<std::size_t>(t)], 32 * w + l);
                std::memcpy(tile + 4 * l, &word, sizeof word);
            }
            const std::byte* from[8];
            for (int r = 0; r < 8; ++r)
                from[r] = tile + row_bytes * r;
            m_table.gather_rows(from, 1, transposed, turned);
            std::byte* const* to = rows.of_warp(w) + 8 * t;
            for (int r = 0; r < 8; ++r)
                std::memcpy(to[r], turned + row_bytes * r, row_bytes);
        }
    }
    if (m_counts)
        m_block.observer.count_tiles(group, row, tiles);
}

} // namespace hidet::vm
