// SPDX-License-Identifier: Apache-2.0
// A reference interpreter of compute definitions for tests: one element after the other, every read checked.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/core/op.h"
#include "lang/base/symbol_values.h"

namespace hidet::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Values of the task's outputs. The case fails at a read out of bounds.
std::vector<lang::TensorRef> evaluate(const graph::Task& task, const std::vector<lang::TensorRef>& inputs,
                                      const SymbolValues& symbols = {});

// Applies an operator, host operators too, to tensors with data. The shapes that the operator infers are checked.
std::vector<lang::TensorRef> apply(const graph::OpInfo& op, const std::vector<lang::TensorRef>& inputs,
                                   const graph::Attributes& attributes = {});

lang::TensorRef tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values);
// Pseudo-random values of one seed: floats between -1 and 1, integers from -8 to 8 (or 0 to 16).
lang::TensorRef random_tensor(ir::DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed = 1);
std::vector<double> values_of(const lang::TensorRef& tensor);
// The message of the OpError that building the task throws; empty when it throws none.
std::string blocker_of(const graph::OpInfo& op, const std::vector<graph::TensorSpec>& inputs,
                       const graph::Attributes& attributes = {});
// Compares with NaN equal to NaN.
void expect_close(const lang::TensorRef& actual, const std::vector<double>& expected, double tolerance = 1e-5);

} // namespace hidet::test
