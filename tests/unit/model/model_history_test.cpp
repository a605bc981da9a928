// SPDX-License-Identifier: Apache-2.0
// Runs of models that are kept: what comes back is what went in, and what was changed or lost is told.
#include "app/session/model/compare/compare_runs.h"

#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace hidet;
using namespace hidet::session;
namespace fs = std::filesystem;

namespace {

class RunsFolder {
public:
    RunsFolder() : m_path(fs::temp_directory_path() / ("hidet-model-history-" + std::to_string(::getpid()))) {
        fs::remove_all(m_path);
        fs::create_directories(m_path);
    }
    ~RunsFolder() { fs::remove_all(m_path); }
    std::string file(const char* name) const { return (m_path / name).string(); }

private:
    fs::path m_path;
};

ModelRequest kept_request(const std::string& model) {
    ModelRequest request;
    request.path = std::string(HIDET_SOURCE_FOLDER) + "/tests/models/" + model;
    request.target = Target::Cpu;
    request.tools = open_tools({nullptr, false});
    return request;
}

SnapshotPtr kept_model(const ModelRequest& request) {
    ModelViewRequest view;
    static_cast<ModelRequest&>(view) = request;
    SnapshotPtr out = view_model(view);
    REQUIRE(out->last() != nullptr);
    return out;
}

// Each kernel a microsecond more than the one before; the one at `slower` takes ten more.
ModelBenchResult kept_times(const ModelSnapshot& snapshot, std::size_t slower) {
    ModelBenchResult out;
    out.where = "CPU, 2 threads";
    out.facts.target = "cpu";
    const std::vector<GraphKernel>& kernels = snapshot.last()->kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        ModelStepRow& step = out.steps.emplace_back();
        step.step = i;
        step.group = kernels[i].key;
        step.kernel = "kernel";
        step.nodes = {"a \"name\" \xff"};
        step.seconds = 1e-6 * static_cast<double>(i + 1) + (i == slower ? 1e-5 : 0);
        step.spread = 0.01;
        out.times.median += step.seconds;
    }
    out.times.count = 7;
    return out;
}

} // namespace

TEST_CASE("a run comes back with its times and its graph") {
    const RunsFolder folder;
    const ModelRequest request = kept_request("residual/residual.onnx");
    const SnapshotPtr snapshot = kept_model(request);
    const std::string document = document_of(*snapshot->graphs.front());
    {
        ModelHistory history(folder.file("models.jsonl"));
        ModelRecord first = record_of(request, kept_times(*snapshot, 1), "2026-01-01T10:00:00Z");
        ModelRecord second = first;
        REQUIRE(history.append(first, document).ok());
        REQUIRE(history.append(second, document).ok());
        CHECK(first.graph == second.graph); // kept once
        CHECK(second.number == 1);
        REQUIRE(history.rename(first.when, 0, "before").ok());
    }
    ModelHistory history(folder.file("models.jsonl"));
    REQUIRE(history.load_existing().ok());
    REQUIRE(history.runs().size() == 2);
    CHECK(history.note().empty());
    const ModelRecord& run = history.runs()[0];
    CHECK(run.name == "before");
    CHECK(title_of(run) == "residual.onnx, before");
    const ModelBenchResult expected = kept_times(*snapshot, 1);
    REQUIRE(run.steps.size() == expected.steps.size());
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        CHECK(run.steps[i].group == expected.steps[i].group);
        CHECK(run.steps[i].seconds == expected.steps[i].seconds);
    }
    const Result<std::string> file = history.graph_file(run);
    REQUIRE(file.ok());
    CHECK(std::distance(fs::directory_iterator(fs::path(file.value()).parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("the kernel that became slower stands first") {
    const RunsFolder folder;
    const ModelRequest request = kept_request("residual/residual.onnx");
    const SnapshotPtr snapshot = kept_model(request);
    ModelHistory history(folder.file("models.jsonl"));
    ModelRecord before = record_of(request, kept_times(*snapshot, 1000), "2026-01-01T10:00:00Z");
    REQUIRE(history.append(before, document_of(*snapshot->graphs.front())).ok());
    const Result<ComparedSide> left = side_of(history, history.runs()[0], request);
    REQUIRE(left.ok());
    const auto now = std::make_shared<const ModelBenchResult>(kept_times(*snapshot, 2));
    const RunComparison comparison = compare_runs(left.value(), {request, "now", now});
    REQUIRE(comparison.status == Status::Ok);
    CHECK(comparison.is_measured);
    CHECK(comparison.operators == "no differences");
    REQUIRE(comparison.slower.size() == 1);
    CHECK(comparison.faster.empty());
    CHECK(!comparison.slower[0].is_within_spread);
    CHECK(std::abs(*comparison.slower[0].right_seconds - *comparison.slower[0].left_seconds - 1e-5) < 1e-12);
    CHECK(comparison.unchanged + 1 == snapshot->last()->kernels.size());
}

TEST_CASE("damage is told, and the rest is read") {
    const RunsFolder folder;
    const ModelRequest request = kept_request("mlp/mlp.onnx");
    const SnapshotPtr snapshot = kept_model(request);
    const std::string path = folder.file("models.jsonl");
    ModelHistory history(path);
    ModelRecord run = record_of(request, kept_times(*snapshot, 0), "2026-01-01T10:00:00Z");
    REQUIRE(history.append(run, document_of(*snapshot->graphs.front())).ok());
    std::ofstream(path, std::ios::app) << "{\"run\": {\"when\": 3}}\nnothing\n{\"run\"";
    REQUIRE(history.load().ok());
    CHECK(history.runs().size() == 1);
    CHECK(history.note() == "3 lines of '" + path + "' could not be read");
    const std::string graph = history.graph_file(history.runs()[0]).value();
    std::ofstream(graph, std::ios::app) << " ";
    CHECK(!history.graph_file(history.runs()[0]).ok());
    fs::remove(graph);
    CHECK(!history.graph_file(history.runs()[0]).ok());
    ModelRecord elsewhere = history.runs()[0];
    elsewhere.graph = "../../etc/passwd";
    CHECK(!history.graph_file(elsewhere).ok());
    CHECK(!history.rename("2026-01-01T10:00:00Z", 9, "none").value());
    CHECK(!ModelHistory(folder.file("none.jsonl")).load_existing().ok());
}

TEST_CASE("a file that grew too large loses its older runs, but none that has a name") {
    const RunsFolder folder;
    const ModelRequest request = kept_request("mlp/mlp.onnx");
    const SnapshotPtr snapshot = kept_model(request);
    const std::string document = document_of(*snapshot->graphs.front());
    ModelHistory history(folder.file("models.jsonl"), {8000});
    for (int i = 0; i < 40; ++i) {
        ModelRecord run =
            record_of(request, kept_times(*snapshot, 0), "2026-01-01T10:00:" + std::to_string(10 + i) + "Z");
        if (i == 0)
            run.name = "first";
        REQUIRE(history.append(run, document).ok());
    }
    REQUIRE(history.load().ok());
    CHECK(history.runs().size() < 40);
    CHECK(history.runs().front().name == "first");
    CHECK(history.runs().back().when == "2026-01-01T10:00:49Z");
    CHECK(history.graph_file(history.runs().front()).ok());
}
