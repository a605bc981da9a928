// SPDX-License-Identifier: Apache-2.0
// What else is asked of a call that the script's own checks found right, or that nothing was compared with yet.
#pragma once

#include "app/session/kernel_bench/attempt.h"

namespace hidet::session {

// What it can be compared with unless it is told: a host function of the script that is called a reference or, where the script's own
// asserts have judged, one with parameters of the same names that says the same of the script's call; else, on a device, the
// emulator.
void ask_further(Work& work, const KernelBenchRequest& request, KernelBenchScript& script, const Callable& callable,
                 Attempt& out);
// Whether the other function that it is measured beside is that function itself, which agrees with itself.
bool is_beside_itself(const KernelBenchRequest& request, const std::string& function, int module);
// The other script that it is measured beside: it has to compute the same.
void ask_other(Work& work, const KernelBenchRequest& request, KernelBenchScript& script, const Callable& callable,
               Attempt& out);

// Of a call that a script made, and that was measured. `checks`: what the script's own say.
Verdict verdict_of_call(Work& work, const KernelBenchRequest& request, KernelBenchScript& script,
                        const ScriptEngine::KeptCall& call, const BenchRow& row, Verdict checks);

} // namespace hidet::session
