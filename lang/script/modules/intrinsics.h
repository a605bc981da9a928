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

} // namespace hidet::lang
