// SPDX-License-Identifier: Apache-2.0
// Every call of an intrinsic that a script can make, with every type and attribute, and every conversion.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/cpp/dialect.h"
#include "compiler/codegen/cuda/dialect.h"

namespace hidet::compiler {

struct ZooCall {
    std::string name; // "cuda.atomic_add acq_rel.global.gpu f16"
    Ref<const ir::Intrinsic> call;
};
std::vector<ZooCall> all_calls();
// The data types that variables can have in generated code.
std::vector<ir::DType> all_types(const Dialect& dialect);

// A function that makes the call with its parameters as arguments and gives its value back.
std::string function_of(const Dialect& dialect, const ZooCall& call, const TargetSyntax& syntax, std::string_view name,
                        Snippets& snippets);
// Functions for the operators that a type of the prelude has.
std::string operators_of(const Dialect& dialect, ir::DType dtype, std::string_view specifier, int& number,
                         Snippets& snippets);
// One that converts.
std::string conversion_of(const Dialect& dialect, ir::DType from, ir::DType to, std::string_view name,
                          Snippets& snippets);

} // namespace hidet::compiler
