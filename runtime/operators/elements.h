// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers to compute with.
#pragma once

#include "runtime/package/scalar.h"
#include "runtime/package/text.h"

namespace hidet::operators {

using Element = package::Scalar;

bool find_element(package::Text dtype, Element& element); // "float32"; false: no operator knows it
const char* dtype_name(Element element);
inline bool is_float(Element element) {
    return package::is_real(element);
}

void read_doubles(Element element, const void* from, std::size_t count, double* to);
void read_integers(Element element, const void* from, std::size_t count, std::int64_t* to);  // floats are truncated
void write_doubles(Element element, const double* from, std::size_t count, void* to);        // rounds to the type
void write_integers(Element element, const std::int64_t* from, std::size_t count, void* to); // wraps to the type

} // namespace hidet::operators
