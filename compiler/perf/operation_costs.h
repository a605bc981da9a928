// SPDX-License-Identifier: Apache-2.0
// What operations on floats take, of the units of a GPU.
#pragma once

#include <optional>

#include "compiler/ir/expr.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::perf {

// Of machine code without fast math, by estimate: instructions, and those of the units for special functions among them.
struct FunctionCost {
    ir::IntrinsicId id{};
    double instructions = 0, special = 0;
};
FunctionCost function_cost(ir::IntrinsicId id); // of the category Math
inline constexpr FunctionCost quotient_cost{ir::IntrinsicId::Fma, 8, 1};

double lanes_of(const ir::TypeRef& type); // of floats; 0: it is of none
std::optional<ir::DType> lane_type(const ir::TypeRef& type);
double instructions_of(const ir::TypeRef& type); // that make so many lanes: two of 16 bits share one

// What each of the lanes has of a matrix instruction that they share.
struct Products {
    double sums = 0; // multiply-adds
    ir::DType in{}, out{};
};
std::optional<Products> products_of(const ir::Intrinsic& call);

} // namespace hidet::perf
