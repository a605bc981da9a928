// SPDX-License-Identifier: Apache-2.0
// The layout of whole models against Graphviz' `dot`: crossings, edge length, time, on the same flat graphs with every edge
// drawn. Built-in models, and the ONNX files that are named.
//
//     bench_layout [--seconds N] [--only WORD] [--nearest] [--single] [FILE.onnx ...]
//
// `dot` knows no ports: with --nearest ours does without as well. --single: edges of one value share nothing.
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "compiler/graph/onnx/import.h"
#include "compiler/graph/view/model_view.h"
#include "tests/bench/bench.h"
#include "tests/bench/layout_dot.h"
#include "tests/bench/layout_models.h"

using namespace hidet;
using namespace hidet::bench;
using namespace hidet::graph::layout;

namespace {

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

FlatGraph flat_graph(const graph::Graph& model) {
    graph::ModelViewOptions options;
    options.has_scopes = options.has_repeats = false;
    options.most_children = 0;
    const graph::ModelView view = graph::view_of(model, nullptr, options);
    FlatGraph flat;
    for (const ViewNode& node : view.drawn.nodes) {
        flat.nodes.emplace_back().size = node.size;
        flat.nodes.back().inputs = node.inputs;
        flat.nodes.back().outputs = node.outputs;
    }
    flat.edges = view.drawn.edges;
    return flat;
}

bool read_model(const std::string& path, std::vector<DrawnModel>& models) {
    auto imported = graph::import_onnx(path, {});
    if (auto* failure = std::get_if<graph::ImportFailure>(&imported)) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), failure->error.message.c_str());
        return false;
    }
    models.push_back({path, flat_graph(std::get<graph::Imported>(imported).graph)});
    return true;
}

void measure(const DrawnModel& model, const FlatOptions& options, bool with_dot, int seconds) {
    FlatLayout layout;
    double best = 1e9, spent = 0;
    for (int i = 0; i < 5 && (i == 0 || spent < 3); ++i) {
        const double start = processor_seconds();
        layout = lay_out(model.graph, options);
        best = std::min(best, processor_seconds() - start);
        spent += processor_seconds() - start;
    }
    double height = 0;
    for (const FlatNode& node : model.graph.nodes)
        height += node.size.height / static_cast<double>(model.graph.nodes.size());
    const Drawing ours = drawing_of(model.graph, layout);
    const double crossed = static_cast<double>(crossings(ours)), length = total_length(ours) / height;
    std::fprintf(stderr, "%s: %zu nodes, %zu edges, %zu layers, %.0f x %.0f\n", model.name.c_str(),
                 model.graph.nodes.size(), model.graph.edges.size(), ours.levels.size(), layout.size.width,
                 layout.size.height);
    Drawing theirs;
    theirs.is_stopped = true;
    if (with_dot)
        theirs = drawn_by_dot(model.graph, options, seconds);
    double least_crossed = 0, least_length = 0;
    if (!theirs.is_stopped) {
        least_crossed = static_cast<double>(crossings(theirs));
        least_length = total_length(theirs) / height;
        std::fprintf(stderr, "    dot: %.0f crossings, length %.0f, %.1f ms\n", least_crossed, least_length,
                     theirs.seconds * 1e3);
    } else if (with_dot) {
        std::fprintf(stderr, "    dot: stopped after %d s\n", seconds);
    }
    figure(model.name + " crossings", crossed, "", theirs.is_stopped ? 0 : std::max(1.2 * least_crossed, 0.5));
    figure(model.name + " edge length", length, "heights", 1.2 * least_length);
    figure(model.name + " time", best * 1e3, "ms", with_dot ? theirs.seconds * 100 : 0);
}

} // namespace

int main(int argc, char** argv) {
    int seconds = 60;
    std::string only;
    FlatOptions options;
    std::vector<DrawnModel> models;
    bool is_fine = true;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--seconds") && i + 1 < argc)
            seconds = std::atoi(argv[++i]);
        else if (!std::strcmp(argv[i], "--only") && i + 1 < argc)
            only = argv[++i];
        else if (!std::strcmp(argv[i], "--nearest"))
            options.ports = Ports::Nearest;
        else if (!std::strcmp(argv[i], "--single"))
            options.has_trunks = false;
        else if (std::strlen(argv[i]) > 5 && !std::strcmp(argv[i] + std::strlen(argv[i]) - 5, ".onnx"))
            is_fine = read_model(argv[i], models) && is_fine;
    }
    models.push_back(u_net("synthetic U-Net", 4));
    models.push_back(inception("synthetic Inception", 11));
    models.push_back(dense_net("synthetic DenseNet", 3, 8));
    models.push_back(transformer("transformer with mask, 12 blocks", 12, true));
    models.push_back(transformer("transformer, 1000 nodes", 16, false));
    models.push_back(transformer("transformer, 5000 nodes", 77, false));
    models.push_back(transformer("transformer with mask, 5000 nodes", 77, true));
    models.push_back(transformer("transformer with mask, 20000 nodes", 308, true));
    const bool with_dot = seconds > 0 && has_dot();
    if (!with_dot)
        std::fprintf(stderr, "no `dot` here (Debian: graphviz): nothing to compare with\n");
    for (const DrawnModel& model : models)
        if (model.name.find(only) != std::string::npos)
            measure(model, options, with_dot, seconds);
    return is_fine ? 0 : 1;
}
