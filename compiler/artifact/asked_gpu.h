// SPDX-License-Identifier: Apache-2.0
// The GPU that a script wants its code to be for (hidet.option.cuda.arch).
#pragma once

#include "compiler/artifact/target_spec.h"

namespace hidet::artifact {

// `present`, where nothing is asked or it is of that architecture; otherwise the machine that stands for the architecture.
// "sm_90" is the code that is best for it, as upstream has it: "sm_90a". Nothing: there is no such architecture.
std::optional<TargetSpec> asked_gpu(const std::string& name, const TargetSpec& present);

} // namespace hidet::artifact
