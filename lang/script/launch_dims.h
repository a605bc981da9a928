// SPDX-License-Identifier: Apache-2.0
// The extents of a launch, as `attrs` and function builders are given them. Failures are diagnostics at the span.
#pragma once

#include <functional>
#include <string_view>

#include "lang/script/lift.h"

namespace hidet::lang {

// Of parameters and symbols only: no thread index, no memory, no other variable.
void check_launch_expression(const ir::ExprRef& expr, const ir::VarVec& params, std::string_view name, Span span);
// One to three extents, none of them zero, as three; `read` makes an expression of each.
ir::ExprVec launch_dims(const Value& value, std::string_view name, Span span,
                        const std::function<ir::ExprRef(const Value&)>& read);
// What no device can launch.
void check_grid_dim(const ir::ExprVec& dims, Span span);
void check_block_dim(const ir::ExprVec& dims, Span span);
void check_cluster_dim(const ir::ExprVec& dims, Span span);

} // namespace hidet::lang
