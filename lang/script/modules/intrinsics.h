// SPDX-License-Identifier: Apache-2.0
// Functions of scripts that are one intrinsic each: what they take follows from the rows.
#pragma once

#include "compiler/ir/intrinsic.h"
#include "lang/host/modules.h"
#include "lang/script/operations.h"

namespace hidet::lang {

// All of a group ("cuda", "runtime") that take what their rows say, and its names that are refused. Rows with a type that
// the call gives, or with a list of registers, are for the caller to bind.
void export_intrinsics(HostModule& module, std::string_view group);
void export_missing(HostModule& module, std::string_view group);
// One, under the name of the row or another.
NativeFunction intrinsic_function(ir::IntrinsicId id, std::string_view name);

// Parts for those who bind by themselves.
ir::ExprRef pointer_argument(const Value& value, Span span);
ir::TypeRef pointee(const ir::ExprRef& pointer, Span span); // a diagnostic at the place: it is void
ir::ExprRef converted(Evaluator& evaluator, const Value& value, ir::DType dtype, Span span);
// A word or a number of the row's, else a diagnostic.
void set_attribute(ir::IntrinsicAttr& attr, std::string_view name, const Value& value, Span span);
// The intrinsic of a function that exists on the GPU only.
Value on_gpu(Evaluator& evaluator, std::string_view name, const ir::IntrinsicAttr& attr, ir::ExprVec args, Span call,
             ir::TypeRef type = nullptr);
// That so many values of a type, or words that hold them, lie behind an address, as far as that is known.
void check_registers(const ir::ExprRef& address, Span span, std::string_view name, std::string_view instruction,
                     int count, ir::DType wanted);
void check_bulk_size(const ir::ExprRef& bytes, Span span);
void check_tensor_columns(const ir::ExprRef& columns, Span span);
void check_tensor_product(const ir::IntrinsicAttr& attr, const ir::ExprRef& descriptor, Span span);

} // namespace hidet::lang
