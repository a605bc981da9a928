// SPDX-License-Identifier: Apache-2.0

#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/session/fleet/ray_relay.h"
#include "app/session/script/rehearsal.h"
#include "app/session/worker/serve.h"

namespace hidet::cli {

namespace {

struct WorkerVerbOptions {
    bool no_gpu = false;
    bool compiler = false;
    std::string ray_job;      // in its place
    std::string call_back;    // to whoever it works for
    std::uint64_t memory = 0; // MiB of address space; 0: no limit
};

int serve(const WorkerVerbOptions& options, const Cancelled&) {
    if (!options.ray_job.empty())
        return session::relay_ray_job(options.ray_job);
    if (const Result<void> line = options.call_back.empty() ? Result<void>() : session::call_back(options.call_back);
        !line)
        return refuse_environment(line.error());
    session::set_rehearser(nullptr); // what this process is for
    return session::serve_standard_streams({.compiles = options.compiler,
                                            .use_gpu = !options.no_gpu,
                                            .memory_limit = static_cast<std::size_t>(options.memory) << 20});
}

} // namespace

void add_worker(Verb& program, Action& chosen) {
    Verb verb = program.add_verb(
        "worker", "do what another program asks for on standard input; remotely: 'ssh HOST hidetc worker'");
    WorkerVerbOptions& options = options_for(verb, chosen, serve);
    verb.flag("--no-gpu", options.no_gpu, "as if there were no GPU: kernels are emulated");
    verb.flag("--compiler", options.compiler, "compile CUDA C++, and nothing else");
    verb.text("--ray-job", options.ray_job, "NAME", "pass all on to a worker that Ray starts as a job of this name")
        .hidden();
    verb.text("--call-back", options.call_back, "HOST:PORT", "where to call, in the place of standard input").hidden();
    verb.number("--memory", options.memory, "MIB", "MiB of address space, beyond which there is none").hidden();
}

} // namespace hidet::cli
