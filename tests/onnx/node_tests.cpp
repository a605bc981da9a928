// SPDX-License-Identifier: Apache-2.0
// The node tests of ONNX: a model of one operator each, with inputs and the results that are right.
//
//   node_tests FOLDER [FILTER]      FOLDER holds test_*/model.onnx and test_*/test_data_set_*/{input,output}_*.pb
//
// Prints one line a test, in order of their names: passed, wrong (another result), refused (with the reason), failed (while it
// ran). Floats are compared as ONNX's own runner does: |a - b| <= 1e-7 + 1e-3 |b|; everything else exactly.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/fold/fold.h"
#include "compiler/graph/onnx/import.h"
#include "compiler/graph/onnx/model.h"
#include "compiler/ir/ops.h"

namespace {

namespace fs = std::filesystem;
using namespace hidet;
using namespace hidet::graph;

struct Outcome {
    std::string verdict; // "passed", "wrong", "refused", "failed"
    std::string why;
};

std::string why_of(const ImportFailure& failure) {
    std::string text;
    for (const ImportProblem& each : failure.problems)
        text += (text.empty() ? "" : "; ") + each.message;
    return text.empty() ? failure.error.message : text;
}

std::vector<std::string> sorted_entries(const fs::path& folder, const std::string& prefix) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with(prefix))
            names.push_back(entry.path().string());
    std::ranges::sort(names, [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return names;
}

bool is_close(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b))
        return a == b;
    return std::fabs(a - b) <= 1e-7 + 1e-3 * std::fabs(b);
}

// Empty: equal.
std::string difference(const lang::Tensor& is, const lang::Tensor& expected) {
    if (is.dtype != expected.dtype)
        return std::string("is of ") + ir::info(is.dtype).name + ", not " + ir::info(expected.dtype).name;
    if (is.shape != expected.shape)
        return "is of shape " + text_of(shape_of(is.shape)) + ", not " + text_of(shape_of(expected.shape));
    if (!ir::is_float(is.dtype)) {
        const auto a = integers_of(is);
        const auto b = integers_of(expected);
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i])
                return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", not " + std::to_string(b[i]);
        return "";
    }
    const auto a = numbers_of(is);
    const auto b = numbers_of(expected);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!is_close(a[i], b[i])) {
            char text[128];
            std::snprintf(text, sizeof text, "element %zu is %.7g, not %.7g", i, a[i], b[i]);
            return text;
        }
    return "";
}

// The files of the tests hold bfloat16 as uint16.
lang::TensorRef as_declared(const lang::TensorRef& tensor, ir::DType dtype) {
    if (dtype != ir::DType::BF16 || tensor->dtype != ir::DType::U16)
        return tensor;
    lang::TensorRef same(new lang::Tensor(*tensor));
    same->dtype = dtype;
    return same;
}

// A data set may leave out inputs, but only at the end.
Outcome run_set(const Graph& graph, const fs::path& folder) {
    Tensors inputs;
    for (const std::string& path : sorted_entries(folder, "input_")) {
        Result<lang::TensorRef> tensor = read_tensor_proto(path);
        if (!tensor)
            return {"refused", tensor.error().message};
        if (inputs.size() == graph.inputs.size())
            return {"refused", "the test has other inputs than the model"};
        inputs.push_back(as_declared(tensor.value(), graph.value(graph.inputs[inputs.size()]).spec.dtype));
    }
    if (inputs.size() != graph.inputs.size())
        return {"refused", "the test has other inputs than the model"};
    const Tensors results = evaluate_graph(graph, inputs);
    const std::vector<std::string> outputs = sorted_entries(folder, "output_");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Result<lang::TensorRef> expected = read_tensor_proto(outputs[i]);
        if (!expected)
            return {"refused", expected.error().message};
        const std::string found = difference(*results.at(i), *as_declared(expected.value(), results.at(i)->dtype));
        if (!found.empty())
            return {"wrong", "output " + std::to_string(i) + ": " + found};
    }
    return {"passed", ""};
}

Outcome run_test(const fs::path& folder) {
    try {
        auto imported = import_onnx((folder / "model.onnx").string(), {});
        if (const auto* failure = std::get_if<ImportFailure>(&imported))
            return {"refused", why_of(*failure)};
        for (const std::string& set : sorted_entries(folder, "test_data_set_")) {
            const Outcome outcome = run_set(std::get<Imported>(imported).graph, set);
            if (outcome.verdict != "passed")
                return outcome;
        }
        return {"passed", ""};
    } catch (const std::exception& error) {
        return {"failed", error.what()};
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2)
        return 2;
    const std::string filter = argc > 2 ? argv[2] : "";
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(argv[1]))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    std::map<std::string, int> counts;
    for (const std::string& name : names) {
        if (name.find(filter) == std::string::npos)
            continue;
        const Outcome outcome = run_test(fs::path(argv[1]) / name);
        ++counts[outcome.verdict];
        std::printf("%-8s %s%s%s\n", outcome.verdict.c_str(), name.c_str(), outcome.why.empty() ? "" : ": ",
                    outcome.why.c_str());
        std::fflush(stdout);
    }
    for (const auto& [verdict, count] : counts)
        std::printf("%s %d\n", verdict.c_str(), count);
    return 0;
}
