// SPDX-License-Identifier: Apache-2.0
// How the copy unit of a GPU sees a tensor in memory: the arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col. A script's variable of the type
// CUtensorMap holds it where the program runs on the virtual machine; a device gets what its driver makes of it.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/artifact/program.h"

namespace hidet::artifact {

// What the elements of a tensor map are, by the driver's number of their type.
constexpr Scalar tensor_map_scalar(int dtype) {
    constexpr Scalar scalars[] = {Scalar::U8,  Scalar::U16, Scalar::U32, Scalar::I32,  Scalar::U64, Scalar::I64,
                                  Scalar::F16, Scalar::F32, Scalar::F64, Scalar::BF16, Scalar::F32, Scalar::TF32};
    return scalars[dtype];
}

struct TensorMap {
    static constexpr std::uint32_t mark = 0x70616d74; // else the memory holds something else
    static constexpr int most_dims = 5;
    static constexpr std::int64_t bytes = 128; // of the variable

    std::uint32_t made = 0;
    std::uint8_t dtype = 0; // number of the word in ir::TensorMapType, which is the driver's
    std::uint8_t element_bytes = 0;
    std::uint8_t rank = 0;
    std::uint8_t interleave = 0; // bytes: 0, 16, 32
    std::uint8_t swizzle = 0;    // bytes: 0, 32, 64, 128
    std::uint8_t promotion = 0;  // 64 bytes each: 0, 1, 2, 4
    std::array<std::uint8_t, most_dims> element_strides{};
    std::uint64_t address = 0;                          // of the machine, or of the device
    std::array<std::uint64_t, most_dims> extents{};     // elements, innermost first
    std::array<std::uint64_t, most_dims - 1> strides{}; // bytes, of all dimensions but the innermost
    std::array<std::uint16_t, most_dims> box{};         // elements of the tensor that a copy spans

    // Of images alone, for which `box` holds the channels of a pixel: the first and, before the end, the last place of a
    // filter in each dimension but channels and images.
    std::array<std::int16_t, most_dims - 2> lower{}, upper{};
    std::uint16_t pixels = 0; // of a copy; 0: the map is of boxes

    std::int64_t box_bytes() const {
        if (pixels)
            return std::int64_t{pixels} * box[0] * element_bytes;
        std::int64_t out = element_bytes;
        for (int d = 0; d < rank; ++d)
            out *= (box[static_cast<std::size_t>(d)] + element_strides[static_cast<std::size_t>(d)] - 1) /
                   element_strides[static_cast<std::size_t>(d)];
        return out;
    }
};
static_assert(sizeof(TensorMap) <= TensorMap::bytes);

} // namespace hidet::artifact
