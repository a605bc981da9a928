// SPDX-License-Identifier: Apache-2.0
// The other side of WorkerService: reads requests from a stream, does them in this process, writes answers.
#pragma once

#include <cstddef>

namespace hidet::session {

inline constexpr int exit_fine = 0, exit_usage = 2, exit_environment = 3; // of a worker

struct ServeOptions {
    bool compiles = false; // it does nothing but compile CUDA C++, and is confined to that
    bool use_gpu = true;
    std::size_t memory_limit = 0; // bytes of address space; 0: none. For tests: CUDA needs more than there is memory.
};

// Takes over standard input and standard output, for the life of the process: from now on what anybody prints goes to
// standard error. Call it before anything else runs. Returns the exit code when the other side is done; ends the process
// where a job does not.
int serve_standard_streams(const ServeOptions& options);

} // namespace hidet::session
