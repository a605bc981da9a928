// SPDX-License-Identifier: Apache-2.0
// 'hidetc worker' with a real GPU: what a kernel breaks costs one worker and nothing else. Skipped where there is none.
#include <condition_variable>
#include <cstdio>
#include <doctest/doctest.h>
#include <mutex>
#include <string>

#include "app/session/worker/worker_service.h"
#include "tests/harness/skip.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

constexpr const char* kernel = R"(
import hidet
import torch
from hidet.lang import attrs, f32, i32, i64
from hidet.lang.cuda import blockIdx, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def fill(x: f32[1024], steps: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 4
        attrs.cuda.block_dim = 256
        if steps < 0:
            while x[0] < 1.0:
                x[1] = x[1] + 1.0
        x[blockIdx.x * 256 + threadIdx.x + i64(steps) * 1048576] = 1.0

f = script_module.build()
x = torch.zeros(1024, device='cuda')
)";
const std::string right = std::string(kernel) + "f(x, 0)\nassert float(x.cpu().sum()) == 1024.0\nprint('right')\n";
const std::string outside = std::string(kernel) + "f(x, 1 << 18)\n";
const std::string endless = std::string(kernel) + "f(x, -1)\n";

Job gpu_job(const std::string& text, double kernel_seconds = 20) {
    RunRequest request;
    request.source = {"script.py", text, "/", false};
    request.target = Target::Cuda;
    request.kernel_seconds = kernel_seconds;
    return {request, "script.py", 0};
}

// Waits for the answer; what the script printed comes with it.
Answer answer_of(WorkerService& service, Job job, std::string* printed = nullptr) {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Answer> answer;
    service.submit(
        std::move(job),
        [&](const JobEvent& event) {
            if (printed)
                *printed += event.text;
        },
        [&](Answer given) {
            std::lock_guard lock(mutex);
            answer = std::move(given);
            changed.notify_all();
        });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answer.has_value(); });
    return std::move(*answer);
}

bool has(const Answer& answer, const std::string& id) {
    const auto* result = result_in<RunResult>(answer);
    if (!result)
        return false;
    for (const DiagnosticView& diagnostic : result->diagnostics)
        if (diagnostic.id == id)
            return true;
    return false;
}

void expect_right(WorkerService& service) {
    std::string printed;
    Answer answer = answer_of(service, gpu_job(right), &printed);
    const auto* result = result_in<RunResult>(answer);
    REQUIRE((result && result->status == Status::Ok));
    REQUIRE(printed == std::string("right\n"));
}

struct OneWorker {
    WorkerService service;
    // Whether the case has to be skipped.
    bool is_skipped() {
        const bool is_missing = has(answer_of(service, gpu_job(right)), "no-gpu");
        if (is_missing)
            test::skip("no GPU");
        return is_missing;
    }
};

} // namespace

TEST_CASE_FIXTURE(OneWorker, "a script runs on the GPU in a worker") {
    if (is_skipped())
        return;
    expect_right(service);
}

TEST_CASE_FIXTURE(OneWorker, "an illegal address is told, and the next script runs") {
    if (is_skipped())
        return;
    Answer answer = answer_of(service, gpu_job(outside));
    REQUIRE(has(answer, "kernel-fault"));
    expect_right(service);
}

TEST_CASE_FIXTURE(OneWorker, "an endless kernel is told, and the next script runs") {
    if (is_skipped())
        return;
    Answer answer = answer_of(service, gpu_job(endless, 1));
    REQUIRE((answer.ended == Ended::Answered || answer.ended == Ended::WorkerLost));
    const auto* result = result_in<RunResult>(answer);
    REQUIRE((!result || result->status == Status::UserMistake));
    expect_right(service);
}

TEST_CASE_FIXTURE(OneWorker, "a job that takes too long loses its worker, and the next script runs") {
    if (is_skipped())
        return;
    Job job = gpu_job(endless, 60);
    job.seconds = 3;
    Answer answer = answer_of(service, std::move(job));
    REQUIRE(answer.ended == Ended::WorkerLost);
    REQUIRE(answer.reason.code == std::string("worker-hung"));
    expect_right(service);
}
