// SPDX-License-Identifier: Apache-2.0
// What operators that sort share. Doubles stand for floats, 64-bit integers of the same sign for integers.
#pragma once

#include "runtime/operators/call.h"

namespace hidet::operators {

// Below, at or above zero: a NaN is larger than all, and one is like another.
template <class T>
int compared(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (a != a || b != b)
            return static_cast<int>(a != a) - static_cast<int>(b != b);
    return a < b ? -1 : b < a ? 1 : 0;
}

// NaN where one is NaN.
template <class T>
T extreme(bool is_largest, T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (a != a || b != b)
            return a != a ? a : b;
    return (is_largest ? a < b : b < a) ? b : a;
}

// Calls use(values) with a list of doubles, of signed or of unsigned integers.
bool with_numbers(Call& call, const Tensor& tensor, auto&& use) {
    if (is_float(tensor.element)) {
        List<double> values;
        return call.read(tensor, values) && use(values);
    }
    List<std::int64_t> values;
    if (!call.read(tensor, values))
        return false;
    if (tensor.element == Element::U64)
        return use(List<std::uint64_t>{reinterpret_cast<std::uint64_t*>(values.items), values.count});
    return use(values);
}

struct TopKOf {
    std::int64_t k = 0;
    std::size_t axis = 0;
    bool is_largest = true;
};
bool top_k(Call& call, const TopKOf& how); // of the first input

// start, start + step, ... before stop, which are the inputs: numbers of one type.
bool give_sequence(Call& call);

struct BoxLimits {
    std::int64_t boxes_per_class = 0;
    double iou = 0, score = 0;
    bool has_score = false;
};
bool non_max_suppression(Call& call, const BoxLimits& limits); // of the first two inputs

} // namespace hidet::operators
