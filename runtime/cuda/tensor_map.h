// SPDX-License-Identifier: Apache-2.0
// Tensor maps as the driver encodes them for kernels.
#pragma once

#include "compiler/artifact/tensor_map.h"
#include "runtime/cuda/driver.h"

namespace hidet::cuda {

struct alignas(64) EncodedMap { // a CUtensorMap
    unsigned char bytes[artifact::TensorMap::bytes];
};

// Its address is one of the device. Errors: driver-too-old, launch-failed.
Result<void> encode(const Api& api, const artifact::TensorMap& map, EncodedMap& out);

} // namespace hidet::cuda
