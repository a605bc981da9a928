// SPDX-License-Identifier: Apache-2.0
// A kernel that was explained, for who asks more of it later: on any thread, since nothing of it changes.
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"
#include "lang/base/source.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

struct ExplainedSource {
    ir::ModuleRef script, module; // as the script made it, and lowered for the emulator
    const ir::Function* kernel = nullptr;
    SymbolValues sizes;
    artifact::TargetSpec target;
    std::shared_ptr<const SourceMap> sources;
};

WavesView waves_of(const ExplainedSource& source, const CostView& cost, const std::atomic<bool>* cancelled);

} // namespace hidet::session
