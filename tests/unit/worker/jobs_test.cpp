// SPDX-License-Identifier: Apache-2.0
// Real jobs: in this process and in 'hidetc worker', with the driver and the compiler of the tests.
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "app/session/worker/device_workers.h"
#include "app/session/worker/frames.h"
#include "app/session/worker/local_service.h"
#include "app/session/worker/messages.h"
#include "app/session/worker/worker_service.h"
#include "runtime/process/run.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

constexpr const char* kernel_script = R"(
import hidet
from hidet.lang import attrs, f32

with hidet.script_module() as m:
    @hidet.script
    def scale(x: f32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 4
        x[0] = 1.0
f = m.build()
x = hidet.zeros([4], device='cuda')
f(x)
print('done')
)";

Job script(const std::string& text, Target target = Target::Emulate) {
    RunRequest request;
    request.source = {"script.py", text, "/", false};
    request.target = target;
    request.max_steps = std::numeric_limits<std::uint64_t>::max() / 2;
    return {request, "script.py", 0};
}

WorkerOptions hidetc(std::vector<std::string> more = {}) {
    WorkerOptions options;
    options.command = {HIDETC, "worker"};
    options.command.insert(options.command.end(), more.begin(), more.end());
    return options;
}

// A variable of the environment, for the workers that are started while this lives.
class Variable {
public:
    Variable(const char* name, const std::string& value) : m_name(name) { setenv(name, value.c_str(), 1); }
    ~Variable() { unsetenv(m_name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* m_name;
};

std::string diagnostics(const Outcome& outcome) {
    std::string ids;
    for (const DiagnosticView& diagnostic : outcome.diagnostics)
        ids += diagnostic.id + ";";
    return ids;
}

struct InThisProcess {
    static std::unique_ptr<Service> make() { return std::make_unique<LocalService>(); }
};

struct InAWorker {
    static std::unique_ptr<Service> make() { return std::make_unique<WorkerService>(hidetc()); }
};

TEST_CASE_TEMPLATE("a script runs, and what it prints is heard", Where, InThisProcess, InAWorker) {
    auto service = Where::make();
    Talk talk(*service, script(cat(kernel_script, "print('twice')\n")));
    Answer answer = talk.answer();
    REQUIRE(story(answer) == "answered");
    const RunResult* result = result_in<RunResult>(answer);
    REQUIRE((result && result->status == Status::Ok));
    REQUIRE(result->summary.launches == 1);
    REQUIRE(talk.hear() == "done\ntwice\n");
    REQUIRE(!talk.heard_late());
}

TEST_CASE_TEMPLATE("a script that is wrong is an answer", Where, InThisProcess, InAWorker) {
    auto service = Where::make();
    Answer answer = Talk(*service, script("print(oops)\n")).answer();
    const RunResult* result = result_in<RunResult>(answer);
    REQUIRE((result && result->status == Status::UserMistake));
    REQUIRE(diagnostics(*result) == "unknown-name;");
    REQUIRE(result->diagnostics[0].place.line == 1);
}

TEST_CASE_TEMPLATE("a script without end is cancelled, and what waited behind it runs", Where, InThisProcess,
                   InAWorker) {
    auto service = Where::make();
    Talk first(*service, script(endless_script)), second(*service, script("print(2)"));
    REQUIRE(first.hear() == "begun\n");
    first.cancel();
    REQUIRE(story(first.answer()) == "cancelled");
    REQUIRE(story(second.answer()) == "answered");
    REQUIRE(second.hear() == "2\n");
    REQUIRE(service->state().workers <= 1);
}

TEST_CASE_TEMPLATE("a job that waits is cancelled before it begins", Where, InThisProcess, InAWorker) {
    auto service = Where::make();
    Talk first(*service, script(endless_script)), second(*service, script("print(2)"));
    first.hear();
    second.cancel();
    first.cancel();
    REQUIRE(story(second.answer()) == "cancelled");
    REQUIRE(second.hear() == "");
}

TEST_CASE_TEMPLATE("the end of the service ends all jobs", Where, InThisProcess, InAWorker) {
    auto service = Where::make();
    Talk first(*service, script(endless_script)), second(*service, script("print(2)"));
    first.hear();
    service.reset();
    REQUIRE(story(first.answer()) == "cancelled");
    REQUIRE(story(second.answer()) == "cancelled");
    REQUIRE(first.answers() + second.answers() == 2);
}

TEST_CASE_TEMPLATE("the last call of a function is measured", Where, InThisProcess, InAWorker) {
    auto service = Where::make();
    BenchRequest request;
    request.run.source = {"script.py", kernel_script, "/", false};
    request.run.target = Target::Emulate;
    Answer answer = Talk(*service, {request, "", 0}).answer();
    const BenchResult* result = result_in<BenchResult>(answer);
    REQUIRE((result && result->rows.size() == 1));
    REQUIRE(result->rows[0].function == "launch");
    REQUIRE(result->rows[0].times.count > 0);
}

TEST_CASE_TEMPLATE("a kernel is tried with chosen arguments, and how far that is gets told", Where, InThisProcess,
                   InAWorker) {
    auto service = Where::make();
    KernelBenchRequest request;
    request.run.source = {"script.py", kernel_script, "/", false};
    request.run.target = Target::Emulate;
    request.arguments = {parse_argument("x=:arange").value()};
    request.figures = false;
    Talk talk(*service, {request, "", 0});
    Answer answer = talk.answer();
    const KernelBenchResult* result = result_in<KernelBenchResult>(answer);
    REQUIRE(result);
    REQUIRE(diagnostics(*result) == "");
    REQUIRE(std::string(verdict_name(result->verdict.kind)) == "unchecked");
    REQUIRE((result->measured && result->measured->times.count > 0));
    REQUIRE(talk.progress() > 0);
    REQUIRE(!talk.heard_late());
}

TEST_CASE_TEMPLATE("CUDA C++ is compiled", Where, InThisProcess, InAWorker) {
    Variable nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY);
    auto service = Where::make();
    toolchain::CompileRequest request;
    request.text = "some text";
    request.product = toolchain::Product::Ptx;
    request.arch = "sm_90a";
    Answer answer = Talk(*service, {request, "", 0}).answer();
    const auto* result = result_in<toolchain::CompileResult>(answer);
    REQUIRE((result && result->bytes == "ptx of some text"));
    REQUIRE(!result->from_cache);
}

TEST_CASE_TEMPLATE("a compiler that is missing is a refusal with the usual code", Where, InThisProcess, InAWorker) {
    Variable nvrtc("HIDET_NVRTC", "/nowhere/libnvrtc.so");
    auto service = Where::make();
    toolchain::CompileRequest request;
    request.arch = "sm_90a";
    Answer answer = Talk(*service, {request, "", 0}).answer();
    REQUIRE(answer.ended == Ended::Refused);
    REQUIRE(answer.reason.code == "nvrtc-missing");
}

TEST_CASE_TEMPLATE("the machine is examined", Where, InThisProcess, InAWorker) {
    Variable driver("HIDET_LIBCUDA", FAKE_CUDA_LIBRARY);
    auto service = Where::make();
    Answer answer = Talk(*service, {FactsRequest{}, "", 0}).answer();
    const DoctorReport* report = result_in<DoctorReport>(answer);
    REQUIRE((report && report->tools.size() >= 4));
    REQUIRE(report->gpu.name == "Fake GPU");
}

TEST_CASE("each place has a worker of its own, and the one without a GPU emulates") {
    Variable driver("HIDET_LIBCUDA", FAKE_CUDA_LIBRARY), nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY),
        nvml("HIDET_LIBNVML", "/nowhere"), how("FAKE_NVRTC", "module");
    DeviceWorkers workers(worker_processes(hidetc()));
    workers.set_remote({HIDETC, "worker"});
    std::string where;
    for (const char* name : {"auto", "emulate", "remote"}) {
        const PlacementInfo& placement = info(placement_named(name));
        Answer answer = Talk(workers.at(placement.worker), script(kernel_script, placement.target)).answer();
        const RunResult* result = result_in<RunResult>(answer);
        REQUIRE((result && result->status == Status::Ok));
        where += cat(name, ": ", result->summary.emulated ? "emulated" : result->summary.device, "; ");
    }
    REQUIRE(where == "auto: Fake GPU; emulate: emulated; remote: Fake GPU; ");
}

TEST_CASE("a remote command that stays keeps its worker, another one ends its jobs and no other") {
    DeviceWorkers workers(worker_processes(hidetc()));
    workers.set_remote({HIDETC, "worker", "--no-gpu"});
    Talk kept(workers.at(WorkerPlace::Host), script(endless_script)),
        ended(workers.at(WorkerPlace::Remote), script(endless_script));
    kept.hear();
    ended.hear();
    Service* before = &workers.at(WorkerPlace::Remote);
    workers.set_remote({HIDETC, "worker", "--no-gpu"});
    REQUIRE(before == &workers.at(WorkerPlace::Remote));
    REQUIRE(ended.answers() == 0);
    workers.set_remote({HIDETC, "worker"});
    REQUIRE(story(ended.answer()) == "cancelled");
    REQUIRE(kept.answers() == 0);
    REQUIRE(story(Talk(workers.at(WorkerPlace::Remote), script("print(1)")).answer()) == "answered");
}

TEST_CASE("who watches places is told which one changed") {
    std::mutex mutex;
    std::string log;
    DeviceWorkers workers(worker_processes(hidetc()), [&](WorkerPlace place) {
        std::lock_guard lock(mutex);
        log += place == WorkerPlace::Remote ? "remote;" : "another;";
    });
    workers.set_remote({"sh", "-c", "exit 9"});
    Talk(workers.at(WorkerPlace::Remote), script("print(1)")).answer();
    REQUIRE(workers.state(WorkerPlace::Remote).reason == "no worker could be started: the command ended with code 9");
    std::lock_guard lock(mutex);
    REQUIRE(log == "remote;remote;");
}

TEST_CASE("a place is found by the name of what a user chooses") {
    REQUIRE(info(placement_named("cuda")).worker == WorkerPlace::Gpu);
    REQUIRE(info(placement_named("cpu")).worker == WorkerPlace::Host);
    REQUIRE(info(placement_named("remote")).target == Target::Cuda);
    REQUIRE(placement_named("no such place") == Placement::Auto);
    for (const PlacementInfo& row : all_placements())
        REQUIRE((&info(row.placement) == &row && placement_named(row.name) == row.placement));
}

// What only a process can do.
TEST_CASE("a kernel that faults costs its worker, silently: the answer is there, and the state says why") {
    Variable driver("HIDET_LIBCUDA", FAKE_CUDA_LIBRARY), nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY),
        nvml("HIDET_LIBNVML", "/nowhere"), how("FAKE_NVRTC", "module"), fault("HIDET_FAKE_CUDA", "fault=scale:700");
    WorkerService service(hidetc());
    for (int round = 1; round <= 2; ++round) {
        Answer answer = Talk(service, script(kernel_script, Target::Cuda)).answer();
        const RunResult* result = result_in<RunResult>(answer);
        REQUIRE((result && result->status == Status::UserMistake));
        REQUIRE(diagnostics(*result) == "kernel-fault;");
        REQUIRE(service.state().reason.find("accessed an illegal address") != std::string::npos);
        REQUIRE(service.state().reason.ends_with("; the worker was replaced"));
    }
    REQUIRE(service.state().workers >= 2);
}

TEST_CASE("a kernel that never ends costs its worker") {
    Variable driver("HIDET_LIBCUDA", FAKE_CUDA_LIBRARY), nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY),
        nvml("HIDET_LIBNVML", "/nowhere"), how("FAKE_NVRTC", "module"), hang("HIDET_FAKE_CUDA", "hang=scale");
    WorkerService service(hidetc());
    Job job = script(kernel_script, Target::Cuda);
    std::get<RunRequest>(job.request).kernel_seconds = 0.05;
    Answer answer = Talk(service, job).answer();
    const RunResult* result = result_in<RunResult>(answer);
    REQUIRE((result && result->device_hangs));
    REQUIRE(diagnostics(*result) == "kernel-fault;");
    REQUIRE(service.state().reason.ends_with("; the worker was replaced"));
}

TEST_CASE("a cancelled kernel that never ends costs its worker") {
    Variable driver("HIDET_LIBCUDA", FAKE_CUDA_LIBRARY), nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY),
        nvml("HIDET_LIBNVML", "/nowhere"), how("FAKE_NVRTC", "module"), hang("HIDET_FAKE_CUDA", "hang=scale");
    WorkerService service(hidetc());
    Talk talk(service, script(cat("print('begun')\n", kernel_script), Target::Cuda));
    talk.hear();
    talk.cancel();
    REQUIRE(story(talk.answer()) == "cancelled");
    Talk next(service, script("print('alive')\n"));
    REQUIRE(story(next.answer()) == "answered");
    REQUIRE(next.hear() == "alive\n");
}

TEST_CASE("what libraries print in a worker does not lie between its messages") {
    Variable nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY), how("FAKE_NVRTC", "chatty");
    WorkerService service(hidetc());
    toolchain::CompileRequest request;
    request.arch = "sm_90a";
    REQUIRE(story(Talk(service, {request, "", 0}).answer()) == "answered");
    REQUIRE(service.state().workers == 1);
}

TEST_CASE("a library that crashes costs its own process, and not the worker that asked for it") {
    Variable nvrtc("HIDET_NVRTC", FAKE_NVRTC_LIBRARY);
    WorkerService service(hidetc());
    toolchain::CompileRequest request;
    request.text = "this crashes the compiler";
    request.arch = "sm_90a";
    Answer answer = Talk(service, {request, "matmul", 0}).answer();
    REQUIRE(answer.reason.code == "worker-lost");
    REQUIRE(answer.reason.message.find(" while compiling") != std::string::npos);
    REQUIRE(service.state().workers == 1);
}

TEST_CASE("a worker that works answers pings") {
    WorkerOptions options = hidetc();
    options.ping_seconds = 0.02;
    options.silent_seconds = 1.2;
    WorkerService service(options);
    Job job = script(endless_script);
    job.seconds = 2;
    REQUIRE(story(Talk(service, job).answer()) ==
            "worker-hung: the worker took longer than 2 s and was killed while running 'script.py'");
}

TEST_CASE("a worker without memory says so, and lives") {
    // Sanitizers reserve more address space than any limit.
    if (HIDET_SANITIZED)
        return;
    WorkerService service(hidetc({"--memory", "1500"}));
    Answer answer = Talk(service, script("import hidet\nx = hidet.zeros([1 << 29])\n")).answer();
    const RunResult* result = result_in<RunResult>(answer);
    REQUIRE((result && result->status == Status::Environment));
    REQUIRE(diagnostics(*result) == "out-of-memory;");
    REQUIRE(story(Talk(service, script("print(1)")).answer()) == "answered");
    REQUIRE(service.state().workers == 1);
}

TEST_CASE("a person who starts a worker by hand is told what it is") {
    auto outcome = process::run_to_end({.words = {HIDETC, "worker"}, .input = "help\n"});
    REQUIRE(outcome.value().code == 2);
    REQUIRE(outcome.value().errors == "hidetc worker: what comes does not begin with a greeting; this verb is for "
                                      "programs, which write frames to standard input\n");
}

TEST_CASE("a worker leaves when it is asked to, with code 0") {
    std::string input = cat(frame_greeting, frame_of(encode(Hello{})), frame_of(encode(Shutdown{})));
    auto outcome = process::run_to_end({.words = {HIDETC, "worker"}, .input = input});
    REQUIRE(outcome.value().story() == "exited with code 0");
    REQUIRE(outcome.value().errors == "");
}

TEST_CASE("a worker refuses who speaks another protocol") {
    std::string input = cat(frame_greeting, frame_of(encode(Hello{.protocol = 99, .host = ""})));
    auto outcome = process::run_to_end({.words = {HIDETC, "worker"}, .input = input});
    REQUIRE(outcome.value().story() == "exited with code 2");
    REQUIRE(outcome.value().errors == "hidetc worker: the other side speaks protocol 99, this one 1; this verb is for "
                                      "programs, which write frames to "
                                      "standard input\n");
}

TEST_CASE("a worker refuses requests before a hello") {
    std::string input = cat(frame_greeting, frame_of(encode(Ping{1})));
    auto outcome = process::run_to_end({.words = {HIDETC, "worker"}, .input = input});
    REQUIRE(outcome.value().story() == "exited with code 2");
}

TEST_CASE("a worker leaves when nobody is there") {
    auto outcome = process::run_to_end({.words = {HIDETC, "worker"}});
    REQUIRE(outcome.value().story() == "exited with code 2");
}

} // namespace
