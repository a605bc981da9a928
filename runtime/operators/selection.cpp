// SPDX-License-Identifier: Apache-2.0
// Which elements of a tensor there are: those under a condition, those that are not 0, those that differ.
#include <algorithm>

#include "runtime/operators/order.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

// Slices along a dimension; of equals, the first stands for all.
template <class T>
class Distinct {
public:
    Distinct(Call& call, const List<T>& values, const Extents& shape, std::size_t axis)
        : m_call(call), m_values(values), m_shape(shape), m_axis(axis), m_view(view_along(shape, axis)) {}

    bool run() {
        const std::int64_t slices = m_view.extent;
        if (!(m_call.make(m_order, slices) && m_call.make(m_first, slices) && m_call.make(m_inverse, slices) &&
              m_call.make(m_counts, slices) && m_call.make(m_of, slices)))
            return false;
        for (std::int64_t i = 0; i < slices; ++i)
            m_order[static_cast<std::size_t>(i)] = i;
        std::sort(m_order.begin(), m_order.end(), [this](std::int64_t a, std::int64_t b) {
            const int is = compare(a, b);
            return is != 0 ? is < 0 : a < b;
        });
        number(m_call.integer("sorted", 1) != 0);
        const List<std::int64_t> first{m_first.items, m_distinct}, counts{m_counts.items, m_distinct};
        return m_call.give_taken(0, m_call.inputs[0], m_shape, m_axis, first) &&
               m_call.give(1, Element::I64, {{m_distinct}, 1}, first) &&
               m_call.give(2, Element::I64, {{slices}, 1}, m_inverse) &&
               m_call.give(3, Element::I64, {{m_distinct}, 1}, counts);
    }

private:
    T value(std::int64_t slice, std::int64_t i) const {
        return m_values[static_cast<std::size_t>((i / m_view.inner * m_view.extent + slice) * m_view.inner +
                                                 i % m_view.inner)];
    }
    int compare(std::int64_t a, std::int64_t b) const {
        for (std::int64_t i = 0; i < m_view.outer * m_view.inner; ++i)
            if (const int is = compared(value(a, i), value(b, i)))
                return is;
        return 0;
    }
    // The distinct ones in their order, or in that of their first slices.
    void number(bool is_sorted) {
        for (std::uint32_t i = 0; i < m_order.size(); ++i) { // runs of equals
            const std::int64_t slice = m_order[i];
            const bool is_new = i == 0 || compare(m_first[m_distinct - 1], slice) != 0;
            if (is_new)
                m_first[m_distinct++] = slice;
            m_of[static_cast<std::size_t>(slice)] = m_first[m_distinct - 1];
        }
        if (!is_sorted)
            std::sort(m_first.items, m_first.items + m_distinct);
        for (std::uint32_t i = 0; i < m_distinct; ++i)
            m_inverse[static_cast<std::size_t>(m_first[i])] = i;
        for (std::size_t slice = 0; slice < m_of.size(); ++slice) {
            const std::int64_t which = m_inverse[static_cast<std::size_t>(m_of[slice])];
            m_inverse[slice] = which;
            ++m_counts[static_cast<std::size_t>(which)];
        }
    }

    Call& m_call;
    const List<T> m_values;
    const Extents m_shape;
    const std::size_t m_axis;
    const AxisView m_view;
    List<std::int64_t> m_order;
    List<std::int64_t> m_of;      // by slice: the first one that equals it
    List<std::int64_t> m_first;   // by distinct one
    List<std::int64_t> m_inverse; // by slice
    List<std::int64_t> m_counts;  // by distinct one
    std::uint32_t m_distinct = 0;
};

} // namespace

namespace host_operator {

bool Compress(Call& call) {
    List<std::int64_t> condition, places;
    Extents shape;
    std::size_t axis = 0;
    if (!call.takes(2, 2, 1) || !call.axis_or_flat(shape, axis) || !call.read(call.inputs[1], condition) ||
        !call.make(places, condition.count))
        return false;
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (condition[i] == 0)
            continue;
        if (static_cast<std::int64_t>(i) >= shape[axis])
            return call.refuse("compress: the condition is longer than the dimension");
        places[kept++] = static_cast<std::int64_t>(i);
    }
    return call.give_taken(0, call.inputs[0], shape, axis, {places.items, kept});
}

// A scalar counts as a tensor of one element.
bool NonZero(Call& call) {
    List<double> values;
    List<std::int64_t> indices;
    if (!call.takes(1, 1, 1) || !call.read(call.inputs[0], values))
        return false;
    Extents shape = extents_of(call.inputs[0]);
    if (shape.rank == 0)
        shape.add(1);
    std::int64_t found = 0;
    for (const double value : values)
        found += value != 0;
    if (!call.make(indices, shape.rank * found))
        return false;
    std::int64_t column = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0)
            continue;
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t d = shape.rank; d-- > 0; rest /= shape[d])
            indices[d * static_cast<std::size_t>(found) + static_cast<std::size_t>(column)] = rest % shape[d];
        ++column;
    }
    return call.give(0, Element::I64, {{shape.rank, found}, 2}, indices);
}

bool Unique(Call& call) {
    Extents shape;
    std::size_t axis = 0;
    if (!call.takes(1, 1, 4) || !call.axis_or_flat(shape, axis))
        return false;
    return with_numbers(call, call.inputs[0],
                        [&]<class T>(const List<T>& values) { return Distinct<T>(call, values, shape, axis).run(); });
}

} // namespace host_operator

} // namespace hidet::operators
