// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/list_attributes.h"

#include <limits>

namespace hidet::graph {

namespace {

// Sums and products of two such numbers are numbers still; no window is as large.
Ints bounded_list(const Attributes& attributes, const char* attribute, const std::string& name) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    Ints values = list_attribute(attributes, attribute);
    for (const std::int64_t value : values)
        if (value < -most || value > most)
            throw OpError(name, ": ", value, " in ", attribute, " is out of range");
    return values;
}

} // namespace

double number_attribute(const Attributes& attributes, std::string_view name) {
    const Attribute* found = attributes.find(name);
    if (const auto* whole = found ? std::get_if<std::int64_t>(found) : nullptr)
        return static_cast<double>(*whole);
    return attributes.get<double>(name);
}

Ints list_attribute(const Attributes& attributes, const char* name) {
    const Attribute* found = attributes.find(name);
    if (const auto* single = found ? std::get_if<std::int64_t>(found) : nullptr)
        return {*single};
    return attributes.get<Ints>(name);
}

Ints per_dimension(const Attributes& attributes, const char* attribute, std::size_t rank, std::int64_t otherwise,
                   const std::string& name) {
    Ints values = bounded_list(attributes, attribute, name);
    if (values.empty())
        return Ints(rank, otherwise);
    if (values.size() == 1)
        return Ints(rank, values[0]);
    if (values.size() != rank)
        throw OpError(name, " wants ", rank, " numbers in ", attribute, ", not ", text_of(Attribute(values)));
    return values;
}

Ints paddings(const Attributes& attributes, std::size_t rank, const std::string& name) {
    if (const Ints given = bounded_list(attributes, "padding", name); given.size() == 2 * rank && rank > 0)
        return given;
    Ints values = per_dimension(attributes, "padding", rank, 0, name);
    values.insert(values.end(), values.begin(), values.end());
    values.resize(2 * rank);
    return values;
}

Shape dims_attribute(const OpCall& call, const char* name) {
    const Attribute* found = call.attributes.find(name);
    if (!found)
        return {};
    if (const auto* shape = std::get_if<Shape>(found))
        return *shape;
    const auto* ints = std::get_if<Ints>(found);
    if (!ints)
        throw OpError(call.op->name, ": '", name, "' is not a list of integers");
    return shape_of(*ints);
}

Shape pads_of(const OpCall& call) {
    const Shape& shape = call.inputs[0].shape;
    const Shape given = dims_attribute(call, "pads");
    if (given.size() > 2 * shape.size() || given.size() % 2 != 0)
        throw OpError("pad: ", given.size(), " pads for a tensor of shape ", text_of(shape));
    const auto middle = given.begin() + static_cast<std::ptrdiff_t>(given.size() / 2);
    Shape pads(shape.size() - given.size() / 2, dim(0));
    pads.insert(pads.end(), given.begin(), middle);
    pads.resize(2 * shape.size() - given.size() / 2, dim(0));
    pads.insert(pads.end(), middle, given.end());
    return pads;
}

} // namespace hidet::graph
