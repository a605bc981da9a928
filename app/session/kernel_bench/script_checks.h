// SPDX-License-Identifier: Apache-2.0
// What a script's own checks say of its results, whether a kernel of it is measured or it just runs.
#pragma once

#include <vector>

#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/script/engine.h"

namespace hidet::session {

// "failed: ", or "wrong: ", and the first error since `errors` were there. What was stopped is Failed.
Verdict failure_of(const Work& work, int errors, VerdictKind kind = VerdictKind::Failed);

bool has_checks(const Source& script); // an assert, or something that it may raise

// The script has run; `errors` were there before. `failure`: what errors are that are none of its checks.
Verdict verdict_of_checks(const Work& work, const Source& script, int errors,
                          VerdictKind failure = VerdictKind::Failed);
// The tensors of the assert that ended it, an assert_close or an assert of torch.allclose or torch.equal; empty: it ended
// in another way.
std::vector<Comparison> failed_check(const Work& work, const ScriptEngine& engine, int errors);

} // namespace hidet::session
