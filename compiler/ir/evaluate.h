// SPDX-License-Identifier: Apache-2.0
// What an expression is once its leaves are known: extents, trip counts, grids.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "compiler/ir/expr.h"

namespace hidet::ir {

// The value of a node, if it is known; asked before anything else.
using KnownValue = std::function<std::optional<std::int64_t>(const ExprRef&)>;

// Integers are whole numbers, whatever their type (lang/base/scalar.h); floats are those of their type. Nothing when a leaf
// is not known, or the result is no whole number that 64 bits hold.
std::optional<std::int64_t> evaluate_whole(const ExprRef& expr, const KnownValue& known);

} // namespace hidet::ir
