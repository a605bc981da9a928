// SPDX-License-Identifier: Apache-2.0
// A compiler made of worker processes, each with NVRTC loaded. A compilation that is cancelled ends within a tenth of a
// second, even where NVRTC does not listen: its worker is killed and replaced.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/worker/worker_service.h"
#include "runtime/toolchain/in_process.h"

namespace hidet::session {

struct PoolOptions {
    int workers = 2;
    WorkerOptions worker = {};                    // of each
    std::optional<toolchain::Places> places = {}; // of compilers, for keys; nothing: the usual ones
    std::function<void(int worker, const ServiceState&)> state_changed; // from a thread of the pool
};

class CompilePool final : public toolchain::Compiler {
public:
    explicit CompilePool(PoolOptions options = {});
    ~CompilePool() override;

    // Waits for the result. Besides the codes of the interface: "worker-lost", with what happened to the worker.
    Result<toolchain::CompileResult> compile(const toolchain::CompileRequest& request) override;
    Result<std::string> recipe(const toolchain::CompileRequest& request) override;
    void start();   // all workers, and loads their compilers; does not wait
    void restart(); // all workers, also broken ones

private:
    struct Member;

    toolchain::InProcessCompiler m_recipes; // makes keys and compiles nothing
    std::vector<std::unique_ptr<Member>> m_members;
    std::mutex m_mutex;
};

} // namespace hidet::session
