// SPDX-License-Identifier: Apache-2.0
// The layout of whole models against Graphviz' `dot`: crossings, edge length, time, on the same flat graphs with every edge
// drawn. Built-in models, and the ONNX files that are named.
//
//     bench_drawing [--seconds N] [--only WORD] [FILE.onnx ...]
//
// `dot` is stopped after N seconds (60; 0: it does not run). It knows no operands, and each edge has a way of its own: what is
// compared draws likewise. "as shown" is the studio's way, with operands in order and edges of one value together.
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "app/session/model/view/grouping/grouping.h"
#include "compiler/graph/onnx/import.h"
#include "tests/bench/bench.h"
#include "tests/bench/drawing_dot.h"
#include "tests/bench/drawing_models.h"

using namespace hidet;
using namespace hidet::bench;
using namespace hidet::drawing;

namespace {

constexpr std::size_t kComparable = 10'000; // nodes; `dot` is far from done with more

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

FlatGraph flat_graph(const graph::Graph& model) {
    session::grouping::ModelViewOptions options;
    options.has_scopes = options.has_repeats = false;
    options.most_children = 0;
    const session::grouping::ModelView view = session::grouping::view_of(model, nullptr, options);
    FlatGraph flat;
    for (const ViewNode& node : view.drawn.nodes) {
        flat.nodes.emplace_back().size = node.size;
        flat.nodes.back().inputs = node.inputs;
        flat.nodes.back().outputs = node.outputs;
    }
    flat.edges = view.drawn.edges;
    return flat;
}

// The first picture of a model, and one with everything open.
void measure_groups(const std::string& name, const graph::Graph& model) {
    const double start = processor_seconds();
    session::grouping::ModelView view = session::grouping::view_of(model);
    DrawingMemory memory;
    const ViewDrawing closed = lay_out(view.drawn, {}, memory);
    const double first = processor_seconds() - start;
    for (ViewGroup& group : view.drawn.groups)
        group.is_open = true;
    const double opening = processor_seconds();
    const ViewDrawing open = lay_out(view.drawn, {}, memory);
    const double all = processor_seconds() - opening;
    std::size_t boxes = 0;
    for (const auto* each : {&closed.nodes, &closed.groups})
        for (const Box& box : *each)
            boxes += box.is_shown;
    std::fprintf(stderr, "%s in %zu groups: %zu boxes at first; all open: %.0f x %.0f, %zu stubs, %llu crossings\n",
                 name.c_str(), view.groups.size(), boxes - 1, open.size.width, open.size.height, open.stubs.size(),
                 static_cast<unsigned long long>(open.crossings));
    figure(name + " first picture", first * 1e3, "ms", 1000);
    figure(name + " everything open", all * 1e3, "ms", 1000);
}

bool read_model(const std::string& path, std::vector<DrawnModel>& models) {
    auto imported = graph::import_onnx(path, {});
    if (auto* failure = std::get_if<graph::ImportFailure>(&imported)) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), failure->error.message.c_str());
        return false;
    }
    const graph::Graph& model = std::get<graph::Imported>(imported).graph;
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos || path.substr(slash) != "/model.onnx"
                                 ? path.substr(slash + 1)
                                 : path.substr(path.rfind('/', slash - 1) + 1, slash - path.rfind('/', slash - 1) - 1);
    measure_groups(name, model);
    models.push_back({name, flat_graph(model)});
    return true;
}

struct Measured {
    FlatDrawing layout;
    double crossed = 0, length = 0, seconds = 1e9;
};

double mean_height(const FlatGraph& graph) {
    double sum = 0;
    for (const FlatNode& node : graph.nodes)
        sum += node.size.height;
    return sum / static_cast<double>(graph.nodes.size());
}

Measured measured(const FlatGraph& graph, const FlatOptions& options) {
    Measured result;
    double spent = 0;
    for (int i = 0; i < 5 && (i == 0 || spent < 2); ++i) {
        const double start = processor_seconds();
        result.layout = lay_out(graph, options);
        const double seconds = processor_seconds() - start;
        result.seconds = std::min(result.seconds, seconds);
        spent += seconds;
    }
    const Drawing drawing = drawing_of(graph, result.layout);
    result.crossed = static_cast<double>(crossings(drawing));
    result.length = total_length(drawing) / mean_height(graph);
    return result;
}

void measure(const DrawnModel& model, int seconds) {
    const Measured shown = measured(model.graph, {});
    std::fprintf(stderr, "%s: %zu nodes, %zu edges; %.0f x %.0f\n", model.name.c_str(), model.graph.nodes.size(),
                 model.graph.edges.size(), shown.layout.size.width, shown.layout.size.height);
    if (model.graph.nodes.size() < kComparable) {
        FlatOptions alike;
        alike.ports = Ports::Nearest;
        alike.has_trunks = false;
        const Measured ours = measured(model.graph, alike);
        double crossed = 0, length = 0, time = 0;
        if (seconds > 0) {
            const Drawing theirs = drawn_by_dot(model.graph, alike, seconds);
            time = theirs.seconds;
            if (theirs.is_stopped) {
                std::fprintf(stderr, "    dot: stopped after %d s\n", seconds);
            } else {
                crossed = static_cast<double>(crossings(theirs));
                length = total_length(theirs) / mean_height(model.graph);
                std::fprintf(stderr, "    dot: %.0f crossings, length %.0f, %.1f ms\n", crossed, length, time * 1e3);
                crossed = std::max(crossed, 0.4); // no crossing is a goal too
            }
        }
        figure(model.name + " crossings", ours.crossed, "", 1.2 * crossed);
        figure(model.name + " edge length", ours.length, "heights", 1.2 * length);
        figure(model.name + " time", ours.seconds * 1e3, "ms", time * 100);
    }
    figure(model.name + " as shown, crossings", shown.crossed, "");
    figure(model.name + " as shown, edge length", shown.length, "heights");
    figure(model.name + " as shown, time", shown.seconds * 1e3, "ms", 1000);
}

} // namespace

int main(int argc, char** argv) {
    int seconds = 60;
    std::string only;
    std::vector<DrawnModel> models;
    bool is_ok = true;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--seconds") && i + 1 < argc)
            seconds = std::atoi(argv[++i]);
        else if (!std::strcmp(argv[i], "--only") && i + 1 < argc)
            only = argv[++i];
        else if (std::strlen(argv[i]) > 5 && !std::strcmp(argv[i] + std::strlen(argv[i]) - 5, ".onnx"))
            is_ok = read_model(argv[i], models) && is_ok;
    }
    models.push_back(u_net("synthetic U-Net", 4));
    models.push_back(inception("synthetic Inception", 11));
    models.push_back(dense_net("synthetic DenseNet", 3, 8));
    models.push_back(transformer("transformer with mask, 12 blocks", 12, true));
    models.push_back(transformer("transformer, 1000 nodes", 16, false));
    models.push_back(transformer("transformer, 5000 nodes", 77, false));
    models.push_back(transformer("transformer with mask, 5000 nodes", 77, true));
    models.push_back(transformer("transformer with mask, 20000 nodes", 308, true));
    if (seconds > 0 && !has_dot()) {
        std::fprintf(stderr, "no `dot` here (Debian: graphviz): nothing to compare with\n");
        seconds = 0;
    }
    for (const DrawnModel& model : models)
        if (model.name.find(only) != std::string::npos)
            measure(model, seconds);
    return is_ok ? 0 : 1;
}
