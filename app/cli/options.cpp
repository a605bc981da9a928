// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

#include <algorithm>

#include "app/cli/output.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

using session::KernelReplacement;

void add_source(Verb& verb, SourceOptions& options) {
    verb.file("FILE", options.file, "the script, or '-' for standard input");
    verb.flag("--json", options.json, "one JSON document on standard output: output, diagnostics and results");
    verb.text("--fault", options.fault, "STAGE", "raise an internal error in this stage").hidden();
}

void add_preview(Verb& verb, std::vector<std::string>& calls, int& module) {
    verb.texts("--studio", calls, "CALL", "call this kernel factory, e.g. 'matmul(1024, 1024, 1024)'");
    verb.number("--module", module, "N", "only the Nth module that the script builds").between(1, 1'000'000);
}

void add_modules(Verb& verb, ModuleOptions& options) {
    add_source(verb, options.source);
    add_preview(verb, options.preview);
    verb.text("--function", options.preview.function, "F", "only this function");
    verb.flag("--lines", options.lines, "put the origin of each line before it: file:line:column and pass");
    verb.text("--only", options.preview.only_pass, "PASS", "run this pass and no other (input in IR form)");
}

void add_run(Verb& verb, RunOptions& options) {
    verb.number("--seed", options.request.seed, "N", "of random tensors");
    add_limits(verb, options);
}

void add_orders(Verb& verb, OrderOptions& options) {
    verb.number(
            "--orders", options.most, "N",
            "orders of warps and blocks that a launch whose order may matter is tried in at most: in lock step, then "
            "random ones, as many as a budget of steps allows (9)")
        .between(1, 1000);
    verb.number("--seed", options.seed, "N", "one order alone: the random one of this seed");
    verb.choice(
        "--schedule", {"lock-step", "random"},
        [&options](std::size_t which) {
            options.is_random = which == 1;
            options.most = 1;
        },
        "ORDER", "one order alone: together and ascending, or each warp alone in the random order of --seed (0)");
}

void add_limits(Verb& verb, RunOptions& options) {
    verb.number("--max-steps", options.request.max_steps, "N",
                "steps before a loop of a kernel or of the script counts as endless");
    verb.number("--max-memory", options.max_memory, "GIB",
                "memory that tensors, lists and texts of the script may take")
        .between(0.001, 1e6);
}

void add_timeout(Verb& verb, double& seconds) {
    verb.number("--timeout", seconds, "SECONDS",
                "seconds after which a kernel on the GPU or compiled CPU code counts as endless; 0: never")
        .between(0, 1e6);
}

void add_unchecked(Verb& verb, RunOptions& options) {
    verb.flag("--unchecked", options.unchecked, "compile CPU code without checks of indices");
}

void add_contraction(Verb& verb, bool& no_contraction) {
    verb.flag("--no-contraction", no_contraction,
              "code for a GPU rounds a * b before + c is added, as the emulator and compiled CPU code always do");
}

void add_target(Verb& verb, session::Target& target, const char* what) {
    auto choose = [&target](std::size_t which) { target = session::all_targets()[which].target; };
    verb.choice("--target", session::target_names(), choose, "TARGET", what);
}

void add_target(Verb& verb, RunOptions& options) {
    add_timeout(verb, options.request.kernel_seconds);
    add_target(verb, options.request.target, "where kernels run");
    add_contraction(verb, options.no_contraction);
    add_remote(verb, options.remote);
}

Argument add_remote(Verb& verb, std::string& name) {
    return verb.text(
        "--remote", name, "NAME",
        "on the machine of this worker, a line 'NAME = ssh HOST PATH/hidetc worker' of ~/.config/hidet/workers.conf");
}

bool take_remote(const std::string& name, session::RemoteWorker& out, int& exit) {
    if (name.empty())
        return true;
    Result<session::RemoteWorker> found = session::remote_worker_named(name);
    if (found) {
        out = std::move(found).value();
        return true;
    }
    exit = exit_usage;
    return wrong_usage(found.error().message);
}

std::string first_given(std::initializer_list<std::pair<bool, const char*>> options) {
    const auto* found = std::ranges::find(options, true, [](const auto& option) { return option.first; });
    return found == options.end() ? "" : found->second;
}

std::vector<std::string> form_names() {
    return transformed<std::string>(session::all_forms(), &session::FormInfo::name);
}

void add_form(Verb& verb, session::Form& form) {
    auto choose = [&form](std::size_t which) { form = session::all_forms()[which].form; };
    verb.choice("--kind", form_names(), choose, "KIND", "the form").required();
}

void add_arch(Verb& verb, std::string& arch) {
    verb.text("--arch", arch, "ARCH", "the GPU to compile for (sm_90a where there is none)");
}

void add_output(Verb& verb, std::string& out) {
    verb.text("-o,--output", out, "OUT", "write to this file instead of standard output");
}

session::RunRequest request_of(const RunOptions& options, const SourceOptions& source,
                               const std::atomic<bool>& cancelled) {
    session::RunRequest request = options.request;
    request.max_bytes = static_cast<std::uint64_t>(options.max_memory * (1 << 30));
    request.checks_bounds = !options.unchecked;
    request.contracts = !options.no_contraction;
    request.fault = source.fault;
    request.cancelled = &cancelled;
    return request;
}

void add_replace(Verb& verb, ReplaceOptions& options) {
    verb.texts(
        "--replace", options.texts, "KERNEL=FILE",
        "on a GPU, run this kernel from a file with CUDA C++ or PTX that was changed by hand (.cu, .ptx), as "
        "'emit --kind cuda -o' wrote it, in the place of the generated one; on the emulator too, its module from "
        "IR (.ir), as 'lower --after PASS -o' wrote it");
}

static bool take_replacement(const std::string& text, session::RunRequest& request, int& exit) {
    const std::size_t equals = text.find('=');
    KernelReplacement replacement{text.substr(0, equals), {}};
    const std::string file = equals == std::string::npos ? "" : text.substr(equals + 1);
    exit = exit_usage;
    if (replacement.kernel.empty() || !(session::compiled_form(file) || session::is_ir_file(file)))
        return wrong_usage(cat("'", text,
                               "' is no replacement of a kernel, such as 'scale=scale.cu', "
                               "'scale=scale.ptx' or 'scale=scale.ir'"));
    if (std::ranges::count(request.replacements, replacement.kernel, &KernelReplacement::kernel) > 0)
        return wrong_usage(cat("the kernel '", replacement.kernel, "' is replaced twice"));
    SourceOptions source;
    source.file = file;
    exit = open_source(source, replacement.source);
    if (exit != exit_fine)
        return false;
    request.replacements.push_back(std::move(replacement));
    return true;
}

bool take_replacements(const ReplaceOptions& options, session::RunRequest& request, int& exit) {
    return std::ranges::all_of(options.texts,
                               [&](const std::string& text) { return take_replacement(text, request, exit); });
}

} // namespace hidet::cli
