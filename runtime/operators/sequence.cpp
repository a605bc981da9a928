// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "runtime/operators/order.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

constexpr double most = 1e12;

double steps(double start, double stop, double step) {
    return std::ceil((stop - start) / step);
}

// Distances of signed integers fit into unsigned ones.
double steps(std::int64_t start, std::int64_t stop, std::int64_t step) {
    if (step > 0 ? stop <= start : stop >= start)
        return 0;
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t span = step > 0 ? u(stop) - u(start) : u(start) - u(stop);
    const std::uint64_t stride = step > 0 ? u(step) : 0 - u(step);
    return static_cast<double>((span - 1) / stride + 1);
}

double at(double start, double step, std::int64_t i) {
    return start + static_cast<double>(i) * step;
}
std::int64_t at(std::int64_t start, std::int64_t step,
                std::int64_t i) { // the last one fits, what is on the way may wrap
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                     static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
}

template <class T>
bool give(Call& call) {
    T start{}, stop{}, step{};
    List<T> values;
    if (!call.read_one(call.inputs[0], start) || !call.read_one(call.inputs[1], stop) ||
        !call.read_one(call.inputs[2], step))
        return false;
    if (step == 0)
        return call.refuse("a range does not move");
    const double count = steps(start, stop, step);
    if (!(count <= most)) // NaN too
        return call.refuse("a range has no end in sight");
    if (!call.make(values, count > 0 ? static_cast<std::int64_t>(count) : 0))
        return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = at(start, step, static_cast<std::int64_t>(i));
    return call.give(0, call.inputs[0].element, {{values.count}, 1}, values);
}

} // namespace

bool give_sequence(Call& call) {
    for (const Tensor& each : call.inputs)
        if (each.element != call.inputs[0].element || each.element == Element::U64)
            return call.refuse("range wants three numbers of one type");
    return is_float(call.inputs[0].element) ? give<double>(call) : give<std::int64_t>(call);
}

bool host_operator::Range(Call& call) {
    return call.takes(3, 3, 1) && give_sequence(call);
}

} // namespace hidet::operators
