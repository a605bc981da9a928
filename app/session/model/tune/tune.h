// SPDX-License-Identifier: Apache-2.0
// Tuning of a model: which schedules its kernels may have, which was measured how fast, and which is taken.
#pragma once

#include "app/session/model/model.h"
#include "compiler/graph/names/keys.h"
#include "compiler/tune/candidate.h"
#include "compiler/tune/share.h"

namespace hidet::session {

struct TunedCandidate {
    std::string schedule;          // "matmul_wgmma(block_n=64, split=2)"
    std::string source;            // what records know its template by
    double predicted = 0;          // seconds; 0: not known
    std::optional<double> seconds; // median; nothing: it was not measured
    double spread = 0;             // (p90 - p10) / median
    bool is_recorded = false;      // before this run
    std::string discarded;         // why it cannot be taken
    // Seconds, median, with the kernels before and behind it; nothing: it is not close enough to ask.
    std::optional<double> beside = {};
};

// A kernel; equal ones are one.
struct TunedOperator {
    std::string name;               // of its anchor, or of the call
    std::vector<std::string> nodes; // what it computes; none: it is what a script's function with a space returns
    std::size_t uses = 0;
    std::vector<std::string> keys;          // of the anchors of all of them, which choices know them by
    std::vector<std::uint32_t> anchors;     // ids
    std::string signature;                  // what records know it by
    std::string best;                       // schedule; empty: as without tuning
    std::vector<TunedCandidate> candidates; // the one without tuning first, then by prediction
    std::vector<TunedCandidate> refused;    // by their templates
};

// An edge between operators of which it was measured whether they share a kernel.
struct TunedFusion {
    std::string producer, consumer;
    std::size_t uses = 0;   // edges that are alike
    bool was_fused = false; // without tuning
    bool is_fused = false;
    std::optional<double> fused, apart; // seconds of all kernels that it changes
    std::string discarded;              // why one of them cannot be
};

struct ModelTuneResult : Outcome {
    std::string where;        // the machine that schedules are for
    std::size_t measured = 0; // candidates, in this run
    bool can_measure = false; // there is a GPU, or kernels are for the CPU
    bool is_complete = true;  // else something was left when the time was over, or there is no GPU to measure on
    bool is_lost = false;     // a kernel broke the device for this process: another one goes on where it was
    std::vector<TunedFusion> fusions;
    std::vector<TunedOperator> operators;
    std::vector<std::vector<tune::RecordKey>>
        missing; // of a share without keys: to be measured, those that go together
};
// Of its `space`, and what it says is `tuned`. The path may be that of a script: what it builds for a GPU is tuned while it runs.
ModelTuneResult tune_model(const ModelRequest& request, tune::Share* share = nullptr);
TunedOperator tuned_operator(const graph::Graph& graph, const graph::NodeKeys& keys, const tune::Operator& op);
// What is known already; nothing is measured. For any thread, however small its stack.
ModelTuneResult recall_tuning(ModelRequest request);

} // namespace hidet::session
