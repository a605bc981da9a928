// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

namespace {

constexpr std::int64_t largest = 1 << 30;
constexpr double pi = 3.14159265358979323846;

// w(n) = a - b cos(t) + c cos(2 t), where t goes round once.
bool window(Call& call, double a, double b, double c) {
    std::int64_t size = call.integer("size");
    Element element = Element::F32;
    List<double> values;
    if (!call.takes(0, 1, 1) || !call.element("dtype", element) ||
        (!call.inputs.empty() && !call.read_one(call.inputs[0], size)))
        return false;
    if (size < 0 || size > largest)
        return call.refuse("a window wants a size from 0 to ", largest, ", not ", size);
    if (!call.make(values, size))
        return false;
    const auto period = static_cast<double>(call.integer("periodic", 1) != 0 ? size : size - 1);
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double t = period > 0 ? 2 * pi * static_cast<double>(n) / period : pi;
        values[n] = a - b * std::cos(t) + c * std::cos(2 * t);
    }
    return call.give(0, element, {{size}, 1}, values);
}

} // namespace

bool HannWindow(Call& call) {
    return window(call, 0.5, 0.5, 0);
}

bool HammingWindow(Call& call) {
    return window(call, 25.0 / 46, 21.0 / 46, 0);
}

bool BlackmanWindow(Call& call) {
    return window(call, 0.42, 0.5, 0.08);
}

} // namespace hidet::operators::host_operator
