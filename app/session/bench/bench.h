// SPDX-License-Identifier: Apache-2.0
// Measures what a script calls. The script runs once, checks included; then the last call of each of its functions is made
// again and again on the same tensors, alone or in turns with a baseline, and what it computes is judged as `try` judges it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/bench/verdict.h"
#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"
#include "compiler/perf/roofs.h"
#include "runtime/bench/clocks.h"
#include "runtime/bench/statistics.h"

namespace hidet::session {

struct BenchRequest {
    RunRequest run;
    std::string against;         // "openblas", "cublas"; empty: nobody, or `other`
    std::optional<Source> other; // a script whose calls are the baselines, one for one
    int in_a_row = 0;            // so many launches one after the other are measured too, on a GPU; 0: none
};

struct TimesView { // seconds
    double median = 0;
    double p10 = 0;
    double p90 = 0;
    int count = 0;
    double spread = 0;           // (p90 - p10) / median
    std::vector<double> samples; // in the order in which they were taken
};
inline TimesView view_of(const bench::Times& times) {
    return {times.median, times.p10, times.p90, times.count, times.spread(), times.samples};
}

// Launches that follow each other as in a model, in one graph where they can be recorded into one. So that weights come from
// memory, the launches take turns with copies of the tensors that are large.
struct InARow {
    int launches = 0;
    int copies = 0;
    std::vector<std::string> copied; // names of parameters
    std::vector<std::string> shared; // by all launches
    double bytes = 0;                // of all copies
    bool leave_cache = false;        // so much that none is in the cache when its turn comes again
    bool is_graph = false;
    TimesView times; // of one launch: a replay over the number of launches
    std::optional<TimesView> baseline_times;
    // Of the baseline's time to this one's; nothing where either is not known.
    std::optional<double> ratio() const {
        if (!baseline_times || times.median <= 0)
            return std::nullopt;
        return baseline_times->median / times.median;
    }
};

// Where a call or a model was measured, within a sentence: "CPU, 2 threads", "the emulator (not GPU time)".
std::string where_measured(const std::string& where, bool is_emulated);

using perf::attainable;
using perf::Roof;
using perf::RoofKind;
using perf::Roofline;
using perf::RooflinePoint;

// A call, with its work as it is read off the IR.
struct BenchRow : perf::RoofedWork {
    std::string function; // "launch"
    std::string shapes;   // "f32[64, 80], f32[80, 96], f32[64, 96]"
    std::string where;    // "CPU, 2 threads", "emulator", the name of a GPU
    bool is_emulated = false;
    Place site;
    TimesView times;                     // on a GPU with a cold second-level cache
    std::optional<TimesView> hot;        // on a GPU: run after run
    std::optional<InARow> in_a_row;      // where it was asked for, on a GPU
    std::vector<std::string> notes;      // clocks, power, what slowed the device down, registers of the kernels
    std::optional<bench::Clocks> clocks; // of a GPU, from its first time to its last; nothing: not known
    std::string baseline;                // "OpenBLAS"; empty: none
    std::optional<TimesView> baseline_times;
    std::optional<TimesView> baseline_hot;
    // Of this call's time to the baseline's; nothing where too few of them were measured, or not in turns.
    std::optional<bench::Ratio> to_baseline() const {
        return baseline_times ? bench::ratio_of(times.samples, baseline_times->samples) : std::nullopt;
    }
    double share_of_baseline() const { // of its speed; only where there is one
        const std::optional<bench::Ratio> ratio = bench::ratio_of(baseline_times->samples, times.samples);
        return ratio ? ratio->median : times.median > 0 ? baseline_times->median / times.median : 0;
    }
    std::optional<double>
        baseline_difference;        // greatest absolute one between the two results; nothing: they were not compared
    std::optional<Verdict> verdict; // of what it computes; nothing: nobody has looked
};

// Of a call beside its baseline.
struct SpeedVerdict {
    std::string word; // "faster", "slower", "no difference", "wrong", "invalid"
    std::string why;  // where the ratio says something else: what the GPU did meanwhile
};
std::optional<SpeedVerdict> speed_of(const BenchRow& row); // nothing: not measured in turns

struct BenchResult : Outcome {
    std::vector<BenchRow> rows;
};

BenchResult bench(const BenchRequest& request);

Roofline roofline_of(const BenchRow& row);

} // namespace hidet::session
