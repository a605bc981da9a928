// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors and pixels of images as runs of bytes that lie together in memory and in a tile of shared memory. A tile
// is made of rows, which are neighbours in the innermost dimension; what lies outside of the tensor becomes 0.
#include <algorithm>

#include "compiler/artifact/tensor_map.h"
#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

using artifact::TensorMap;

// The row at these coordinates, which the tile has from byte `at` of its array on.
void CopyUnit::add_row(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::int64_t at,
                       std::vector<CopyRun>& runs) {
    const TensorMap& map = copy.map;
    const int step = map.element_strides[0], each = map.element_bytes;
    const std::int64_t elements = map.pixels ? map.box[0] : (map.box[0] + step - 1) / step, bytes = elements * each;
    const std::int64_t piece = step != 1 ? each : map.swizzle ? swizzled_bytes : bytes;
    const std::int64_t base = m_shared_place[id_of(copy.tile) - first_shared_id];
    bool is_inside = true;
    std::int64_t from = 0;
    for (std::size_t d = 1; d < map.rank; ++d) {
        is_inside = is_inside && coords[d] >= 0 && coords[d] < static_cast<std::int64_t>(map.extents[d]);
        from += coords[d] * static_cast<std::int64_t>(map.strides[d - 1]);
    }
    const bool is_whole =
        step == 1 && is_inside && coords[0] >= 0 && coords[0] + elements <= static_cast<std::int64_t>(map.extents[0]);
    const bool stays = !map.swizzle || (bytes == map.swizzle && (base + at) % map.swizzle == 0);
    if (is_whole && stays) {
        CopyRun run{
            .shared = at, .bytes = static_cast<std::int32_t>(bytes), .copied = static_cast<std::int32_t>(bytes)};
        run.is_swizzled = map.swizzle > 0;
        const std::uint64_t there = map.address + static_cast<std::uint64_t>(from + coords[0] * each);
        run.global = m_block.memory.checked_pointer(group, there, bytes, each, copy.lane, copy.at_tensor,
                                                    "copies a box of a tensor of");
        m_block.globals.check_global_bytes(group, there, bytes, copy.lane, copy.at_tensor);
        runs.push_back(run);
        return;
    }
    const std::int64_t extent = is_inside ? static_cast<std::int64_t>(map.extents[0]) : 0, count = piece / each;
    for (std::int64_t b = 0; b < bytes; b += piece) {
        const std::int64_t first = coords[0] + b / each * step;
        const std::int64_t before = std::clamp<std::int64_t>(-first, 0, count);
        const std::int64_t copied = std::clamp<std::int64_t>(extent - first - before, 0, count - before) * each;
        CopyRun run;
        run.shared = swizzled(base + at + b, map.swizzle) - base;
        run.bytes = static_cast<std::int32_t>(piece);
        run.skipped = static_cast<std::int32_t>(before * each);
        run.copied = static_cast<std::int32_t>(copied);
        if (copied > 0) {
            const std::uint64_t there = map.address + static_cast<std::uint64_t>(from + (first + before) * each);
            run.global = m_block.memory.checked_pointer(group, there, copied, each, copy.lane, copy.at_tensor,
                                                        "copies a box of a tensor of");
            m_block.globals.check_global_bytes(group, there, copied, copy.lane, copy.at_tensor);
        }
        runs.push_back(run);
    }
}

// Whether all of a box lies in the tensor, the tensor in its memory, its rows are as long as the swizzle, and nothing is
// remembered of who accesses the tensor.
bool CopyUnit::is_plain_box(const TensorCopy& copy, const std::int64_t* coords) {
    const TensorMap& map = copy.map;
    const std::int64_t place = m_shared_place[id_of(copy.tile) - first_shared_id] + offset_of(copy.tile);
    if (map.rank < 2 || (map.swizzle && (map.box[0] * map.element_bytes != map.swizzle || place % map.swizzle)))
        return false;
    std::int64_t first = 0, last = 0;
    for (std::size_t d = 0; d < map.rank; ++d) {
        const std::int64_t end = coords[d] + map.box[d];
        if (coords[d] < 0 || map.element_strides[d] != 1 || end > static_cast<std::int64_t>(map.extents[d]))
            return false;
        const std::int64_t stride = d ? static_cast<std::int64_t>(map.strides[d - 1]) : map.element_bytes;
        first += coords[d] * stride;
        last += (end - 1) * stride;
    }
    const std::uint64_t there = map.address + static_cast<std::uint64_t>(first);
    const Allocation* allocation = m_context.memory->find(id_of(there));
    const bool is_ok = allocation && (allocation->info.device != Device::Cpu || allocation->info.is_mapped) &&
                       (copy.at_tensor == Purpose::Load || !allocation->info.read_only);
    const std::int64_t at = offset_of(there);
    return is_ok && at >= 0 && at + last - first + map.element_bytes <= allocation->bytes &&
           at % map.element_bytes == 0 && !(m_order && m_block.globals.is_watched(there));
}

// Of a plain box all rows along the second dimension are one run.
void CopyUnit::add_rows(const TensorCopy& copy, const std::int64_t* coords, std::int64_t at,
                        std::vector<CopyRun>& runs) {
    const TensorMap& map = copy.map;
    std::int64_t from = coords[0] * map.element_bytes;
    for (std::size_t d = 1; d < map.rank; ++d)
        from += coords[d] * static_cast<std::int64_t>(map.strides[d - 1]);
    const std::uint64_t there = map.address + static_cast<std::uint64_t>(from);
    CopyRun& run = runs.emplace_back();
    run.shared = at;
    run.bytes = run.copied = static_cast<std::int32_t>(map.box[0] * map.element_bytes);
    run.is_swizzled = map.swizzle > 0;
    run.rows = map.box[1];
    run.pitch = static_cast<std::int64_t>(map.strides[0]);
    run.global = m_context.memory->find(id_of(there))->data + offset_of(there);
}

void CopyUnit::add_box(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::vector<CopyRun>& runs) {
    const TensorMap& map = copy.map;
    const auto rank = static_cast<std::size_t>(map.rank);
    const bool is_plain = is_plain_box(copy, coords);
    const auto count = [&](std::size_t d) {
        return (map.box[d] + map.element_strides[d] - 1) / map.element_strides[d];
    };
    const std::size_t outer = is_plain ? 2 : 1; // dimensions of which each place has a run
    const std::int64_t row_bytes = std::int64_t{count(0)} * map.element_bytes * (is_plain ? count(1) : 1);
    std::array<int, TensorMap::most_dims> index{};
    for (std::int64_t at = offset_of(copy.tile); true; at += row_bytes) {
        std::array<std::int64_t, TensorMap::most_dims> place{coords[0]};
        for (std::size_t d = 1; d < rank; ++d)
            place[d] = coords[d] + std::int64_t{index[d]} * map.element_strides[d];
        if (is_plain)
            add_rows(copy, place.data(), at, runs);
        else
            add_row(group, copy, place.data(), at, runs);
        std::size_t d = outer;
        for (; d < rank && ++index[d] == count(d); ++d)
            index[d] = 0;
        if (d >= rank)
            return;
    }
}

// From the pixel at the coordinates on, over rows and images, as a filter goes over them: its corner stays between the two of
// the map. The pixels are those at the place in the filter that stands behind the coordinates.
void CopyUnit::add_pixels(Group& group, const TensorCopy& copy, const std::int64_t* coords,
                          std::vector<CopyRun>& runs) {
    const TensorMap& map = copy.map;
    const std::size_t images = map.rank - 1u;
    std::array<std::int64_t, TensorMap::most_dims> corner{};
    std::copy_n(coords, map.rank, corner.begin());
    const std::int64_t row_bytes = std::int64_t{map.box[0]} * map.element_bytes;
    for (int pixel = 0; pixel < map.pixels; ++pixel) {
        std::array<std::int64_t, TensorMap::most_dims> place = corner;
        for (std::size_t d = 1; d < images; ++d)
            place[d] += coords[map.rank + d - 1];
        add_row(group, copy, place.data(), offset_of(copy.tile) + pixel * row_bytes, runs);
        std::size_t d = 1;
        for (; d < images; ++d) {
            corner[d] += map.element_strides[d];
            if (corner[d] < static_cast<std::int64_t>(map.extents[d]) + map.upper[d - 1])
                break;
            corner[d] = map.lower[d - 1];
        }
        if (d == images)
            ++corner[images];
    }
}

} // namespace hidet::vm
