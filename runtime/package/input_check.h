// SPDX-License-Identifier: Apache-2.0
// A step that checks indices and makes nothing says what an input of the model may hold. Whoever runs the plan looks at inputs
// before each run; as a step it does nothing, so a run that has no others like it can be recorded.
#pragma once

#include "runtime/package/plan.h"

namespace hidet::package {

inline bool is_input_check(const Step& step) {
    return step.kind == StepKind::Host && step.op == HostOperator::CheckIndices && step.writes.empty();
}

} // namespace hidet::package
