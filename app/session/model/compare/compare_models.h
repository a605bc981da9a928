// SPDX-License-Identifier: Apache-2.0
// Two models side by side: their graphs matched, their totals, and what their kernels take.
//
// One model may have a kernel for what takes the other one three. So times are compared by what they are for: the time of a
// kernel stands for the operators of the imported model that it computes, and kernels of both sides are put together until
// both sets compute the same operators. Each such set is one row.
#pragma once

#include "app/session/model/compare/graph_match.h"
#include "app/session/model/view/overlay.h"

namespace hidet::session {

struct ComparedModel {
    SnapshotPtr snapshot;
    std::size_t shown = 0;  // of its graphs
    ModelFindings findings; // those that are not stale
};

struct ComparedKernels {
    std::vector<std::uint32_t> left, right; // operators of the last graphs, by kernels
    std::size_t left_kernels = 0, right_kernels = 0;
    std::optional<double> left_seconds, right_seconds; // nothing: no kernel there, or none that was measured
    double left_spread = 0, right_spread = 0;          // seconds between the tenth and the ninetieth percentile
    std::string name;                                  // of the first operators
    // Both were measured, and what they differ by is less than measurements of either do.
    bool is_within_spread() const;
};

struct ComparedTotal {
    std::string title, unit;
    OverlaySource source = OverlaySource::Fact;
    std::optional<double> left, right; // nothing: not known
};

struct ModelComparison {
    GraphMatching matching; // of the graphs that are shown
    // Places in matching.nodes: partners that read constants of the same type and shape with other elements. None where one
    // model alone is a document, which has no weights.
    std::vector<std::uint32_t> other_weights;
    std::vector<ComparedTotal> totals;
    std::vector<ComparedKernels> kernels; // what differs most first
    bool is_measured = false;             // the times of kernels: on both sides; else both are predicted
};

// Empty when it was cancelled. For any thread.
ModelComparison compare_models(const ComparedModel& left, const ComparedModel& right,
                               const std::atomic<bool>* cancelled = nullptr);

// What to the one side the other is: partners of groups are those that most of their operators are in.
std::unordered_map<drawing::Key, drawing::Key> match_groups(const GraphBoxes& left, const GraphBoxes& right,
                                                            const GraphMatching& matching);

} // namespace hidet::session
