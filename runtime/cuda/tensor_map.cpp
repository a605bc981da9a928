// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/tensor_map.h"

#include <array>

#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

// The driver's numbers.
int interleave_of(int bytes) {
    return bytes / 16;
}
int swizzle_of(int bytes) {
    return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}
int promotion_of(int lines) { // of 64 bytes
    return lines == 4 ? 3 : lines;
}

} // namespace

Result<void> encode(const Api& api, const artifact::TensorMap& map, EncodedMap& out) {
    if (!api.tensor_map_encode_tiled || !api.tensor_map_encode_im2col)
        return Error{"driver-too-old", "the driver knows no tensor maps; CUDA 12.0 or later does"};
    std::array<unsigned, artifact::TensorMap::most_dims> box{}, steps{};
    for (std::size_t d = 0; d < map.rank; ++d) {
        box[d] = map.box[d];
        steps[d] = map.element_strides[d];
    }
    constexpr int fill_with_zeros = 0;
    void* const address = reinterpret_cast<void*>(map.address);
    const int interleave = interleave_of(map.interleave), swizzle = swizzle_of(map.swizzle),
              promotion = promotion_of(map.promotion);
    const std::array<int, 3> lower{map.lower[0], map.lower[1], map.lower[2]},
        upper{map.upper[0], map.upper[1], map.upper[2]};
    const Status status =
        map.pixels ? api.tensor_map_encode_im2col(out.bytes, map.dtype, map.rank, address, map.extents.data(),
                                                  map.strides.data(), lower.data(), upper.data(), box[0], map.pixels,
                                                  steps.data(), interleave, swizzle, promotion, fill_with_zeros)
                   : api.tensor_map_encode_tiled(out.bytes, map.dtype, map.rank, address, map.extents.data(),
                                                 map.strides.data(), box.data(), steps.data(), interleave, swizzle,
                                                 promotion, fill_with_zeros);
    if (status != Status::Success)
        return Error{"launch-failed", cat("the driver refuses a tensor map of ", int{map.rank}, " dimensions (error ",
                                          static_cast<int>(status), ")")};
    return {};
}

} // namespace hidet::cuda
