// SPDX-License-Identifier: Apache-2.0
// The values at which evaluators of scalars come apart, and the operators on them as expressions.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/scalar.h"

namespace hidet::test {

const std::vector<ir::DType>& scalar_types();
std::vector<ir::ScalarValue> edges(ir::DType dtype);
bool same(ir::DType dtype, ir::ScalarValue a, ir::ScalarValue b); // the same bits, or both NaN
std::string text_of(ir::DType dtype, ir::ScalarValue value);

// An operator or a conversion of two variables `a` and `b`.
struct ScalarCase {
    std::string name; // "FloorDiv_f16"
    ir::DType in, out;
    std::optional<ScalarOp> op; // none: a conversion of `a`
    ir::ExprRef expr;
    ir::VarRef a, b;
};
std::vector<ScalarCase> scalar_cases();

// What the table says of every pair of edges.
struct ScalarRows {
    std::vector<ir::ScalarValue> a, b, result;
};
ScalarRows rows_of(const ScalarCase& each);
bool divides_integers(const ScalarCase& each);

} // namespace hidet::test
