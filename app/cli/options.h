// SPDX-License-Identifier: Apache-2.0
// What several verbs ask for in the same words. The rest of a verb's options stands in the verb's own file.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/verb.h"
#include "app/session/request/request.h"
#include "app/session/snapshot/forms.h"
#include "app/session/snapshot/targets.h"
#include "app/session/worker/remote_workers.h"

namespace hidet::cli {

struct SourceOptions {
    std::string file; // "-": standard input
    bool json = false;
    std::string fault; // raise an internal error in this stage
};
void add_source(Verb& verb, SourceOptions& options);

// Its calls of kernel factories, and which module.
void add_preview(Verb& verb, std::vector<std::string>& calls, int& module);
inline void add_preview(Verb& verb, session::PreviewRequest& request) {
    add_preview(verb, request.calls, request.module);
}

struct ModuleOptions { // whose modules are written as text, and how
    SourceOptions source;
    session::PreviewRequest preview;
    bool lines = false;
};
void add_modules(Verb& verb, ModuleOptions& options);

struct RunOptions {
    session::RunRequest request;
    double max_memory = 4;  // GiB
    bool unchecked = false; // compiled CPU code
    bool no_contraction = false;
    std::string remote;
};
void add_run(Verb& verb, RunOptions& options);
void add_limits(Verb& verb, RunOptions& options); // add_run without the seed

// In which orders the emulator runs warps and blocks.
struct OrderOptions {
    static constexpr std::uint64_t no_seed = ~std::uint64_t{0};
    std::uint64_t seed = no_seed;
    bool is_random = false;
    int most = session::usual_orders;
    // The random one alone; nothing: lock step, and then others.
    std::optional<std::uint64_t> only() const {
        return seed != no_seed ? std::optional(seed) : is_random ? std::optional<std::uint64_t>(0) : std::nullopt;
    }
};
void add_orders(Verb& verb, OrderOptions& options);

void add_target(Verb& verb, RunOptions& options);
void add_unchecked(Verb& verb, RunOptions& options);
void add_contraction(Verb& verb, bool& no_contraction);
void add_target(Verb& verb, session::Target& target, const char* what);
void add_form(Verb& verb, session::Form& form); // required
std::vector<std::string> form_names();
void add_arch(Verb& verb, std::string& arch);  // of the GPU that code is made for; "": the usual one
void add_output(Verb& verb, std::string& out); // "": standard output
void add_timeout(Verb& verb, double& seconds);
// Another machine, on which what the verb runs is run.
Argument add_remote(Verb& verb, std::string& name);
// Empty: this machine. False: there is no such worker, which is told.
bool take_remote(const std::string& name, session::RemoteWorker& out, int& exit);

// What the verbs that run something have in common: run, emulate, bench, try, model.
session::RunRequest request_of(const RunOptions& options, const SourceOptions& source,
                               const std::atomic<bool>& cancelled);

// Kernels that run from a text of the user's: in 'run' and 'try'.
struct ReplaceOptions {
    std::vector<std::string> texts; // "scale=scale.cu"
};
void add_replace(Verb& verb, ReplaceOptions& options);
// False: what is wrong was told.
bool take_replacements(const ReplaceOptions& options, session::RunRequest& request, int& exit);

// The first of options that is given; empty: none is.
std::string first_given(std::initializer_list<std::pair<bool, const char*>> options);

// Exit codes.
inline constexpr int exit_fine = 0;
inline constexpr int exit_user = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_environment = 3;
inline constexpr int exit_internal = 70;
inline constexpr int exit_timeout = 124;   // as that of timeout(1)
inline constexpr int exit_cancelled = 130; // as a shell reports Ctrl-C

} // namespace hidet::cli
