// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/ir/func.h"
#include "lang/base/source.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

// Whether the accesses of the kernel, which was lowered for the emulator, stay within their tensors.
BoundsView bounds_of(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes,
                     const SourceMap& sources, const std::atomic<bool>* cancelled);

} // namespace hidet::session
