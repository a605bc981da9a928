// SPDX-License-Identifier: Apache-2.0
// NumPy's file format for one array: little-endian, row after row. A file is checked before memory is taken for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/capi/hidet_runtime.hpp"

namespace hidet::tool {

struct Array {
    hidet_dtype dtype = {};
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;

    runtime::Tensor tensor() const { return runtime::Tensor(bytes.data(), dtype, shape); }
};

// Nothing: there are more than 2^40 bytes, or a negative extent.
std::optional<std::size_t> bytes_of(hidet_dtype dtype, std::span<const std::int64_t> shape);

// `wanted`: what items of one or two bytes without a type are, as bfloat16 is stored. Stops where it is no such file.
Array read_npy(const std::string& path, hidet_dtype wanted);
void write_npy(const std::string& path, const Array& array);

} // namespace hidet::tool
