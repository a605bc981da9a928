// SPDX-License-Identifier: Apache-2.0
// Random expressions of all plain types over the values of an array, as functions whose results are compared bit for bit.
#pragma once

#include "tests/unit/passes/support.h"

namespace hidet::test {

inline constexpr int expr_inputs = 4; // numbers that an expression is of
inline constexpr int expr_rows = 64;  // times it is evaluated

enum class ExprTypes : std::uint8_t {
    All,
    Integers, // and divisors that are positive constants
};

// A function `name(x: ~i64, out: ~i64)` of that kind: for each row the bits of an expression of x[4 * row ...], extended to 64.
ir::FunctionRef random_expression(Random& random, const std::string& name, ir::FuncKind kind,
                                  ExprTypes types = ExprTypes::All);
// The same for a kernel of expr_rows threads, each of which does a row.
ir::FunctionRef for_threads(const ir::FunctionRef& function);
std::vector<std::int64_t> expression_inputs();

} // namespace hidet::test
