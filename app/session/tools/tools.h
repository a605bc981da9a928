// SPDX-License-Identifier: Apache-2.0
// What requests share beyond one script: the compilers and their cache. Nothing is looked for before it is needed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "app/session/tools/open_tools.h"
#include "runtime/cuda/stream.h"
#include "runtime/toolchain/solver.h"
#include "runtime/toolchain/toolchain.h"

namespace hidet::session {

class Tools {
public:
    explicit Tools(ToolsOptions options = {});
    toolchain::Toolchain& toolchain() { return *m_toolchain; }
    toolchain::Solver* solver() { return m_solver.get(); } // null: see ToolsOptions
    // A stream of the first GPU, or of that with the number LOCAL_RANK; everything is done in it. Errors: driver-missing, no-gpu, driver-too-old, and what the
    // driver says.
    Result<std::shared_ptr<cuda::Stream>> gpu();
    // Why the GPU cannot be used any more in this process, once a kernel has seen to that. Opens nothing.
    std::optional<Error> gpu_lost();

private:
    const bool m_use_gpu;
    const std::shared_ptr<toolchain::Compiler> m_compilers;
    const std::shared_ptr<toolchain::Solver> m_solver;
    std::unique_ptr<toolchain::Toolchain> m_toolchain;
    std::mutex m_mutex;
    std::optional<Result<std::shared_ptr<cuda::Stream>>> m_gpu;
};

} // namespace hidet::session
