// SPDX-License-Identifier: Apache-2.0
// The attribute `precision` of operators that multiply: "tf32" permits that factors in float32 are rounded to 10 bits behind
// the point, as tensor cores take them. Operands, sums and results stay float32, and who has no such units multiplies as ever.
#pragma once

#include <optional>
#include <string>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

inline constexpr const char* tf32 = "tf32";

// Of factors that tensor cores take as they are.
inline bool is_half(ir::DType dtype) {
    return dtype == ir::DType::F16 || dtype == ir::DType::BF16;
}

bool has_products(const Node& node); // that the permission is for
bool permits_tf32(const Node& node);
bool reads_float32(const Graph& graph, const Node& node); // all of its factors

bool is_of_bytes(const OpInfo& op); // integers of eight bits, whose products are added up in int32
// Of the result; nothing where the factors do not go together.
std::optional<ir::DType> dtype_of_product(const OpCall& call);

// That in which a template may multiply: "tf32" where that is permitted, else the type of the first operand.
std::string precision_of(const Graph& graph, const Node& node);

// OpError for a precision that there is not, and for one of other factors than float32.
void check_precision(const OpCall& call);

} // namespace hidet::graph
