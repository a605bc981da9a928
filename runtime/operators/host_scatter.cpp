// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "runtime/operators/order.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

enum class Scattering : std::uint8_t { None, Add, Mul, Max, Min };

bool scattering_of(Call& call, Scattering& how) {
    const char* const names[] = {"none", "add", "mul", "max", "min"};
    const Text wanted = call.word("reduction", "none");
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (wanted == text(names[i])) {
            how = static_cast<Scattering>(i);
            return true;
        }
    return call.refuse("scattering knows no reduction '", wanted, "'");
}

// For each element of the updates, in order, the element of the data that it goes to.
using Slots = List<std::int64_t>;

bool wrap(Call& call, std::int64_t& index, std::int64_t extent) {
    const std::int64_t place = index < 0 ? index + extent : index;
    if (place < 0 || place >= extent)
        return call.refuse("index ", index, " is out of range for a dimension of ", extent);
    index = place;
    return true;
}

bool slots_of_elements(Call& call, Slots& slots) {
    const Tensor &data = call.inputs[0], &indices = call.inputs[1];
    std::size_t axis = 0;
    if (indices.rank != data.rank || count_of(indices) != count_of(call.inputs[2]))
        return call.refuse("scatter_elements: the indices do not go with the data and the updates");
    if (!call.axis(call.integer("axis"), data.rank, axis) || !call.read(indices, slots))
        return false;
    for (std::size_t d = 0; d < data.rank; ++d)
        if (d != axis && indices.extents[d] > data.extents[d])
            return call.refuse("scatter_elements: the indices are larger than the data");
    for (std::size_t i = 0; i < slots.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        std::int64_t slot = 0, step = 1;
        if (!wrap(call, slots[i], data.extents[axis]))
            return false;
        for (std::size_t d = data.rank; d-- > 0;) {
            slot += (d == axis ? slots[i] : rest % indices.extents[d]) * step;
            rest /= indices.extents[d];
            step *= data.extents[d];
        }
        slots[i] = slot;
    }
    return true;
}

bool slots_of_slices(Call& call, Slots& slots) {
    const Tensor &data = call.inputs[0], &coordinates = call.inputs[1];
    const std::int64_t depth = coordinates.rank > 0 ? coordinates.extents[coordinates.rank - 1] : -1;
    if (depth < 0 || depth > data.rank)
        return call.refuse("scatter_nd: the indices do not go with the data");
    std::int64_t slice = 1, rows = 1, next = 0;
    for (std::size_t d = static_cast<std::size_t>(depth); d < data.rank; ++d)
        slice *= data.extents[d];
    for (std::uint32_t d = 0; d + 1 < coordinates.rank; ++d)
        rows *= coordinates.extents[d];
    List<std::int64_t> indices;
    std::int64_t count = 0;
    if (__builtin_mul_overflow(rows, slice, &count) || count != count_of(call.inputs[2]))
        return call.refuse("scatter_nd: the indices do not go with the updates");
    if (!call.read(coordinates, indices) || !call.make(slots, count))
        return false;
    for (std::int64_t row = 0; row < (slice > 0 ? rows : 0); ++row) {
        std::int64_t slot = 0;
        for (std::int64_t d = 0; d < depth; ++d) {
            std::int64_t index = indices[static_cast<std::size_t>(row * depth + d)];
            if (!wrap(call, index, data.extents[d]))
                return false;
            slot = slot * data.extents[d] + index;
        }
        for (std::int64_t i = 0; i < slice; ++i)
            slots[static_cast<std::size_t>(next++)] = slot * slice + i;
    }
    return true;
}

template <class T>
T combined(Scattering how, T old, T by) {
    if constexpr (std::is_floating_point_v<T>) {
        if (how >= Scattering::Max && (old != old || by != by))
            return old != old ? old : by;
    }
    switch (how) {
    case Scattering::Add: return old + by;
    case Scattering::Mul: return old * by;
    case Scattering::Max: return std::max(old, by);
    case Scattering::Min: return std::min(old, by);
    default: return by;
    }
}

// Sums and products of integers wrap; which of two is larger depends on their sign.
std::int64_t combined(Scattering how, std::int64_t old, std::int64_t by) {
    if (how == Scattering::Max || how == Scattering::Min)
        return combined<std::int64_t>(how, old, by);
    return static_cast<std::int64_t>(combined(how, static_cast<std::uint64_t>(old), static_cast<std::uint64_t>(by)));
}

bool scatter(Call& call, const Slots& slots, Scattering how) {
    const Tensor &data = call.inputs[0], &updates = call.inputs[2];
    const Extents shape = extents_of(data);
    if (data.element != updates.element)
        return call.refuse("scattering: data and updates are of different types");
    if (how == Scattering::None) {
        unsigned char* to = call.result(0, data.element, shape);
        const auto bytes = static_cast<std::size_t>(package::scalar_bytes(data.element));
        if (!to)
            return false;
        copy(to, data.data, static_cast<std::size_t>(count_of(data)) * bytes);
        for (std::size_t i = 0; i < slots.size(); ++i)
            copy(to + static_cast<std::size_t>(slots[i]) * bytes, updates.data + i * bytes, bytes);
        return true;
    }
    return with_numbers(call, data, [&](const auto& values) {
        return with_numbers(call, updates, [&](const auto& by) {
            using T = std::remove_reference_t<decltype(values[0])>;
            if constexpr (std::is_same_v<T, std::remove_reference_t<decltype(by[0])>>) {
                for (std::size_t i = 0; i < slots.size(); ++i) {
                    T& value = values[static_cast<std::size_t>(slots[i])];
                    value = combined(how, value, by[i]);
                }
                return call.give(0, data.element, shape, values);
            } else {
                return false;
            }
        });
    });
}

} // namespace

namespace host_operator {

bool HostScatterElements(Call& call) {
    Slots slots;
    Scattering how{};
    return call.takes(3, 3, 1) && scattering_of(call, how) && slots_of_elements(call, slots) &&
           scatter(call, slots, how);
}

bool HostScatterNd(Call& call) {
    Slots slots;
    Scattering how{};
    return call.takes(3, 3, 1) && scattering_of(call, how) && slots_of_slices(call, slots) && scatter(call, slots, how);
}

} // namespace host_operator

} // namespace hidet::operators
