// SPDX-License-Identifier: Apache-2.0
// Spellings that depend on the attribute of an intrinsic: fences, atomics, ordered loads and stores, asynchronous copies.
#pragma once

#include <optional>

#include "compiler/codegen/text/dialect.h"

namespace hidet::compiler {

std::optional<Spelling> spell_fence(const ir::Intrinsic& call);
// `type` is the spelling of the value's type.
std::optional<Spelling> spell_atomic(const ir::Intrinsic& call, ir::DType dtype, Spelling type);
std::optional<Spelling> spell_ordered_access(const ir::Intrinsic& call);
std::optional<Spelling> spell_cp_async(const ir::Intrinsic& call);

} // namespace hidet::compiler
