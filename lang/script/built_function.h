// SPDX-License-Identifier: Apache-2.0
// Functions that host code puts together from statements, without a decorated def: FunctionBuilder, Function(...).
#pragma once

#include <string>

#include "lang/script/operations.h"

namespace hidet::lang {

// What a function is made of, still as host code says it.
struct FunctionParts {
    std::string name;
    ir::FuncKind kind = ir::FuncKind::CudaInternal;
    ir::VarVec params;
    ir::TypeRef ret;
    ir::StmtRef body;
    std::string label;
    Value grid_dim, cluster_dim, block_dim, dynamic_smem_bytes, min_blocks; // None: not given
};

// Checks as the translator checks a decorated def, and converts what is returned. A mistake is a diagnostic at the span.
Ref<TranslatedFunction> make_function(Operations& operations, const FunctionParts& parts, Span span);

// Failures are diagnostics at the span.
ir::FuncKind func_kind_named(const std::string& name, Span span);
void check_function_name(const std::string& name, Span span);

} // namespace hidet::lang
