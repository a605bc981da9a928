// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "compiler/artifact/tensor_map.h"
#include "tests/fake/cuda/entry.h"

using hidet::artifact::TensorMap;

// The 128 bytes of a map are what the emulator, which runs the kernels here, takes for one.
struct MapArguments {
    int dtype;
    unsigned rank;
    void* address;
    const std::uint64_t *extents, *strides;
    const unsigned* steps;
    int interleave, swizzle, promotion;
};
static TensorMap map_of(const MapArguments& from) {
    constexpr std::uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4}, swizzles[] = {0, 32, 64, 128},
                           promotions[] = {0, 1, 2, 4};
    TensorMap map{.made = TensorMap::mark};
    map.dtype = static_cast<std::uint8_t>(from.dtype);
    map.element_bytes = bytes[from.dtype];
    map.rank = static_cast<std::uint8_t>(from.rank);
    map.interleave = static_cast<std::uint8_t>(from.interleave * 16);
    map.swizzle = swizzles[from.swizzle];
    map.promotion = promotions[from.promotion];
    map.address = reinterpret_cast<std::uint64_t>(from.address);
    std::copy_n(from.extents, from.rank, map.extents.begin());
    std::copy_n(from.strides, from.rank - 1, map.strides.begin());
    std::transform(from.steps, from.steps + from.rank, map.element_strides.begin(),
                   [](unsigned step) { return static_cast<std::uint8_t>(step); });
    return map;
}
static Status give(const TensorMap& map, void* out) {
    if (map.address % 16)
        return Status::InvalidValue;
    std::memcpy(out, &map, sizeof map);
    return Status::Success;
}
ENTRY cuTensorMapEncodeTiled(void* out, int dtype, unsigned rank, void* address, const std::uint64_t* extents,
                             const std::uint64_t* strides, const unsigned* box, const unsigned* steps, int interleave,
                             int swizzle, int promotion, int) {
    ENTER("cuTensorMapEncodeTiled");
    TensorMap map = map_of({dtype, rank, address, extents, strides, steps, interleave, swizzle, promotion});
    std::transform(box, box + rank, map.box.begin(), [](unsigned size) { return static_cast<std::uint16_t>(size); });
    return give(map, out);
}
ENTRY cuTensorMapEncodeIm2col(void* out, int dtype, unsigned rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* strides, const int* lower, const int* upper, unsigned channels,
                              unsigned pixels, const unsigned* steps, int interleave, int swizzle, int promotion, int) {
    ENTER("cuTensorMapEncodeIm2col");
    TensorMap map = map_of({dtype, rank, address, extents, strides, steps, interleave, swizzle, promotion});
    map.box[0] = static_cast<std::uint16_t>(channels);
    map.pixels = static_cast<std::uint16_t>(pixels);
    for (unsigned d = 0; d + 2 < rank; ++d) {
        map.lower[d] = static_cast<std::int16_t>(lower[d]);
        map.upper[d] = static_cast<std::int16_t>(upper[d]);
    }
    return give(map, out);
}
