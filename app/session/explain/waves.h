// SPDX-License-Identifier: Apache-2.0
// Which blocks of a kernel run at the same time, and how much of what they read they share in the second-level cache.
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/ir/func.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

// A range with a step is a loop that counts its trips, which lowering calls so.
std::string name_of_loop(const std::string& variable);

// `script`: the module as the script made it, which knows the shapes of tensors.
WavesView waves_of(const ir::Module& module, const ir::Function& kernel, const ir::Module& script,
                   const SymbolValues& sizes, const artifact::TargetSpec& target, const CostView& cost,
                   const std::atomic<bool>* cancelled);

} // namespace hidet::session
