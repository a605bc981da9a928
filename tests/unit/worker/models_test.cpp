// SPDX-License-Identifier: Apache-2.0
// Whole models as jobs: in this process and in 'hidetc worker', on the CPU.
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>

#include "app/session/tools/tools.h"
#include "app/session/worker/local_service.h"
#include "app/session/worker/worker_service.h"
#include "tests/unit/toolchain/scratch.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

const std::string models = HIDET_SOURCE_FOLDER "/tests/models/";

template <class Request>
Request asked(const std::string& model) {
    Request request;
    request.path = models + model;
    request.target = Target::Cpu;
    return request;
}
Job bench_of(const std::string& model) {
    return {ModelBenchRequest{asked<ModelRunRequest>(model)}, model, 0};
}

// A cache of the test's own, in which nothing is.
class EmptyCache {
public:
    EmptyCache() { setenv("HIDET_CACHE_DIR", m_scratch.path("cache").c_str(), 1); }
    ~EmptyCache() { unsetenv("HIDET_CACHE_DIR"); }
    EmptyCache(const EmptyCache&) = delete;
    EmptyCache& operator=(const EmptyCache&) = delete;

private:
    Scratch m_scratch;
};

struct ModelsHere {
    static std::unique_ptr<Service> make() {
        return std::make_unique<LocalService>(LocalOptions{open_tools({nullptr, false}), {}});
    }
};

struct ModelsInAWorker {
    static std::unique_ptr<Service> make() {
        WorkerOptions options;
        options.command = {HIDETC, "worker", "--no-gpu"};
        return std::make_unique<WorkerService>(std::move(options));
    }
};

TEST_CASE_TEMPLATE("a model is compiled, and how far that is gets told", Where, ModelsHere, ModelsInAWorker) {
    auto service = Where::make();
    Talk talk(*service, {asked<ModelRequest>("residual/residual.onnx"), "residual.onnx", 0});
    const Answer answer = talk.answer();
    const auto* result = result_in<ModelCompileResult>(answer);
    REQUIRE((result && result->status == Status::Ok));
    REQUIRE((result->facts.programs > 0 && result->facts.arena_bytes));
    REQUIRE(!result->kernels.empty());
    REQUIRE(talk.progress() > 1);
    REQUIRE(!talk.heard_late());
}

TEST_CASE_TEMPLATE("each operator of a model is compared, with its node and its tolerance", Where, ModelsHere,
                   ModelsInAWorker) {
    auto service = Where::make();
    auto request = asked<ModelRunRequest>("residual/residual.onnx");
    request.compare = true;
    const Answer answer = Talk(*service, {request, "", 0}).answer();
    const auto* result = result_in<ModelRunResult>(answer);
    REQUIRE((result && result->status == Status::Ok));
    REQUIRE((!result->outputs.empty() && !result->nodes.empty()));
    std::size_t step = 0;
    for (const ModelNodeError& node : result->nodes) {
        REQUIRE((node.node_id != UINT32_MAX && node.tolerance > 0 && !node.is_bad));
        REQUIRE((node.step >= step && node.step < result->facts.steps));
        step = node.step;
    }
}

TEST_CASE_TEMPLATE("a model is measured, and its steps follow each other", Where, ModelsHere, ModelsInAWorker) {
    auto service = Where::make();
    const Answer answer = Talk(*service, bench_of("residual/residual.onnx")).answer();
    const auto* result = result_in<ModelBenchResult>(answer);
    REQUIRE((result && result->status == Status::Ok));
    REQUIRE((result->times.count > 0 && result->steps.size() == result->facts.steps));
    double end = 0;
    for (const ModelStepRow& row : result->steps) {
        REQUIRE((row.start_seconds >= end && row.run_seconds > 0));
        REQUIRE(row.is_host == (row.launches == 0));
        end = row.start_seconds + row.run_seconds;
    }
}

TEST_CASE_TEMPLATE("choices come as a text", Where, ModelsHere, ModelsInAWorker) {
    auto service = Where::make();
    auto request = asked<ModelRequest>("residual/residual.onnx");
    request.choices_text = "{\"off\": [";
    const Answer answer = Talk(*service, {request, "", 0}).answer();
    const auto* result = result_in<ModelCompileResult>(answer);
    REQUIRE((result && result->status == Status::UserMistake && !result->diagnostics.empty()));
    REQUIRE(result->diagnostics[0].place.file == "choices");
}

TEST_CASE_TEMPLATE("a file that is not there is an answer", Where, ModelsHere, ModelsInAWorker) {
    auto service = Where::make();
    const Answer answer = Talk(*service, bench_of("nowhere.onnx")).answer();
    const auto* result = result_in<ModelBenchResult>(answer);
    REQUIRE((result && result->status == Status::WrongUsage && !result->diagnostics.empty()));
}

TEST_CASE_TEMPLATE("a model that is being compiled is cancelled soon, and the next job runs", Where, ModelsHere,
                   ModelsInAWorker) {
    EmptyCache empty;
    auto service = Where::make();
    Talk talk(*service, {asked<ModelRequest>("large/resnet50.json"), "resnet50", 0});
    talk.await("compiling, 0 of ");
    const auto start = std::chrono::steady_clock::now();
    talk.cancel();
    REQUIRE(story(talk.answer()) == "cancelled");
    REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500));
    REQUIRE(story(Talk(*service, {asked<ModelRequest>("mlp/mlp.onnx"), "", 0}).answer()) == "answered");
    REQUIRE(service->state().workers <= 1);
}

} // namespace
