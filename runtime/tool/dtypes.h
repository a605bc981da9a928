// SPDX-License-Identifier: Apache-2.0
// Types of elements: their names, and their numbers as doubles and back.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/capi/hidet_runtime.hpp"

namespace hidet::tool {

struct DType {
    const char* name;  // "float16"
    const char* descr; // as .npy files say it, without the order of bytes; "V2" is two bytes of no type
    hidet_dtype dtype;
};
std::span<const DType> all_dtypes();
const DType* find_dtype(hidet_dtype dtype); // null: none of them

// "float32[2, 3]"
std::string type_text(hidet_dtype dtype, std::span<const std::int64_t> shape);

// As text that reads back as the same number; complex numbers as "(1,-2)".
std::string element_text(hidet_dtype dtype, const std::byte* element);

} // namespace hidet::tool
