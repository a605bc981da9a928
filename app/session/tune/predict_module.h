// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/work/work.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"
#include "lang/base/result.h"

namespace hidet::session {

// Seconds of what the module launches on a GPU, by the model that 'hidetc explain' has; 0: not known. The error is why it cannot
// be lowered for that GPU: "not-lowered".
Result<double> predicted_seconds(const Work& work, const ir::ModuleRef& module, const artifact::TargetSpec& target);

} // namespace hidet::session
