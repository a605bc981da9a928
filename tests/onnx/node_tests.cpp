// SPDX-License-Identifier: Apache-2.0
// The node tests of ONNX: a model of one operator each, with inputs and the results that are right.
//
//   node_tests FOLDER [--target TARGET] [--all-pass] [FILTER]
//
// FOLDER holds test_*/model.onnx and test_*/test_data_set_*/{input,output}_*.pb. TARGET: reference (the native evaluation,
// the default), vm (programs for the CPU in the virtual machine), cpu (compiled C++), emulate (programs for the GPU, emulated),
// cuda. Prints one line a test, in order of their names: passed, checked (recorded.def says why the recorded result is not
// the standard's, and what is checked instead), wrong (another result), refused (with the reason), failed (while it ran).
// With --all-pass it prints only those that do not pass, and ends with 1 if there are any. Floats are compared as ONNX's own
// runner does: |a - b| <= 1e-7 + 1e-3 |b|, of bfloat16 2^-6 |b|; everything else exactly.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/session/plan/graph_runner.h"
#include "app/session/script/engine.h"
#include "app/session/session.h"
#include "app/session/work/work.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/onnx/import.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/ir/ops.h"

namespace {

namespace fs = std::filesystem;
using namespace hidet;
using namespace hidet::graph;

struct Backend {
    const char* name;
    const artifact::TargetSpec& (*target)();
    session::Target device;
};
const Backend backends[] = {
    {"vm", artifact::default_cpu, session::Target::Emulate},
    {"cpu", artifact::default_cpu, session::Target::Cpu},
    {"emulate", artifact::default_gpu, session::Target::Emulate},
    {"cuda", artifact::default_gpu, session::Target::Cuda},
};

// An imported model that can be run; on the reference when there is no backend.
class Program {
public:
    Program(Graph graph, const Backend* backend) {
        if (!backend) {
            m_graph = std::move(graph);
            return;
        }
        auto compiled = std::make_shared<CompiledGraph>();
        compiled->graph = std::move(graph);
        GraphOptions options;
        options.target = backend->target();
        compiled->partition = optimise(compiled->graph, options).partition;
        PlanOptions planning;
        planning.target = options.target;
        compiled->plan = make_plan(compiled->graph, compiled->partition, planning);
        m_request.target = backend->device;
        m_request.tools = session::open_tools();
        m_engine = std::make_unique<session::ScriptEngine>(m_work, m_request);
        m_runner = std::make_unique<session::GraphRunner>(compiled, *m_engine);
        if (!m_runner->build(m_work.sink))
            throw OpError(said());
    }
    const Graph& graph() const { return m_runner ? m_runner->compiled().graph : m_graph; }
    Tensors run(const Tensors& inputs) {
        if (!m_runner)
            return evaluate_graph(m_graph, inputs);
        std::optional<Tensors> results = m_runner->run(inputs, m_work.sink);
        if (!results || !m_work.sink.all().empty())
            throw OpError(said());
        return *results;
    }

private:
    std::string said() const { return m_work.sink.all().empty() ? "it says nothing" : m_work.sink.all()[0].message; }

    Graph m_graph;
    session::Work m_work;
    session::RunRequest m_request;
    std::unique_ptr<session::ScriptEngine> m_engine;
    std::unique_ptr<session::GraphRunner> m_runner;
};

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

enum class RecordKind : std::uint8_t { Random, Truncated, Wrapped, Diluted, Noisy };
struct Record {
    std::string_view tests;
    RecordKind kind;
    const char* reason;
};
const Record records[] = {
#define HIDET_RECORD(tests, kind, reason) {tests, RecordKind::kind, reason},
#include "tests/onnx/recorded.def"
#undef HIDET_RECORD
};

const Record* record_of(std::string_view test) {
    const auto* found = std::ranges::find_if(records, [&](const Record& each) { return test.starts_with(each.tests); });
    return found == std::end(records) ? nullptr : found;
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

bool is_close(double a, double b, double relative = 1e-3) {
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b))
        return a == b;
    return std::fabs(a - b) <= 1e-7 + relative * std::fabs(b);
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
    const double relative = expected.dtype == ir::DType::BF16 ? 0x1p-6 : 1e-3;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!is_close(a[i], b[i], relative)) {
            char text[128];
            std::snprintf(text, sizeof text, "element %zu is %.7g, not %.7g", i, a[i], b[i]);
            return text;
        }
    return "";
}

// Zeros and ones, of which there are as many as the probabilities make likely: within five standard deviations.
std::string unlikely(const lang::Tensor& is, const Tensors& inputs) {
    double ones = 0;
    for (double each : numbers_of(is)) {
        if (each != 0 && each != 1)
            return "an element is neither 0 nor 1";
        ones += each;
    }
    double expected = 0;
    double variance = 0;
    for (double each : numbers_of(*inputs.at(0))) {
        expected += each;
        variance += each * (1 - each);
    }
    return std::fabs(ones - expected) > 5 * std::sqrt(variance) ? std::to_string(ones) + " ones are unlikely" : "";
}

// What the record allows; empty: it is that.
std::string difference_by_record(const Record& record, const lang::Tensor& is, const lang::Tensor& expected,
                                 const Tensors& inputs) {
    if (is.dtype != expected.dtype || is.shape != expected.shape)
        return difference(is, expected);
    if (record.kind == RecordKind::Random)
        return unlikely(is, inputs);
    const auto a = numbers_of(is);
    const auto b = numbers_of(expected);
    double largest = 0;
    for (double each : b)
        largest = std::max(largest, std::fabs(each));
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool is_noise = is_close(a[i], b[i]) || std::fabs(a[i] - b[i]) <= 1e-6 * largest;
        const bool is_end = a[i] == -128 || a[i] == 127; // the results lie within one more turn of the range
        const bool is_wrapped = is_end && b[i] != a[i] && std::fabs(b[i]) <= 128;
        const bool is_step = std::fabs(a[i]) > std::fabs(b[i]) && std::fabs(a[i] - b[i]) <= std::fabs(b[i]) / 128;
        bool is_concentrated = false; // four of five taps lie in the padded input, in up to three dimensions
        for (const double by : {1.0, 5.0 / 4, 25.0 / 16, 125.0 / 64})
            is_concentrated = is_concentrated || is_close(a[i], b[i] * by);
        const bool is_allowed = record.kind == RecordKind::Diluted   ? is_concentrated
                                : record.kind == RecordKind::Wrapped ? is_wrapped
                                : record.kind == RecordKind::Noisy   ? is_noise
                                                                     : is_step;
        if (!is_allowed && a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i])))
            return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", not " + std::to_string(b[i]);
    }
    return "";
}

// A data set may leave out inputs, but only at the end.
Outcome run_set(Program& program, const fs::path& folder, const Record* record) {
    const Graph& graph = program.graph();
    Tensors inputs;
    for (const std::string& path : sorted_entries(folder, "input_")) {
        if (inputs.size() == graph.inputs.size())
            return {"refused", "the test has other inputs than the model"};
        Result<lang::TensorRef> tensor = read_tensor_proto(path, graph.value(graph.inputs[inputs.size()]).spec.dtype);
        if (!tensor)
            return {"refused", tensor.error().message};
        inputs.push_back(tensor.value());
    }
    if (inputs.size() != graph.inputs.size())
        return {"refused", "the test has other inputs than the model"};
    const Tensors results = program.run(inputs);
    const std::vector<std::string> outputs = sorted_entries(folder, "output_");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Result<lang::TensorRef> expected = read_tensor_proto(outputs[i], results.at(i)->dtype);
        if (!expected)
            return {"refused", expected.error().message};
        const lang::Tensor& wanted = *expected.value();
        const std::string found =
            record ? difference_by_record(*record, *results.at(i), wanted, inputs) : difference(*results.at(i), wanted);
        if (!found.empty())
            return {"wrong", "output " + std::to_string(i) + ": " + found};
    }
    return {"passed", ""};
}

Outcome run_test(const fs::path& folder, const Backend* backend) {
    try {
        auto imported = import_onnx((folder / "model.onnx").string(), {});
        if (const auto* failure = std::get_if<ImportFailure>(&imported))
            return {"refused", why_of(*failure)};
        Program program(std::move(std::get<Imported>(imported).graph), backend);
        const Record* record = record_of(folder.filename().string());
        for (const std::string& set : sorted_entries(folder, "test_data_set_")) {
            const Outcome outcome = run_set(program, set, record);
            if (outcome.verdict != "passed")
                return outcome;
        }
        return record ? Outcome{"checked", record->reason} : Outcome{"passed", ""};
    } catch (const std::exception& error) {
        // What depends on an input is refused when it is known.
        const std::string why = error.what();
        return {why.find("is not supported") != std::string::npos ? "refused" : "failed", why};
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty())
        return 2;
    const Backend* backend = nullptr;
    std::string filter;
    bool all_pass = false;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        if (arguments[i] == "--all-pass") {
            all_pass = true;
            continue;
        }
        if (arguments[i] != "--target") {
            filter = arguments[i];
            continue;
        }
        const std::string name = ++i < arguments.size() ? arguments[i] : "";
        const auto* found = std::ranges::find_if(backends, [&](const Backend& each) { return each.name == name; });
        if (found == std::end(backends) && name != "reference")
            return 2;
        backend = found == std::end(backends) ? nullptr : found;
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(arguments[0]))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    std::map<std::string, int> counts;
    for (const std::string& name : names) {
        if (name.find(filter) == std::string::npos)
            continue;
        const Outcome outcome = run_test(fs::path(arguments[0]) / name, backend);
        ++counts[outcome.verdict];
        if (all_pass && outcome.verdict == "passed")
            continue;
        std::printf("%-8s %s%s%s\n", outcome.verdict.c_str(), name.c_str(), outcome.why.empty() ? "" : ": ",
                    outcome.why.c_str());
        std::fflush(stdout);
    }
    for (const auto& [verdict, count] : counts)
        std::printf("%s %d\n", verdict.c_str(), count);
    return all_pass && (counts.size() != 1 || !counts.contains("passed")) ? 1 : 0;
}
