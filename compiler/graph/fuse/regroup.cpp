// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/regroup.h"

#include "compiler/ir/ops.h"
#include "compiler/schedule/kernel.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

namespace {

// Some dimensions of both shapes that have the same number of elements.
struct Part {
    std::size_t from_begin = 0, from_end = 0;
    std::size_t to_begin = 0, to_end = 0;
};

Shape slice(const Shape& shape, std::size_t begin, std::size_t end) {
    return {shape.begin() + static_cast<std::ptrdiff_t>(begin), shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

// As many parts as can be told apart, from the last dimension on: a symbol meets itself, or is in one part with all
// before it.
std::vector<Part> parts_of(const Shape& from, const Shape& to) {
    std::vector<Part> parts;
    std::size_t a_end = from.size(), b_end = to.size();
    while (a_end > 0 || b_end > 0) {
        std::size_t a = a_end, b = b_end;
        Dim left = dim(1), right = dim(1);
        do {
            const auto l = constant_of(left), r = constant_of(right);
            // What is not known is taken for the larger one.
            const bool takes_left = b == 0 || (a > 0 && (!r || (l && *l <= *r)));
            if (takes_left)
                left = simplified(mul(from[--a], left));
            else
                right = simplified(mul(to[--b], right));
        } while (!(same_dim(left, right) && a < a_end && b < b_end) && (a > 0 || b > 0));
        // What is left before it is of one element each.
        const auto is_one = [](const Dim& extent) { return is_constant(extent, 1); };
        while (a > 0 && b == 0 && is_one(from[a - 1]))
            --a;
        while (b > 0 && a == 0 && is_one(to[b - 1]))
            --b;
        parts.push_back({a, a_end, b, b_end});
        a_end = a, b_end = b;
    }
    return parts;
}

ExprRef flat(const ExprVec& indices, const Shape& shape, std::size_t begin, std::size_t end) {
    ExprRef place = i64(0);
    for (std::size_t d = begin; d < end; ++d)
        place = simplified(add(mul(place, shape[d]), cast_to(indices[d], DType::I64)));
    return place;
}

} // namespace

ExprVec regrouped(const ExprVec& indices, const Shape& from, const Shape& to) {
    if (same_shape(from, to))
        return indices;
    HIDET_CHECK(indices.size() == from.size(), text_of(from));
    ExprVec result(to.size());
    for (const Part& part : parts_of(from, to)) {
        if (part.from_end - part.from_begin == 1 && part.to_end - part.to_begin == 1) {
            result[part.to_begin] = indices[part.from_begin];
            continue;
        }
        const ExprRef place = flat(indices, from, part.from_begin, part.from_end);
        const ExprVec axes = unflatten(place, slice(to, part.to_begin, part.to_end));
        for (std::size_t i = 0; i < axes.size(); ++i)
            result[part.to_begin + i] = axes[i];
    }
    return result;
}

} // namespace hidet::graph
