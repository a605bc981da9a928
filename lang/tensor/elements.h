// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers to compute with: doubles for floats, 64-bit integers for the rest. Every float operation
// is done in double and rounded once at the end, so results serve as references.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/tensor/tensor.h"

namespace hidet::lang {

using Shape = std::vector<std::int64_t>;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

std::int64_t count_of(const Shape& shape);
std::string shape_text(const Shape& shape); // "(3, 4)"
bool holds_numbers(ir::DType dtype);        // scalars of whole bytes
bool holds_values(ir::DType dtype);         // those, and integers of less than a byte, which are packed

// What a new tensor is like.
struct TensorKind {
    ir::DType dtype = ir::DType::F32;
    Device device = Device::Cpu;
    bool is_torch = false;
};
TensorKind kind_of(const Tensor& tensor);

// The same storage under another shape, from an element on.
TensorRef view_of(const TensorRef& tensor, Shape shape, std::int64_t first_element = 0);

Doubles read_doubles(const Tensor& tensor);
Integers read_integers(const Tensor& tensor);
void write_doubles(const Tensor& tensor, const Doubles& values);   // rounds to the type
void write_integers(const Tensor& tensor, const Integers& values); // wraps to the type
double element_double(const Tensor& tensor, std::int64_t i);
std::int64_t element_integer(const Tensor& tensor, std::int64_t i);

// For every element of `out`, in order, the index of the element of `from` that it takes.
std::vector<std::int64_t> broadcast_indices(const Shape& from, const Shape& out);

} // namespace hidet::lang
