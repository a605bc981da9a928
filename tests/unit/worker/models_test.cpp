// SPDX-License-Identifier: Apache-2.0
// Whole models as jobs: in this process and in 'hidetc worker', on the CPU.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>

#include "app/session/tools.h"
#include "app/session/worker/local_service.h"
#include "app/session/worker/worker_service.h"
#include "tests/harness/unit.h"
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

using Make = std::function<std::unique_ptr<Service>()>;

void add_same(Suite& suite, const std::string& where, const Make& make) {
    suite.run(cat(where, " a model is compiled, and how far that is gets told"), [&] {
        auto service = make();
        Talk talk(*service, {asked<ModelRequest>("residual/residual.onnx"), "residual.onnx", 0});
        const Answer answer = talk.answer();
        const auto* result = result_in<ModelCompileResult>(answer);
        EXPECT(result && result->status == Status::Fine);
        EXPECT(result->facts.programs > 0 && result->facts.arena_bytes);
        EXPECT(!result->kernels.empty());
        EXPECT(talk.progress() > 1);
        EXPECT(!talk.heard_late());
    });
    suite.run(cat(where, " each operator of a model is compared, with its node and its tolerance"), [&] {
        auto service = make();
        auto request = asked<ModelRunRequest>("residual/residual.onnx");
        request.compare = true;
        const Answer answer = Talk(*service, {request, "", 0}).answer();
        const auto* result = result_in<ModelRunResult>(answer);
        EXPECT(result && result->status == Status::Fine);
        EXPECT(!result->outputs.empty() && !result->nodes.empty());
        std::size_t step = 0;
        for (const ModelNodeError& node : result->nodes) {
            EXPECT(node.node_id != UINT32_MAX && node.tolerance > 0 && !node.is_bad);
            EXPECT(node.step >= step && node.step < result->facts.steps);
            step = node.step;
        }
    });
    suite.run(cat(where, " a model is measured, and its steps follow each other"), [&] {
        auto service = make();
        const Answer answer = Talk(*service, bench_of("residual/residual.onnx")).answer();
        const auto* result = result_in<ModelBenchResult>(answer);
        EXPECT(result && result->status == Status::Fine);
        EXPECT(result->times.count > 0 && result->steps.size() == result->facts.steps);
        double end = 0;
        for (const ModelStepRow& row : result->steps) {
            EXPECT(row.start_seconds >= end && row.run_seconds > 0);
            EXPECT(row.is_host == (row.launches == 0));
            end = row.start_seconds + row.run_seconds;
        }
    });
    suite.run(cat(where, " choices come as a text"), [&] {
        auto service = make();
        auto request = asked<ModelRequest>("residual/residual.onnx");
        request.choices_text = "{\"off\": [";
        const Answer answer = Talk(*service, {request, "", 0}).answer();
        const auto* result = result_in<ModelCompileResult>(answer);
        EXPECT(result && result->status == Status::UserMistake && !result->diagnostics.empty());
        EXPECT_EQUAL(result->diagnostics[0].place.file, "choices");
    });
    suite.run(cat(where, " a file that is not there is an answer"), [&] {
        auto service = make();
        const Answer answer = Talk(*service, bench_of("nowhere.onnx")).answer();
        const auto* result = result_in<ModelBenchResult>(answer);
        EXPECT(result && result->status == Status::WrongUsage && !result->diagnostics.empty());
    });
    suite.run(cat(where, " a model that is being compiled is cancelled soon, and the next job runs"), [&] {
        EmptyCache empty;
        auto service = make();
        Talk talk(*service, {asked<ModelRequest>("large/resnet50.json"), "resnet50", 0});
        talk.await("compiling, 0 of ");
        const auto start = std::chrono::steady_clock::now();
        talk.cancel();
        EXPECT_EQUAL(story(talk.answer()), "cancelled");
        EXPECT(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500));
        EXPECT_EQUAL(story(Talk(*service, {asked<ModelRequest>("mlp/mlp.onnx"), "", 0}).answer()), "answered");
        EXPECT(service->state().workers <= 1);
    });
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    add_same(suite, "in this process", [] {
        return std::unique_ptr<Service>(new LocalService({open_tools({nullptr, false}), {}}));
    });
    add_same(suite, "in a worker", [] {
        WorkerOptions options;
        options.command = {HIDETC, "worker", "--no-gpu"};
        return std::unique_ptr<Service>(new WorkerService(std::move(options)));
    });
    return suite.result();
}
