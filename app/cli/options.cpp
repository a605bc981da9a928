// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

namespace hidet::cli {

void add_source(Verb& verb, SourceOptions& options) {
    verb.file("FILE", options.file, "the script, or '-' for standard input");
    verb.flag("--json", options.json, "one JSON document on standard output: output, diagnostics and results");
    verb.text("--fault", options.fault, "STAGE", "raise an internal error in this stage").hidden();
}

void add_preview(Verb& verb, PreviewOptions& options) {
    verb.texts("--studio", options.studio, "CALL", "call this kernel factory, e.g. 'matmul(1024, 1024, 1024)'");
    verb.number("--module", options.module, "N", "only the Nth module that the script builds").between(1, 1'000'000);
}

void add_text(Verb& verb, TextOptions& options) {
    verb.text("--function", options.function, "F", "only this function");
    verb.flag("--lines", options.lines, "put the origin of each line before it: file:line:column and pass");
    verb.text("--only", options.only, "PASS", "run this pass and no other (input in IR form)");
}

void add_modules(Verb& verb, ModuleOptions& options) {
    add_source(verb, options.source);
    add_preview(verb, options.preview);
    add_text(verb, options.text);
}

void add_run(Verb& verb, RunOptions& options) {
    verb.number("--seed", options.seed, "N", "of random tensors");
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
    verb.number("--max-steps", options.max_steps, "N",
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

void add_unchecked(Verb& verb, TargetOptions& options) {
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

void add_target(Verb& verb, TargetOptions& options) {
    add_timeout(verb, options.timeout);
    add_target(verb, options.target, "where kernels run");
    add_contraction(verb, options.no_contraction);
}

std::vector<std::string> form_names() {
    std::vector<std::string> names;
    for (const session::FormInfo& form : session::all_forms())
        names.emplace_back(form.name);
    return names;
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

} // namespace hidet::cli
