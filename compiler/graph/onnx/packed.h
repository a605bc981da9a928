// SPDX-License-Identifier: Apache-2.0
// Types whose elements are held wider than a file has them: integers of 4 and 2 bits, floats that we have no type for.
#pragma once

#include <cstddef>

#include "compiler/graph/onnx/model.h"

namespace hidet::graph::onnx {

bool is_packed(std::int32_t type);
std::size_t packed_bytes(std::int32_t type, std::size_t count); // of a packed type
// From the bytes of the file to those that we hold. In a byte the first elements are in the low bits.
void unpack(std::int32_t type, const std::byte* from, std::size_t count, std::byte* to);

} // namespace hidet::graph::onnx
