// SPDX-License-Identifier: Apache-2.0
// One call of a function: what it computes, how long it takes, and how far that is from what its device can do.
#pragma once

#include <memory>
#include <optional>

#include "app/session/baselines/baseline.h"
#include "app/session/bench/bench.h"
#include "app/session/script/engine.h"
#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

// "f32[64, 80], f32[80, 96]": of the tensors.
std::string shapes_of(const std::vector<lang::CallArgument>& args);

class Measurer {
public:
    Measurer(Work& work, const RunRequest& run) : m_work(work), m_run(run) {}

    // The row without its times.
    BenchRow described(const ScriptEngine::KeptCall& call);
    // Adds the times and the device's limits; the baseline, if there is one, takes turns with the call.
    Result<void> measure(Repeat& mine, Baseline* baseline, BenchRow& row);
    // Adds the time of so many launches in a row; what does not run on a GPU gets a note.
    static Result<void> measure_row(Repeat& mine, Baseline* baseline, int launches, BenchRow& row);

private:
    Result<void> measure_here(Repeat& mine, Baseline* baseline, BenchRow& row);
    void add_cpu_limits(BenchRow& row);

    Work& m_work;
    const RunRequest& m_run;
    std::optional<artifact::TargetSpec> m_cpu;
};

} // namespace hidet::session
