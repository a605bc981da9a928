// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/operators/order.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

// Of each row, the places of the best ones, of equals the first.
template <class T>
bool top(Call& call, const TopKOf& how, List<T> values) {
    const Tensor& x = call.inputs[0];
    Extents shape = extents_of(x);
    const AxisView view = view_along(shape, how.axis);
    shape[how.axis] = how.k;
    List<T> best;
    List<std::int64_t> places, order;
    const std::int64_t count = view.outer * how.k * view.inner;
    if (!call.make(best, count) || !call.make(places, count) || !call.make(order, view.extent))
        return false;
    for (std::int64_t i = 0; i < view.outer; ++i)
        for (std::int64_t j = 0; j < view.inner; ++j) {
            const auto value = [&](std::int64_t e) {
                return values[static_cast<std::size_t>((i * view.extent + e) * view.inner + j)];
            };
            for (std::int64_t e = 0; e < view.extent; ++e)
                order[static_cast<std::size_t>(e)] = e;
            std::partial_sort(order.begin(), order.begin() + how.k, order.end(), [&](std::int64_t a, std::int64_t b) {
                const int is = compared(value(a), value(b));
                return is != 0 ? (how.is_largest ? is > 0 : is < 0) : a < b;
            });
            for (std::int64_t e = 0; e < how.k; ++e) {
                const auto to = static_cast<std::size_t>((i * how.k + e) * view.inner + j);
                places[to] = order[static_cast<std::size_t>(e)];
                best[to] = value(places[to]);
            }
        }
    return call.give(0, x.element, shape, best) && call.give(1, Element::I64, shape, places);
}

} // namespace

bool top_k(Call& call, const TopKOf& how) {
    const Tensor& x = call.inputs[0];
    if (how.k < 0 || how.k > x.extents[how.axis])
        return call.refuse("topk cannot take ", how.k, " of ", x.extents[how.axis], " elements");
    return with_numbers(call, x, [&](auto values) { return top(call, how, values); });
}

namespace host_operator {

bool TopK(Call& call) {
    TopKOf how;
    how.k = call.integer("k");
    how.is_largest = call.integer("largest", 1) != 0;
    return call.takes(1, 2, 2) && (call.inputs.size() < 2 || call.read_one(call.inputs[1], how.k)) &&
           call.axis(call.integer("axis", -1), call.inputs[0].rank, how.axis) && top_k(call, how);
}

} // namespace host_operator

} // namespace hidet::operators
