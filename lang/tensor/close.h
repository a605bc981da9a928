// SPDX-License-Identifier: Apache-2.0
// Are two tensors close? The answer says how many elements are not, and which is the worst.
#pragma once

#include <string>
#include <utility>

#include "lang/tensor/tensor.h"

namespace hidet::lang {

struct Tolerance {
    double relative = 0;
    double absolute = 0;
    bool equal_nan = false;
};
Tolerance default_tolerance(ir::DType a, ir::DType b);
// An empty text when they are close. Both have data and the same shape.
std::string difference_of(const Tensor& actual, const Tensor& expected, Tolerance tolerance);
// Two elements of a type that differ: in four digits, or in as many as show it.
std::pair<std::string, std::string> told_apart(double a, double b, ir::DType dtype);

} // namespace hidet::lang
