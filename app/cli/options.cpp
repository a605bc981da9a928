// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

#include <CLI/CLI.hpp>

#include "app/session/snapshot/targets.h"
#include "lang/base/text.h"

namespace hidet::cli {

void add_source(CLI::App& verb, SourceOptions& options) {
    verb.add_option("FILE", options.file, "the script, or '-' for standard input")->required();
    verb.add_flag("--json", options.json, "one JSON document on standard output: output, diagnostics and results");
    verb.add_option("--fault", options.fault, "raise an internal error in this stage")->group("");
}

void add_preview(CLI::App& verb, PreviewOptions& options) {
    verb.add_option("--studio", options.studio, "call this kernel factory, e.g. 'matmul(1024, 1024, 1024)'")
        ->type_name("CALL")
        ->take_all();
    verb.add_option("--module", options.module, "only the Nth module that the script builds")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
}

void add_text(CLI::App& verb, TextOptions& options) {
    verb.add_option("--function", options.function, "only this function")->type_name("F");
    verb.add_flag("--lines", options.lines, "put the origin of each line before it: file:line:column and pass");
    verb.add_option("--only", options.only, "run this pass and no other (input in IR form)")->type_name("PASS");
}

void add_run(CLI::App& verb, RunOptions& options) {
    verb.add_option("--seed", options.seed, "of random tensors and of the emulator's order")->type_name("N");
    verb.add_option("--max-steps", options.max_steps, "instructions of a block before its loops count as endless")
        ->type_name("N");
}

std::string target_choices() {
    std::vector<std::string> names = session::target_names();
    const std::string last = std::move(names.back());
    names.pop_back();
    return join(names, ", ") + " or " + last;
}

void add_target(CLI::App& verb, TargetOptions& options) {
    verb.add_option("--timeout", options.timeout, "seconds after which a kernel on the GPU counts as endless; 0: never")
        ->check(CLI::Range(0.0, 1e6))
        ->type_name("SECONDS");
    verb.add_option("--target", options.target, "where kernels run: " + target_choices())
        ->check(CLI::IsMember(session::target_names()))
        ->type_name("TARGET");
}

} // namespace hidet::cli
