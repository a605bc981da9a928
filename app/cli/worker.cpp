// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"
#include "app/session/worker/serve.h"

namespace hidet::cli {

int worker(const Options& options, const std::atomic<bool>&) {
    return session::serve_standard_streams(
        {.use_gpu = !options.no_gpu, .memory_limit = static_cast<std::size_t>(options.memory) << 20});
}

} // namespace hidet::cli
