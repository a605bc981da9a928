// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_processes.h"

#include <algorithm>
#include <chrono>

#include "app/cli/model_options.h"

namespace hidet::cli {

using namespace session;

int share(ModelRunRequest& request, std::unique_ptr<ModelProcesses>& others) {
    if (request.processes <= 1)
        return 0;
    if (request.compare)
        return refuse_usage("'--compare' is of one process: it goes without '--tensor-parallel'");
    auto started = ModelProcesses::start(request);
    if (!started)
        return started.error().code == "usage" ? refuse_usage(started.error().message)
                                               : refuse_environment(started.error());
    others = std::move(started).value();
    return 0;
}

void wait_for(ModelProcesses& others, const Outcome& result) {
    const bool is_done = result.status == Status::Ok;
    const std::string said = others.wait(std::chrono::milliseconds(is_done ? 10000 : 200));
    const bool is_left =
        std::ranges::find(result.diagnostics, "group-failed", &DiagnosticView::id) != result.diagnostics.end();
    if (!said.empty() && (is_done || is_left))
        print_note(said);
}

} // namespace hidet::cli
