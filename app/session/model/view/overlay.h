// SPDX-License-Identifier: Apache-2.0
// A number or a class for every node of a graph, to be shown as its colour and in a table: times, bytes, errors, families.
#pragma once

#include "app/session/model/view/model_view.h"
#include "app/session/model/view/number_file.h"
#include "lang/base/quantity.h"

namespace hidet::session {

enum class OverlayKind : std::uint8_t {
#define HIDET_OVERLAY(name, id, title, unit, kind, summary) name,
#include "app/session/model/view/overlays.def"
};
enum class OverlaySource : std::uint8_t { Fact, Predicted, Measured };
struct OverlayInfo {
    OverlayKind kind;
    const char* id;
    const char* title;
    const char* unit;
    OverlaySource source;
    const char* summary;
};
const std::vector<OverlayInfo>& all_overlays();
const OverlayInfo& info_of(OverlayKind kind);

// What runs of a model have said, and what a file does.
struct ModelFindings {
    std::shared_ptr<const ModelBenchResult> bench;    // null: not measured
    std::shared_ptr<const ModelRunResult> comparison; // with its nodes' errors; null: not compared
    std::shared_ptr<const NumberFile> numbers;        // null: none was chosen
};

struct NodeReading {
    std::uint32_t node = no_id;
    std::optional<double> value; // in the overlay's unit
    std::uint32_t cls = no_id;   // place in `classes`
    std::string text;            // "12.3 us", "float16"
    bool is_beyond = false;      // out of tolerance, or of a class that needs a look
};

struct Overlay {
    OverlayKind kind{};
    std::string title, unit;        // in a few words
    std::string unavailable;        // why there is none, and what makes it appear; empty: there is
    std::vector<NodeReading> nodes; // in the order of the graph's nodes
    // Numbers: the scale's ends, and whether it is one of powers of ten.
    double least = 0, greatest = 0;
    bool is_logarithmic = false;
    std::vector<std::string> classes;   // in the order of the legend
    std::vector<std::uint32_t> hues;    // of the classes: small numbers, the same for the same class in every graph
    std::size_t without = 0;            // of Numbers: nodes that the file has no number for
    std::vector<std::string> unmatched; // of Numbers: names in the file that no operator and no kernel has
    std::string machine;                // whose limits the numbers are of; empty: they are of none
    double total = 0;                   // of numbers that can be added: seconds, bytes, operations; each kernel once
    std::vector<std::optional<double>> kernels; // times of whole kernels, by their places in the last graph
};
// `graph` is one of the snapshot's. What is measured or predicted of a kernel is divided among its operators, in earlier graphs
// among those that became them, in proportion to what each would need at least by itself; so the operators add up to the
// kernel. Ratios (how near to the roof) are the kernel's, at each of its operators.
Overlay overlay_of(const ModelSnapshot& snapshot, const ModelGraph& graph, const ModelFindings& findings,
                   OverlayKind kind);

// Seconds, bytes and operations, and shares of them: those of several nodes have a sum.
bool is_additive(OverlayKind kind);

// 0 to 1 on the scale; nothing: the node has no number.
std::optional<double> on_scale(const Overlay& overlay, const NodeReading& reading);

// The way from an input to an output that takes longest, by the measured times or else the predicted ones: nodes, in order.
struct CriticalPath {
    std::vector<std::uint32_t> nodes;
    double seconds = 0;
    bool is_measured = false;
};
CriticalPath critical_path(const ModelSnapshot& snapshot, const ModelFindings& findings);

} // namespace hidet::session
