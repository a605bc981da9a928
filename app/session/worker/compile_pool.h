// SPDX-License-Identifier: Apache-2.0
// A compiler made of worker processes, each with NVRTC loaded and confined to it. Compilers that are programs need none: they
// are confined themselves. A compilation that is cancelled ends within a tenth of a
// second, even where NVRTC does not listen: its worker is killed and replaced.
//
// Who compiles has the priority of who asks: for threads that have stepped back there are workers that have (the window, for
// what it shows), for others as many that have not, which begin with their first compilation (what a person waits for).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/tools/open_tools.h"
#include "app/session/worker/worker_service.h"
#include "runtime/toolchain/in_process.h"
#include "runtime/toolchain/solver.h"

namespace hidet::session {

struct PoolOptions {
    int workers = 2;                              // of each priority
    WorkerOptions worker = {};                    // of each
    std::optional<toolchain::Places> places = {}; // of compilers, for keys; nothing: the usual ones
    std::function<void(int worker, const ServiceState&)> state_changed; // from a thread of the pool
};

class CompilePool final : public toolchain::Compiler, public toolchain::Solver {
public:
    explicit CompilePool(PoolOptions options = {});
    ~CompilePool() override;

    // Waits for the result. Besides the codes of the interface: "worker-lost", with what happened to the worker.
    Result<toolchain::CompileResult> compile(const toolchain::CompileRequest& request) override;
    Result<std::string> recipe(const toolchain::CompileRequest& request) override;
    Result<toolchain::SolverAnswer> solve(const std::string& question, const std::atomic<bool>* cancelled) override;
    void start();   // those that step back, and loads their compilers; does not wait
    void restart(); // all workers, also broken ones

private:
    struct Member;
    using Members = std::vector<std::unique_ptr<Member>>;
    static Members members(const PoolOptions& options, int first);
    Members& those_that(bool lower_priority);
    Answer answer_of(JobRequest request, const std::atomic<bool>* cancelled);

    PoolOptions m_options;
    toolchain::InProcessCompiler m_programs; // those that are programs, and keys of all
    Members m_patient, m_prompt;             // made when they are first needed
    std::mutex m_mutex;
};

// Tools that have NVRTC in confined processes of its own, which begin with their first compilation; `compilers` is not asked.
std::shared_ptr<Tools> open_confined_tools(ToolsOptions options = {});

} // namespace hidet::session
