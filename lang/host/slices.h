// SPDX-License-Identifier: Apache-2.0
// What a slice or an index means for a sequence of some length.
#pragma once

#include "lang/host/objects.h"

namespace hidet::lang {

struct SliceBounds {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};
SliceBounds slice_bounds(const SliceObject& slice, std::int64_t length, Span span);
// Counts negative indices from the end; out of range is a diagnostic about a `what`.
std::int64_t checked_index(const Value& index, std::int64_t length, const char* what, Span span);
// What makes the missing items of a collections.defaultdict, or null.
const Value* dict_factory(const Value& dict);

} // namespace hidet::lang
