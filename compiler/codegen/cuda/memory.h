// SPDX-License-Identifier: Apache-2.0
// Target syntax that depends on the attribute of an intrinsic: fences, atomics, ordered loads and stores, asynchronous copies.
#pragma once

#include <optional>

#include "compiler/codegen/text/dialect.h"

namespace hidet::compiler {

std::optional<TargetSyntax> fence_syntax(const ir::Intrinsic& call);
// `type` is the syntax of the value's type.
std::optional<TargetSyntax> atomic_syntax(const ir::Intrinsic& call, ir::DType dtype, TargetSyntax type);
std::optional<TargetSyntax> ordered_access_syntax(const ir::Intrinsic& call);
std::optional<TargetSyntax> cp_async_syntax(const ir::Intrinsic& call);

} // namespace hidet::compiler
