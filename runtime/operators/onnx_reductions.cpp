// SPDX-License-Identifier: Apache-2.0
// Dimensions that become one number, or sums along one, where the dimensions are data.
#include <limits>

#include "lang/base/scalar.h"
#include "runtime/operators/onnx_node.h"
#include "runtime/operators/order.h"

namespace hidet::operators::onnx {

namespace {

enum class Reduction : std::uint8_t { Sum, Mean, Prod, Max, Min };

// What a type holds, as the numbers that its elements are computed in.
template <class T>
T limit_of(Element element, bool is_highest) {
    if constexpr (std::is_floating_point_v<T>)
        return is_highest ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    const int bits = 8 * package::scalar_bytes(element);
    if (element == Element::Bool)
        return static_cast<T>(is_highest);
    const bool is_signed = element >= Element::I8 && element <= Element::I64;
    if (!is_signed)
        return is_highest ? static_cast<T>(~std::uint64_t{0} >> (64 - bits)) : T(0);
    const auto highest = static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - bits));
    return static_cast<T>(is_highest ? highest : -highest - 1);
}

template <class T>
T first_of(Reduction how, Element element) {
    switch (how) {
    case Reduction::Prod: return T(1);
    case Reduction::Max: return limit_of<T>(element, false);
    case Reduction::Min: return limit_of<T>(element, true);
    default: return T(0);
    }
}

template <class T>
T joined(Reduction how, T a, T b) {
    if (how == Reduction::Max || how == Reduction::Min)
        return extreme(how == Reduction::Max, a, b);
    return how == Reduction::Prod ? scalar::MulOp::apply(a, b) : scalar::AddOp::apply(a, b);
}

bool reduce(OnnxCall& node, Reduction how) {
    bool is_axis[most_rank] = {}, is_given = false, has_any = false;
    if (!node.wants(1, 2, 1) || !node.read_axes(1, node.input(0)->rank, is_axis, is_given))
        return false;
    const Tensor& x = *node.input(0);
    const bool keeps = node.integer("keepdims", 1) != 0;
    for (const bool each : is_axis)
        has_any |= each;
    const bool is_all = !has_any && node.integer("noop_with_empty_axes", 0) == 0;
    if (how == Reduction::Mean && !is_float(x.element))
        return node.call.refuse("a mean of ", dtype_name(x.element), " is not one that packages have");
    Extents shape;
    std::int64_t steps[most_rank] = {}, count = 1, reduced = 1; // steps: in the result, by dimension
    for (std::size_t d = x.rank; d-- > 0;) {
        const bool is_reduced = is_all || is_axis[d];
        steps[d] = is_reduced ? 0 : count;
        (is_reduced ? reduced : count) *= x.extents[d];
    }
    for (std::size_t d = 0; d < x.rank; ++d)
        if (const bool is_reduced = is_all || is_axis[d]; keeps || !is_reduced)
            shape.add(is_reduced ? 1 : x.extents[d]);
    return with_numbers(node.call, x, [&]<class T>(const List<T>& values) {
        List<T> made;
        if (!node.call.make(made, count))
            return false;
        for (T& each : made)
            each = first_of<T>(how, x.element);
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto rest = static_cast<std::int64_t>(i);
            std::int64_t to = 0;
            for (std::size_t d = x.rank; d-- > 0; rest /= x.extents[d])
                to += rest % x.extents[d] * steps[d];
            T& sum = made[static_cast<std::size_t>(to)];
            sum = joined(how, sum, values[i]);
        }
        if (how == Reduction::Mean)
            for (T& each : made)
                each = each / static_cast<T>(reduced);
        return node.call.give(0, x.element, shape, made);
    });
}

} // namespace

bool ReduceSum(OnnxCall& node) {
    return reduce(node, Reduction::Sum);
}

bool ReduceMean(OnnxCall& node) {
    return reduce(node, Reduction::Mean);
}

bool ReduceProd(OnnxCall& node) {
    return reduce(node, Reduction::Prod);
}

bool ReduceMax(OnnxCall& node) {
    return reduce(node, Reduction::Max);
}

bool ReduceMin(OnnxCall& node) {
    return reduce(node, Reduction::Min);
}

bool CumSum(OnnxCall& node) {
    std::int64_t wanted = 0;
    std::size_t axis = 0;
    if (!node.wants(2, 2, 1) || !node.call.read_one(*node.input(1), wanted) ||
        !node.call.axis(wanted, node.input(0)->rank, axis))
        return false;
    const Tensor& x = *node.input(0);
    const bool is_exclusive = node.integer("exclusive", 0) != 0, is_reverse = node.integer("reverse", 0) != 0;
    const AxisView view = view_along(extents_of(x), axis);
    return with_numbers(node.call, x, [&]<class T>(const List<T>& values) {
        for (std::int64_t i = 0; i < view.outer * view.inner; ++i) {
            T sum = 0;
            for (std::int64_t e = 0; e < view.extent; ++e) {
                const std::int64_t at = is_reverse ? view.extent - 1 - e : e;
                T& value =
                    values[static_cast<std::size_t>((i / view.inner * view.extent + at) * view.inner + i % view.inner)];
                const T before = sum;
                sum = scalar::AddOp::apply(sum, value);
                value = is_exclusive ? before : sum;
            }
        }
        return node.call.give(0, x.element, extents_of(x), values);
    });
}

} // namespace hidet::operators::onnx
