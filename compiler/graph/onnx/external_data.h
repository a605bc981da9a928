// SPDX-License-Identifier: Apache-2.0
// Tensors whose bytes lie in a file of their own beside the model.
#pragma once

#include <cstdint>
#include <string>

#include "lang/base/result.h"
#include "lang/tensor/tensor.h"

namespace hidet::graph::onnx {

struct ExternalPlace {
    std::string location; // relative to the model's folder
    std::int64_t offset = 0;
    std::int64_t length = -1; // -1: not said
};

// Reads exactly the tensor's bytes. The file must lie in the folder or below it, links followed; "external-data".
Result<void> read_external(const std::string& folder, const ExternalPlace& place, std::byte* target, std::size_t bytes);
// Whether the file exists there and is long enough, before memory is taken for it.
Result<void> check_external(const std::string& folder, const ExternalPlace& place, std::size_t bytes);

} // namespace hidet::graph::onnx
