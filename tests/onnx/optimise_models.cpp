// SPDX-License-Identifier: Apache-2.0
// Whether models compute the same before and after all graph passes.
//
//   optimise_models FOLDER [FILTER]
//
// FOLDER is as for node_tests. Every model is imported and evaluated on its first data set as it is, after the passes, and
// after the passes with every rule on that is off by default, and compared. One line for each difference.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/graph/document/document.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/onnx/import.h"

namespace {

std::string without_hashes(std::string document) {
    const std::string_view before = R"("constant":{)", hash = R"("hash":")";
    for (std::size_t at = 0; (at = document.find(before, at)) != std::string::npos;) {
        at += before.size();
        if (document.compare(at, hash.size(), hash) != 0)
            continue;
        const std::size_t end = document.find('"', at + hash.size()) + 1;
        if (document[end] == '}') // it has no elements
            document.erase(at, end - at);
    }
    return document;
}

namespace fs = std::filesystem;
using namespace hidet;
using namespace hidet::graph;

Tensors inputs_of(const fs::path& folder, const Graph& graph) {
    Tensors inputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
        Result<lang::TensorRef> tensor = read_tensor_proto((folder / ("input_" + std::to_string(i) + ".pb")).string());
        if (!tensor)
            return {};
        if (tensor.value()->dtype != graph.value(graph.inputs[i]).spec.dtype)
            return {};
        inputs.push_back(tensor.value());
    }
    return inputs;
}

// The largest difference relative to the largest element, which is what rounding is relative to.
double difference(const lang::Tensor& a, const lang::Tensor& b) {
    if (a.dtype != b.dtype || a.shape != b.shape)
        return HUGE_VAL;
    if (!ir::is_float(a.dtype)) {
        if (ir::is_complex(a.dtype))
            return 0;
        return integers_of(a) == integers_of(b) ? 0 : HUGE_VAL;
    }
    const std::vector<double> x = numbers_of(a);
    const std::vector<double> y = numbers_of(b);
    double largest = 1e-3;
    for (double each : x)
        if (std::isfinite(each))
            largest = std::max(largest, std::abs(each));
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])))
            continue;
        const double gap = std::abs(x[i] - y[i]) / largest;
        most = std::isnan(gap) ? HUGE_VAL : std::max(most, gap);
    }
    return most;
}

GraphOptions all_on() {
    GraphOptions options;
    for (const RuleSummary& rule : all_rules())
        options.on.push_back(rule.name);
    options.on.push_back("conv-channel-last");
    options.parallel_k = "2";
    return options;
}

bool is_random(const Graph& graph) {
    for (NodeId node : graph.topological())
        if (graph.node(node).op->is_random)
            return true;
    return false;
}

bool can_evaluate(const Graph& graph, const Tensors& inputs) {
    try {
        evaluate_graph(graph, inputs);
    } catch (const OpError&) {
        return false;
    }
    return true;
}

// 1 when a difference was found.
int compare(const std::string& name, const Graph& imported, const Tensors& inputs, const GraphOptions& options,
            const char* how) {
    try {
        const Tensors wanted = evaluate_graph(imported, inputs);
        Graph graph = imported;
        GraphRecorder recorder(graph);
        const Optimised optimised = optimise(graph, options, {&recorder});
        const Tensors given = evaluate_graph(graph, inputs);
        double most = wanted.size() == given.size() ? 0 : HUGE_VAL;
        double tolerance = 2e-6;
        for (std::size_t i = 0; i < wanted.size() && i < given.size(); ++i) {
            most = std::max(most, difference(*wanted[i], *given[i]));
            if (ir::info(wanted[i]->dtype).bits < 32)
                tolerance = 5e-3;
        }
        if (most > tolerance) {
            std::printf("%s, %s: differs by %g\n", name.c_str(), how, most);
            return 1;
        }
        const std::string text = write_document({graph, &recorder, &optimised});
        const Result<Graph> read = read_document(text);
        if (!read) {
            std::printf("%s, %s: %s\n", name.c_str(), how, read.error().message.c_str());
            return 1;
        }
        // A document has no large constants, so what is read back knows no hashes of them.
        const std::string before = without_hashes(write_document({graph})), after = write_document({read.value()});
        if (before != after) {
            const auto [x, y] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
            const auto line = [](const std::string& of, std::string::const_iterator at) {
                const std::size_t place = static_cast<std::size_t>(at - of.begin());
                const std::size_t begin = of.rfind('\n', place) + 1;
                return of.substr(begin, std::min<std::size_t>(of.find('\n', place) - begin, 200));
            };
            std::printf("%s, %s: reads back as something else:\n  %s\n  %s\n", name.c_str(), how,
                        line(before, x).c_str(), line(after, y).c_str());
            return 1;
        }
    } catch (const std::exception& error) {
        std::printf("%s, %s: %s\n", name.c_str(), how, error.what());
        return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2)
        return 2;
    const std::string filter = argc > 2 ? argv[2] : "";
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(argv[1]))
        if (entry.path().filename().string().find(filter) != std::string::npos)
            folders.push_back(entry.path());
    std::ranges::sort(folders);
    int compared = 0;
    int wrong = 0;
    for (const fs::path& folder : folders) {
        auto imported = import_onnx((folder / "model.onnx").string(), {});
        const auto* model = std::get_if<Imported>(&imported);
        if (!model || is_random(model->graph))
            continue;
        const Tensors inputs = inputs_of(folder / "test_data_set_0", model->graph);
        if (inputs.size() != model->graph.inputs.size() || !can_evaluate(model->graph, inputs))
            continue;
        ++compared;
        const std::string name = folder.filename().string();
        wrong += compare(name, model->graph, inputs, {}, "optimised");
        wrong += compare(name, model->graph, inputs, all_on(), "with all rules");
    }
    std::printf("%d models, %d differences\n", compared, wrong);
    return wrong == 0 && compared > 0 ? 0 : 1;
}
