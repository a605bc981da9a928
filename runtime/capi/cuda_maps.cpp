// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/cuda_maps.h"

#include <cstdlib>

namespace hidet::capi {

using package::Code;
using package::most_map_rank;
using package::refuse;
using package::TensorMapValue;

namespace {

std::size_t place_of(const TensorMapValue& value, DeviceAddress address) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    std::uint64_t hash = (reinterpret_cast<std::uint64_t>(value.map) ^ address) * odd;
    for (const std::int64_t extent : value.extents)
        hash = (hash ^ static_cast<std::uint64_t>(extent)) * odd;
    return hash >> 56;
}

bool is_same(const TensorMapValue& one, const TensorMapValue& other) {
    return one.map == other.map && std::memcmp(one.extents, other.extents, sizeof one.extents) == 0 &&
           std::memcmp(one.strides, other.strides, sizeof one.strides) == 0;
}

// The driver's numbers.
int interleave_of(std::uint32_t bytes) {
    return static_cast<int>(bytes / 16);
}
int swizzle_of(std::uint32_t bytes) {
    return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}
int promotion_of(std::uint32_t bytes) {
    return bytes == 256 ? 3 : static_cast<int>(bytes / 64);
}

bool is_narrow(const package::List<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers)
        if (number != static_cast<int>(number))
            return false;
    return true;
}

// check.h says how many numbers a map has of each kind.
Status encode_one(const Api& api, const TensorMapValue& value, DeviceAddress address, void* out) {
    const package::PlanTensorMap<package::Flat>& map = *value.map;
    const auto rank = static_cast<unsigned>(map.extents.size());
    std::uint64_t extents[most_map_rank] = {}, strides[most_map_rank] = {};
    unsigned box[most_map_rank] = {}, steps[most_map_rank] = {};
    int lower[most_map_rank] = {}, upper[most_map_rank] = {};
    for (std::size_t d = 0; d < rank; ++d) {
        extents[d] = static_cast<std::uint64_t>(value.extents[d]);
        strides[d] = d + 1 < rank ? static_cast<std::uint64_t>(value.strides[d]) : 0;
        steps[d] = map.element_strides[d];
        box[d] = d < map.box.size() ? map.box[d] : 0;
        lower[d] = d < map.lower.size() ? static_cast<int>(map.lower[d]) : 0;
        upper[d] = d < map.upper.size() ? static_cast<int>(map.upper[d]) : 0;
    }
    constexpr int fill_with_zeros = 0;
    const int type = static_cast<int>(map.element), interleave = interleave_of(map.interleave),
              swizzle = swizzle_of(map.swizzle), promotion = promotion_of(map.l2_promotion);
    void* const data = reinterpret_cast<void*>(address);
    if (map.is_of_images())
        return api.tensor_map_encode_im2col(out, type, rank, data, extents, strides, lower, upper, box[0], map.pixels,
                                            steps, interleave, swizzle, promotion, fill_with_zeros);
    return api.tensor_map_encode_tiled(out, type, rank, data, extents, strides, box, steps, interleave, swizzle,
                                       promotion, fill_with_zeros);
}

} // namespace

void TensorMaps::clear() {
    for (Encoded*& first : m_encoded)
        while (Encoded* const gone = first) {
            first = gone->next;
            std::free(gone);
        }
    m_count = 0;
}

void TensorMaps::make_room() {
    if (m_count >= most)
        clear();
}

void* TensorMaps::encode(const Gpu& gpu, const TensorMapValue& value, DeviceAddress address, Problem& problem) {
    Encoded*& first = m_encoded[place_of(value, address)];
    for (Encoded* each = first; each; each = each->next)
        if (each->address == address && is_same(each->value, value))
            return each->bytes;
    if (!gpu.api->tensor_map_encode_tiled || !gpu.api->tensor_map_encode_im2col || !is_narrow(value.map->lower) ||
        !is_narrow(value.map->upper)) {
        refuse(problem, Code::Refused, "the driver knows no such tensor maps");
        return nullptr;
    }
    void* const place = std::aligned_alloc(alignof(Encoded), sizeof(Encoded));
    if (!place) {
        refuse(problem, Code::Memory, "memory for a tensor map");
        return nullptr;
    }
    auto* const made = new (place) Encoded{{}, first, value, address};
    const Status status = encode_one(*gpu.api, value, address, made->bytes);
    if (!succeeds(status, problem, "making a tensor map of ", value.map->extents.size(), " dimensions")) {
        std::free(place);
        return nullptr;
    }
    first = made;
    ++m_count;
    return made->bytes;
}

} // namespace hidet::capi
