// SPDX-License-Identifier: Apache-2.0
// What a tensor map can describe: the limits of the driver's cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hidet {

// From the innermost dimension on; what nobody knows yet is left out of the checks.
struct TensorMapShape {
    using Numbers = std::vector<std::optional<std::int64_t>>;
    int element_bytes = 0;
    int interleave = 0, swizzle = 0; // bytes
    Numbers extents{};               // elements
    Numbers strides{};               // bytes, of all dimensions but the innermost
    Numbers box{};                   // elements that a copy spans; of images: the channels of a pixel alone
    Numbers steps{};                 // elements
    // Of images: where a filter begins, and ends before the end, in all dimensions but channels and images.
    Numbers lower{}, upper{};
    std::optional<std::int64_t> pixels{}; // of a copy
};

struct TensorMapFault {
    enum class Part { Extents, Strides, Box, Steps, Interleave, Corners, Pixels } part{};
    std::string text; // "a box of 257 elements in dimension 0; it can be 1 to 256"
};
std::optional<TensorMapFault> fault_of(const TensorMapShape& shape);

} // namespace hidet
