// SPDX-License-Identifier: Apache-2.0
#include "lang/base/tensor_map_rules.h"

#include "lang/base/text.h"

namespace hidet {

namespace {

using Part = TensorMapFault::Part;

constexpr std::int64_t most_extent = std::int64_t{1} << 32, most_stride = std::int64_t{1} << 40;
constexpr int most_box = 256, most_step = 8, most_pixels = 1024, granule = 16;

bool is_outside(const std::optional<std::int64_t>& value, std::int64_t lowest, std::int64_t highest) {
    return value && (*value < lowest || *value > highest);
}

std::optional<TensorMapFault> fault_of_dimension(const TensorMapShape& shape, std::size_t d) {
    if (is_outside(shape.extents[d], 1, most_extent))
        return TensorMapFault{Part::Extents, cat("an extent of ", *shape.extents[d], "; it can be 1 to 2^32")};
    if (d > 0)
        if (const auto& stride = shape.strides[d - 1];
            stride && (is_outside(stride, granule, most_stride - 1) || *stride % granule))
            return TensorMapFault{Part::Strides,
                                  cat("a stride of ", *stride, " bytes; it can be multiples of 16 below 2^40")};
    if (d < shape.box.size() && is_outside(shape.box[d], 1, most_box))
        return TensorMapFault{Part::Box,
                              cat("a box of ", *shape.box[d], " elements in dimension ", d, "; it can be 1 to 256")};
    if (is_outside(shape.steps[d], 1, most_step))
        return TensorMapFault{Part::Steps, cat("steps of ", *shape.steps[d], " elements; they can be 1 to 8")};
    return std::nullopt;
}

// The hardware has 16 bits for all corners of a dimension count.
std::optional<TensorMapFault> fault_of_images(const TensorMapShape& shape) {
    if (is_outside(shape.pixels, 1, most_pixels))
        return TensorMapFault{Part::Pixels, cat(*shape.pixels, " pixels of a copy; there can be 1 to 1024")};
    if (shape.lower.empty())
        return std::nullopt;
    const std::int64_t bound = shape.lower.size() == 1 ? 32768 : shape.lower.size() == 2 ? 128 : 16;
    for (const TensorMapShape::Numbers* corners : {&shape.lower, &shape.upper})
        for (const std::optional<std::int64_t>& corner : *corners)
            if (is_outside(corner, -bound, bound - 1))
                return TensorMapFault{Part::Corners,
                                      cat("a corner of ", *corner, "; it can be ", -bound, " to ", bound - 1)};
    return std::nullopt;
}

} // namespace

std::optional<TensorMapFault> fault_of(const TensorMapShape& shape) {
    if (shape.interleave && shape.extents.size() < 3)
        return TensorMapFault{Part::Interleave, "interleaved channels and fewer than 3 dimensions"};
    for (std::size_t d = 0; d < shape.extents.size(); ++d)
        if (auto fault = fault_of_dimension(shape, d))
            return fault;
    if (auto fault = fault_of_images(shape))
        return fault;
    if (!shape.box[0])
        return std::nullopt;
    const std::int64_t row = *shape.box[0] * shape.element_bytes;
    if (row % granule)
        return TensorMapFault{Part::Box, cat("a box whose rows have ", row, " bytes, no multiple of 16")};
    if (shape.swizzle && row > shape.swizzle)
        return TensorMapFault{Part::Box,
                              cat("a box whose rows have ", row, " bytes; the swizzle moves parts of ", shape.swizzle)};
    return std::nullopt;
}

} // namespace hidet
