// SPDX-License-Identifier: Apache-2.0
// Passes over graphs: one row of graph_passes.def and one file each, in the order of optimise.cpp. A pass edits the graph
// in place, records what it matched, and can be switched off by its name.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"
#include "compiler/schedule/schedule.h"

namespace hidet::graph {

// What one application of a rule did.
struct Match {
    std::string rule;
    std::vector<NodeId> before; // no longer live, unless others read them
    std::vector<NodeId> after;
    std::string note; // for people: "scale of 64 channels folded into the weight"; may be empty
};

struct PassRecord {
    std::string pass;
    bool is_on = true;
    double milliseconds = 0;
    std::vector<Match> matches;
};

// PassContext of the script language, options of the command line, and the choices file.
struct GraphOptions {
    Target target = Target::Cpu;
    std::string precision;               // "", "float16", "bfloat16", "float32"
    std::string reduce_precision;        // "": f32 accumulation
    std::string mma = "simt";            // or "mma"
    std::string parallel_k = "disabled"; // "default", or a number
    std::vector<std::string> off;        // passes and rules that do not run
    FusionChoices fusion;
    const std::atomic<bool>* cancelled = nullptr;
};

struct PassState {
    Graph& graph;
    const GraphOptions& options;
    PassRecord& record;
    bool is_off(std::string_view rule) const;
};

struct GraphPassInfo {
    const char* name; // "subgraph-rewrite"
    void (*run)(PassState& state);
    const char* summary;
};
const std::vector<GraphPassInfo>& graph_passes(); // in order

class GraphInstrument {
public:
    virtual ~GraphInstrument() = default;
    virtual void before(const GraphPassInfo&, const Graph&) {}
    virtual void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) = 0;
};

struct Optimised {
    Partition partition;
    std::vector<PassRecord> records;
};
Optimised optimise(Graph& graph, const GraphOptions& options, const std::vector<GraphInstrument*>& instruments = {});

} // namespace hidet::graph
