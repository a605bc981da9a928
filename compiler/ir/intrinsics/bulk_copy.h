// SPDX-License-Identifier: Apache-2.0
// What a copy from shared memory can do with values instead of writing them.
#pragma once

#include <string>

#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::ir {

constexpr bool can_reduce(BulkReduction reduction, TensorMapType type) {
    using enum TensorMapType;
    const bool is_integer = type == u32 || type == i32 || type == u64 || type == i64;
    const bool is_short_float = type == f16 || type == bf16;
    switch (reduction) {
    case BulkReduction::add: return is_integer || is_short_float || type == f32 || type == f64;
    case BulkReduction::min:
    case BulkReduction::max: return is_integer || is_short_float;
    case BulkReduction::bits_and:
    case BulkReduction::bits_or:
    case BulkReduction::bits_xor: return is_integer;
    }
    return false;
}

// "add, min, max"; "none"
inline std::string reductions_of(TensorMapType type) {
    std::vector<std::string> out;
    const auto words = words_of(choice_set(BulkReduction{}));
    for (std::size_t i = 0; i < words.size(); ++i)
        if (can_reduce(static_cast<BulkReduction>(i), type))
            out.emplace_back(words[i]);
    return out.empty() ? "none" : join(out, ", ");
}

} // namespace hidet::ir
