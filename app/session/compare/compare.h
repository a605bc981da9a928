// SPDX-License-Identifier: Apache-2.0
// A result beside what it should be.
#pragma once

#include <string>

#include "app/session/compare/comparison.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/tensor.h"

namespace hidet::session {

// What a kernel did not write still holds this: NaN in floats, a large negative number in integers.
void fill_with_pattern(lang::Tensor& tensor);
inline constexpr std::uint32_t float_pattern = 0x7FC0DEAD; // of f32

struct Expectation {
    Tolerance tolerance;                 // as asked for; what is not is chosen
    double sum_length = 1;               // how many products an element is the sum of, about
    bool rounds_to_tf32 = false;         // the operands of its products
    ir::DType sum_type = ir::DType::F32; // what its sums are rounded to, one addend after the other
    bool equal_nan = true;               // NaN is right where NaN is wanted
    double widened = 1;                  // how many times the tolerance is as wide
    bool finite_only = false;            // what is not finite may be anything
};

// Both parts of it, whatever was asked for: of results of this type beside what is wanted.
Tolerance tolerance_of(const Expectation& expectation, ir::DType dtype, const lang::Doubles& wanted);

// Shapes may differ where one of them is a vector of as many elements.
Comparison compare(const std::string& name, const lang::Tensor& got, const lang::Tensor& wanted,
                   const Expectation& expectation);

// Of an element, by the tolerance of the comparison.
bool is_wrong(const Comparison& comparison, double got, double wanted);

const Comparison* first_wrong(const std::vector<Comparison>& comparisons); // null: none is

// "3 of 6144 elements of 'c' are wrong, worst at (63, 95): got 1.5, expected 2.5"
std::string describe(const Comparison& comparison, const char* what = "wrong");

std::string extents_text(const std::vector<std::int64_t>& shape); // "[64, 80]"

double ulp_distance(double a, double b, ir::DType dtype); // both finite, and representable

} // namespace hidet::session
