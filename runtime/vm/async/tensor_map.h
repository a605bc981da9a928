// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/artifact/tensor_map.h"
#include "runtime/vm/memory.h"

namespace hidet::vm {

// The tensor map behind the pointer; one that nobody has made where there is none.
artifact::TensorMap tensor_map_at(const Memory& memory, std::uint64_t pointer);

} // namespace hidet::vm
