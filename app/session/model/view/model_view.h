// SPDX-License-Identifier: Apache-2.0
// A model to be looked at: its graph after the import and after every pass that changed it, what each pass did, the kernels
// that operators share, what everything costs at least, and where values lie in memory. Nothing is run or compiled for it.
//
// All of it is plain values: nothing points into graphs of the compiler. Ids of nodes and values are those of the graph, the
// same after every pass; a node that a pass left alone is shared between graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/session/drawing/hierarchy.h"
#include "app/session/model/model.h"

namespace hidet::session {

class ModelCode;

inline constexpr std::uint32_t no_id = UINT32_MAX;

struct GraphValue {
    std::uint32_t id = no_id;
    std::string name;                     // as the model has it; may be empty
    std::string dtype;                    // "float32"
    std::string shape;                    // "[1, seq, 768]"
    std::string layout;                   // where the operator says one; mostly empty: row-major
    std::optional<double> bytes;          // nothing: it depends on dynamic dimensions
    std::uint32_t producer = no_id;       // node; none: an input or a constant
    std::vector<std::uint32_t> consumers; // nodes, each once, producers first
    bool is_input = false;
    bool is_output = false;
    bool is_constant = false;
    std::string contents; // of small constants: "3", "[0, 2, 1]"
};

// What operators are alike in, for colours and filters: rows of op_families.def.
enum class OpFamily : std::uint8_t {
#define HIDET_OP_FAMILY(name, id, title) name,
#include "app/session/model/view/op_families.def"
};
const char* id_of(OpFamily family);    // "convolution"
const char* title_of(OpFamily family); // "Convolution"

struct GraphNode {
    std::uint32_t id = no_id;
    std::string name; // as the model has it, or that of what it replaced, or its operator
    std::string key;  // that choices call it by
    std::string op;   // "conv2d"
    OpFamily family{};
    std::vector<std::uint32_t> inputs, outputs; // values
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string rule;                    // that made it
    std::string note;                    // what the rule says of it
    std::vector<std::uint32_t> replaces; // nodes of earlier graphs
    Place site;                          // of the call in a script
    std::optional<double> flops, bytes;  // nothing: not known, or it depends on dynamic dimensions that nobody named
    perf::Factors factors = perf::Factors::Plain; // of its products
    double least_seconds = 0;                     // that the device allows, were it a kernel of its own
};

// A box of the picture: an operator, or an input or output of the model. By its place in `drawn.nodes`.
enum class BoxKind : std::uint8_t { Operator, Input, Output };
struct GraphBox {
    BoxKind kind = BoxKind::Operator;
    std::uint32_t node = no_id;  // Operator
    std::uint32_t value = no_id; // Input, Output
    std::string label;
    std::vector<std::uint32_t> chips;           // constants that it reads: values
    std::vector<std::uint32_t> inputs, outputs; // values, by port
};

drawing::Key key_of_box(BoxKind kind, std::uint32_t id); // in pictures: of a node or a value

enum class BoxGroupKind : std::uint8_t { Model, Scope, Repeat, Block, Kernel, Part };
struct GraphBoxGroup { // by its place in `drawn.groups`
    BoxGroupKind kind = BoxGroupKind::Model;
    std::string name;
    std::uint32_t count = 1;      // of blocks in a Repeat
    std::uint32_t kernel = no_id; // of a Kernel: its place in ModelGraph::kernels
    std::uint32_t boxes = 0;      // operators in it, at any depth
};

// Boxes in nested groups, to be laid out. All groups but the first are closed.
struct GraphBoxes {
    std::vector<GraphBox> boxes;
    std::vector<GraphBoxGroup> groups;
    drawing::GroupView drawn; // sizes are the caller's to set: here they are those of labels in a usual font
    std::unordered_map<std::uint32_t, std::uint32_t> box_of_node; // node -> box
};
struct GroupingOptions {
    bool by_scope = true;   // names of modules
    bool by_repeat = true;  // equal blocks
    bool by_kernel = false; // operators that share one; only of the last graph
    friend bool operator==(const GroupingOptions&, const GroupingOptions&) = default;
};

struct GraphMatch { // one application of a rule
    std::string rule;
    std::vector<std::uint32_t> before, after; // nodes
    std::string note;
};

struct GraphKernel { // a group of the partition; the order is one in which they can run
    std::uint32_t anchor = no_id;
    std::string key; // of the anchor
    std::vector<std::uint32_t> nodes;
    std::vector<std::string> names; // of its kernels, once the model is planned
    std::string schedule;           // of a template: "matmul_wgmma(block_n=64)"; empty: by the rules, or not planned
    std::optional<double> flops, bytes;
    double least_seconds = 0;
    bool is_host = false; // no kernel: the host does it
};

struct GraphBlocker { // an edge between two kernels, and why they are two
    std::uint32_t producer = no_id, consumer = no_id, value = no_id;
    std::string reason;     // id: "reads-elsewhere"
    std::string text;       // the condition that failed, with the names and shapes of this edge
    std::string condition;  // the condition alone
    bool is_within = false; // inside of one group, which needs several kernels
};

struct GraphText { // as `hidetc model show` prints it, an operator a line
    std::string text;
    std::vector<std::uint32_t> nodes; // by line; no_id: a line that is no operator's
};

class ModelGraph {
public:
    std::string pass;    // "import"; the pass, "#2" behind it the second time
    std::string title;   // "Import", "Fold constants"
    std::string summary; // what the pass is for
    double ms = 0;
    std::vector<std::shared_ptr<const GraphNode>> nodes;   // producers first
    std::vector<std::shared_ptr<const GraphValue>> values; // those that live nodes, inputs and outputs name
    std::vector<std::uint32_t> inputs, outputs;            // values
    // What the pass did to the graph before it.
    std::vector<GraphMatch> matches;
    std::vector<std::uint32_t> added, removed, rewired; // nodes
    // Of the last graph, once groups are formed.
    std::vector<GraphKernel> kernels;
    std::vector<GraphBlocker> blockers;

    const GraphNode* node(std::uint32_t id) const;        // null: not in this graph
    const GraphValue* value(std::uint32_t id) const;      // null: not in this graph
    std::uint32_t kernel_of(std::uint32_t node) const;    // place in `kernels`; no_id: none
    const GraphMatch* match_of(std::uint32_t node) const; // of this pass, that made the node; null: none
    std::shared_ptr<const GraphBoxes> boxes(const GroupingOptions& options) const; // computed by the call; any thread
    // Computed by the first call, which reads all weights for their hashes; any thread.
    const GraphText& printed() const;

    struct Index; // ids to places, and the graph that boxes and texts are made from
    std::shared_ptr<const Index> index;
};

struct MemoryRow { // a value of the plan, or what a step needs for itself (no value)
    std::uint32_t value = no_id;
    std::string name, dtype, shape;
    std::string
        place; // "arena", "workspace" (in the arena too), "constant", "input", "output", "host", "alias", "in_place"
    std::optional<double> bytes;
    std::optional<double> offset; // in the arena
    std::uint32_t section = 0;    // whose arena: a section ends where results of the host decide over extents
    std::uint32_t first_step = 0, last_step = 0;
};
struct PlanStep {                 // of a run, in order
    std::uint32_t kernel = no_id; // place in ModelGraph::kernels of the last graph
    std::vector<std::string> names;
    bool is_host = false;
    double least_seconds = 0;
};

struct ModelTotals { // predicted: the longest of arithmetic, memory and launches, kernel by kernel
    std::size_t nodes = 0, kernels = 0, launches = 0;
    double flops = 0, bytes = 0, seconds = 0;
    std::vector<std::string> assumed; // dynamic dimensions that count as 1
};

enum class ModelPhase : std::uint8_t { Imported, Optimised, Planned };

struct ModelSnapshot : Outcome {
    std::string path;
    std::string name, producer;
    std::int64_t opset = 0;
    std::vector<Place> traced; // calls of a script that trace graphs; empty: the model is none
    ModelPhase phase = ModelPhase::Imported;
    bool is_complete = false; // nothing follows: all is there, or `status` says why not
    std::vector<std::shared_ptr<const ModelGraph>>
        graphs;        // the first is that of the import; at least one unless it failed
    DeviceRoofs roofs; // what predictions stand on
    bool is_for_gpu = false;
    ModelTotals totals;                                           // of the last graph, once it is optimised
    std::vector<PlanStep> steps;                                  // Planned
    std::vector<MemoryRow> memory;                                // Planned
    std::optional<double> arena_bytes, arena_bound, weight_bytes; // Planned; nothing: it depends on dynamic dimensions
    // How processes share operators: "split along 1", by nodes of the graph that was divided. Empty: one computes the model.
    std::unordered_map<std::uint32_t, std::string> placements;
    std::string choices;                   // the text of the choices file that was heeded; may be empty
    std::shared_ptr<const ModelCode> code; // Planned: what operators became

    const ModelGraph* last() const { return graphs.empty() ? nullptr : graphs.back().get(); }
};
using SnapshotPtr = std::shared_ptr<const ModelSnapshot>;

struct ModelViewRequest : ModelRequest {
    bool plans = true; // up to Planned
    // Each phase as soon as it is there, from a thread that the call waits for; the last one is returned as well.
    std::function<void(SnapshotPtr)> published;
};
SnapshotPtr view_model(const ModelViewRequest& request);

// Of a constant of one of the snapshot's graphs: range, mean and histogram, and a small picture. Takes as long as reading
// the elements; for any thread.
struct ConstantPicture {
    std::string dtype, shape;
    std::int64_t count = 0, looked_at = 0, zeros = 0, not_finite = 0;
    double least = 0, greatest = 0, mean = 0, deviation = 0;
    std::vector<std::int64_t> histogram; // of equal parts from the least to the greatest
    std::uint32_t rows = 0, columns = 0; // of `cells`: means over parts of the constant as a matrix
    std::vector<float> cells;
};
std::optional<ConstantPicture> picture_of_constant(const ModelGraph& graph,
                                                   std::uint32_t value); // nothing: it has no data

} // namespace hidet::session
