// SPDX-License-Identifier: Apache-2.0
// Two models, or runs that were kept of them, compared: what became slower first.
#pragma once

#include "app/session/model/compare/compare_models.h"
#include "app/session/model/model_history.h"

namespace hidet::session {

struct ComparedSide {
    ModelRequest request; // of a kept run that of the document of its graph
    std::string title;
    std::shared_ptr<const ModelBenchResult> bench; // null: it was not measured
};
// "history-text-missing".
Result<ComparedSide> side_of(const ModelHistory& history, const ModelRecord& run, const ModelRequest& request);

struct ComparedKernelRow {
    std::string name;
    std::optional<double> left_seconds, right_seconds;
    std::size_t left_kernels = 0, right_kernels = 0;
    bool is_within_spread = false; // what both differ by is less than how far measurements of each lie apart
};
struct ComparedTotalRow {
    std::string title, unit;
    std::optional<double> left, right;
};
struct RunComparison : Outcome {
    std::string left, right;  // titles
    bool is_measured = false; // on both sides; else times are predicted
    std::string operators;    // what differs between the imported graphs: "1 changed, 2 new"
    std::vector<ComparedTotalRow> totals;
    std::vector<ComparedKernelRow> slower, faster; // what differs most first
    std::size_t unchanged = 0;                     // rows that differ in nothing
};
// On the right side is what is new.
RunComparison compare_runs(const ComparedSide& left, const ComparedSide& right);
std::string runs_text(const RunComparison& comparison);

} // namespace hidet::session
