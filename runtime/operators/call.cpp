// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/call.h"

namespace hidet::operators {

std::int64_t count_of(const Tensor& tensor) {
    std::int64_t count = 1;
    for (std::uint32_t d = 0; d < tensor.rank; ++d)
        count *= tensor.extents[d];
    return count;
}

Extents extents_of(const Tensor& tensor) {
    Extents extents;
    for (std::uint32_t d = 0; d < tensor.rank; ++d)
        extents.add(tensor.extents[d]);
    return extents;
}

package::Words<400> words_of(const Extents& extents) {
    return package::extents_words(extents.items, extents.rank);
}

AxisView view_along(const Extents& extents, std::size_t axis) {
    AxisView view;
    for (std::size_t d = 0; d < extents.rank; ++d)
        (d < axis ? view.outer : d == axis ? view.extent : view.inner) *= extents[d];
    return view;
}

const Attribute* Call::find(const char* name) const {
    for (const Attribute& each : m_attributes)
        if (each.name == text(name))
            return &each;
    return nullptr;
}

std::int64_t Call::integer(const char* name, std::int64_t otherwise) const {
    const Attribute* found = find(name);
    return found && !found->ints.empty() ? found->ints[0] : otherwise;
}

double Call::real(const char* name, double otherwise) const {
    const Attribute* found = find(name);
    return found && !found->reals.empty() ? found->reals[0] : otherwise;
}

Text Call::word(const char* name, const char* otherwise) const {
    const Attribute* found = find(name);
    return found && !found->texts.empty() ? found->texts[0] : text(otherwise);
}

List<std::int64_t> Call::integers(const char* name) const {
    const Attribute* found = find(name);
    return found ? found->ints : List<std::int64_t>();
}

List<double> Call::reals(const char* name) const {
    const Attribute* found = find(name);
    return found ? found->reals : List<double>();
}

List<Text> Call::words(const char* name) const {
    const Attribute* found = find(name);
    return found ? found->texts : List<Text>();
}

bool Call::has_no_memory() {
    return package::refuse(m_problem, Code::Memory, "memory for an operator");
}

bool Call::takes(std::size_t least, std::size_t most, std::size_t results) {
    return (inputs.size() >= least && inputs.size() <= most && m_results == results) ||
           refuse("an operator takes ", inputs.size(), " tensors and makes ", m_results, ", which it does not");
}

bool Call::read(const Tensor& tensor, List<double>& values) {
    const std::int64_t count = count_of(tensor);
    if (!make(values, count))
        return false;
    if (is_float(tensor.element)) {
        read_doubles(tensor.element, tensor.data, values.size(), values.items);
        return true;
    }
    List<std::int64_t> integers;
    if (!read(tensor, integers))
        return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = tensor.element == Element::U64 ? static_cast<double>(static_cast<std::uint64_t>(integers[i]))
                                                   : static_cast<double>(integers[i]);
    return true;
}

bool Call::read(const Tensor& tensor, List<std::int64_t>& values) {
    if (!make(values, count_of(tensor)))
        return false;
    read_integers(tensor.element, tensor.data, values.size(), values.items);
    return true;
}

bool Call::axis(std::int64_t given, std::size_t rank, std::size_t& axis) {
    const auto limit = static_cast<std::int64_t>(rank);
    if (given < -limit || given >= limit)
        return refuse("axis ", given, " is out of range for ", rank, rank == 1 ? " dimension" : " dimensions");
    axis = static_cast<std::size_t>(given < 0 ? given + limit : given);
    return true;
}

bool Call::axis_or_flat(Extents& shape, std::size_t& dimension) {
    const Tensor& x = inputs[0];
    dimension = 0;
    shape = extents_of(x);
    if (find("axis"))
        return axis(integer("axis"), shape.rank, dimension);
    shape = {{count_of(x)}, 1};
    return true;
}

bool Call::element(const char* name, Element& element) {
    const Attribute* found = find(name);
    if (!found)
        return true;
    return (!found->texts.empty() && find_element(found->texts[0], element)) ||
           refuse("'", found->texts.empty() ? text("") : found->texts[0], "' is no type of elements");
}

unsigned char* Call::result(std::size_t which, Element element, const Extents& extents) {
    std::int64_t bytes = package::scalar_bytes(element);
    bool is_possible = which < m_results;
    for (std::size_t d = 0; d < extents.rank; ++d)
        is_possible = is_possible && extents[d] >= 0 && !__builtin_mul_overflow(bytes, extents[d], &bytes);
    if (!is_possible || bytes > package::most_addressable) {
        refuse("a result of the shape ", words_of(extents), " cannot be");
        return nullptr;
    }
    return m_out.make(m_out.self, which, element, extents.items, extents.rank, m_problem);
}

bool Call::give(std::size_t which, Element element, const Extents& extents, const List<double>& values) {
    unsigned char* to = result(which, element, extents);
    if (!to)
        return false;
    if (is_float(element)) {
        write_doubles(element, values.items, values.size(), to);
        return true;
    }
    List<std::int64_t> integers;
    if (!make(integers, values.count))
        return false;
    read_integers(Element::F64, values.items, values.size(), integers.items);
    write_integers(element, integers.items, integers.size(), to);
    return true;
}

bool Call::give(std::size_t which, Element element, const Extents& extents, const List<std::int64_t>& values) {
    unsigned char* to = result(which, element, extents);
    if (to)
        write_integers(element, values.items, values.size(), to);
    return to != nullptr;
}

bool Call::give_taken(std::size_t which, const Tensor& tensor, const Extents& extents, std::size_t axis,
                      const List<std::int64_t>& places) {
    const AxisView view = view_along(extents, axis);
    Extents taken = extents;
    taken[axis] = places.count;
    unsigned char* to = result(which, tensor.element, taken);
    if (!to)
        return false;
    const auto row = static_cast<std::size_t>(view.inner * package::scalar_bytes(tensor.element));
    for (std::int64_t i = 0; i < view.outer; ++i)
        for (const std::int64_t place : places) {
            copy(to, tensor.data + static_cast<std::size_t>(i * view.extent + place) * row, row);
            to += row;
        }
    return true;
}

} // namespace hidet::operators
