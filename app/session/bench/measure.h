// SPDX-License-Identifier: Apache-2.0
// One call of a function: what it computes, how long it takes, and how far that is from what its device can do.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/session/baselines/baseline.h"
#include "app/session/bench/bench.h"
#include "app/session/script/engine.h"
#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

// "f32[64, 80], f32[80, 96]": of the tensors.
std::string shapes_of(const std::vector<lang::CallArgument>& args);

// A call and its baseline, made anew, with memory of their own. Where pages and objects happen to lie makes up to a twentieth of a
// short call's time on a processor, and a thirtieth on a GPU, which no number of calls on the same ones averages out.
struct Sides {
    std::unique_ptr<Repeat> mine;
    std::unique_ptr<Baseline> baseline;
};
using MakeSides = std::function<Result<Sides>()>;
struct MemoryPlaces {
    int count = 1;
    const MakeSides& anew; // for each but the first
};

class Measurer {
public:
    Measurer(Work& work, const RunRequest& run) : m_work(work), m_run(run) {}

    // The row without its times.
    BenchRow described(const ScriptEngine::KeptCall& call);
    // Adds the times and the device's limits; the baseline, if there is one, takes turns with the call, in several places of
    // memory.
    Result<void> measure(Repeat& mine, Baseline* baseline, const MakeSides& anew, BenchRow& row);
    // Adds the time of so many launches in a row; what does not run on a GPU gets a note.
    static Result<void> measure_row(Repeat& mine, Baseline* baseline, int launches, BenchRow& row);

private:
    Result<void> measure_here(Repeat& mine, Baseline* baseline, const MemoryPlaces& places, BenchRow& row);
    Result<void> compare_here(Repeat& mine, Baseline& baseline, const MemoryPlaces& places, BenchRow& row);
    Result<void> measure_alone(Repeat& mine, BenchRow& row);
    void add_cpu_limits(BenchRow& row);

    Work& m_work;
    const RunRequest& m_run;
    std::optional<artifact::TargetSpec> m_cpu;
};

} // namespace hidet::session
