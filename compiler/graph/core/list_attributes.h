// SPDX-License-Identifier: Apache-2.0
// Attributes that are numbers and lists of them, as operators and passes read them.
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

double number_attribute(const Attributes& attributes, std::string_view name); // also of an int
// A list attribute, or one number as a list.
Ints list_attribute(const Attributes& attributes, const char* name);
// A list attribute with one number for all dimensions, one for each, or none, which stands for `otherwise`; OpError else.
Ints per_dimension(const Attributes& attributes, const char* attribute, std::size_t rank, std::int64_t otherwise,
                   const std::string& name);
// Likewise of padding: beginnings, then ends.
Ints paddings(const Attributes& attributes, std::size_t rank, const std::string& name);

// An attribute that is Ints or a Shape; OpError when it is neither, empty when it is not there.
Shape dims_attribute(const OpCall& call, const char* name);
// Of a call of Pad: the pads before each dimension, then those after each. The attribute may have those of the last dimensions alone.
Shape pads_of(const OpCall& call);

} // namespace hidet::graph
