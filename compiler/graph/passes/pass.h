// SPDX-License-Identifier: Apache-2.0
// Passes over graphs: one row of graph_passes.def and one file each, in the order of optimise.cpp. A pass edits the graph
// in place, records what it matched, and can be switched off by its name.
#pragma once

#include <atomic>
#include <stdexcept>
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

// What quantize-weights did to the matrix of a product.
struct WeightRecord {
    std::string node;
    double error = 0;                   // relative: the root of the mean square
    std::int64_t before = 0, after = 0; // bytes
    std::string left;                   // why it is as it was; empty: it has few bits
};

// What split-tensors did with an operator.
struct PlacementRecord {
    std::string node, op;  // its name in the model, and what it is
    std::string placement; // of its first result: "split along 1", "partial sums", "whole"
    std::string left;      // why every process computes all of it; empty: they share it
    NodeId id;             // before it was divided
};

struct PassRecord {
    std::string pass;
    bool is_on = true;
    double milliseconds = 0;
    std::vector<Match> matches;
    std::vector<WeightRecord> weights;
    std::vector<PlacementRecord> placements;
    std::size_t in_batch = 0; // operators of which a replica computes a part of the batch
};

// A rule that a user gives: as one of rules.def, in the place of rules of the passes "subgraph-rewrite" (what an operator
// computes, said otherwise) or "resolve-variant" (which operators carry it out). User rules go before ours.
class Rewriting;
class UserRule {
public:
    virtual ~UserRule() = default;
    virtual std::string name() const = 0;
    virtual std::vector<OpId> roots() const = 0; // operators at which it may apply; empty: any
    // As RuleInfo::apply (rewrite.h): true when it replaced something. An OpError declines.
    virtual bool apply(Rewriting& rewriting, NodeId root) = 0;
    // Told why an application was declined: another dtype or shape, a cycle; or that it would have gone on for ever.
    virtual void refused(const std::string&) {}
};

// A rule that is a script failed, and has reported why. It ends the passes; the graph is one that computes.
class RuleFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What the choices file says of single operators, by their stable keys (names/keys.h).
struct NodeChoice {
    std::string node;
    std::string what; // a rule's name, a dtype, a template
    bool is_on = true;
};

// Those that share a model, and which one the graph is for. Each replica computes a part of the batch, and its processes, whose
// ranks follow each other, parts of the operators. Or each is a stage, which computes operators that follow each other.
struct Processes {
    int count = 1, rank = 0;
    int replicas = 1;
    std::int64_t replica_group = 0; // of hidet.distributed: the processes of this replica; 0: all
    std::int64_t batch_group = 0;   // the processes at this place in all replicas
    int stages = 1;                 // as many as processes, or one
    // Stages exchange in these groups: a stage and the one before it, and it and the one behind it; 0: there is none.
    std::int64_t group_before = 0, group_behind = 0;
    // Of the batch, which stages work on one behind the other. 0: as many as stages, or it stays one where it has not so many.
    int parts = 0;
    int in_replica() const { return count / replicas; }
};

// PassContext of the script language, options of the command line, and the choices file.
struct GraphOptions {
    artifact::TargetSpec target = artifact::default_cpu();
    std::string precision;               // "", "float16", "bfloat16", "tf32", "float32"
    std::string quantize;                // "", "int8", "int4", "fp8": the constant matrices of products
    double quantize_limit = 0;           // of the error of one; 0: that of the kind
    std::string mma;                     // "simt": no matrix units; "mma", "": where a template takes them
    std::string parallel_k = "disabled"; // "default", or a number
    std::vector<std::string> off;        // passes and rules that do not run
    std::vector<std::string> on;         // those that do, though they are off by default
    Processes processes;
    FusionChoices fusion;
    std::vector<NodeChoice> rewrites;   // `what`: a rule that shall not apply to this operator
    std::vector<NodeChoice> precisions; // `what`: the dtype in which this operator computes
    std::vector<NodeChoice> templates;
    std::vector<NodeChoice> placements;       // `what`: how this operator is shared: "whole", "split along 1"
    std::vector<std::string> known_templates; // what those may name
    std::vector<UserRule*> rewrite_rules;
    std::vector<UserRule*> resolve_rules;
    bool verify = true;         // after each pass
    bool checks_inputs = false; // check-indices: those that are inputs too, as nobody looks at them before the run
    const std::atomic<bool>* cancelled = nullptr;
};

struct PassState {
    Graph& graph;
    const GraphOptions& options;
    PassRecord& record;
    Partition& partition;
    bool is_off(std::string_view rule, bool by_default = false) const;
    bool is_cancelled() const { return options.cancelled && options.cancelled->load(std::memory_order_relaxed); }
};

struct GraphPassInfo {
    const char* name; // "subgraph-rewrite"
    void (*run)(PassState& state);
    bool is_on; // by default
    const char* summary;
};
const std::vector<GraphPassInfo>& graph_passes(); // in order; some run twice

// For `--rules` of the command line and for who misspells one.
struct RuleSummary {
    std::string pass;
    std::string name;
    bool is_on;
    std::string summary;
};
const std::vector<RuleSummary>& all_rules();

class GraphInstrument {
public:
    virtual ~GraphInstrument() = default;
    virtual void before(const GraphPassInfo&, const Graph&) {}
    virtual void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) = 0;
};

struct Optimised {
    Partition partition;
    std::vector<PassRecord> records; // one for each of graph_passes(), as far as it got
    bool is_cancelled = false;
    std::vector<std::string> unknown; // names in `off` and `on` that are no pass and no rule
};
// After a cancellation the graph is a correct one, whatever passes it has seen. A violated invariant throws InternalError
// naming the pass.
Optimised optimise(Graph& graph, const GraphOptions& options, const std::vector<GraphInstrument*>& instruments = {});

} // namespace hidet::graph
