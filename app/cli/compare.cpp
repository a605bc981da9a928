// SPDX-License-Identifier: Apache-2.0
// hidetc compare: two scripts that are to compute the same, in one word.
#include "app/cli/kernel_options.h"
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/session/explain/side_by_side.h"
#include "app/session/worker/run_in_worker.h"

namespace hidet::cli {

using namespace session;

namespace {

struct CompareOptions : KernelOptions {
    std::string other; // OTHER.py, OTHER.py:FUNCTION
};

std::string text_of(const SideBySide& made) {
    const std::string& sentence = made.bench.verdict.sentence;
    std::string out = cat(made.why.empty() ? sentence : cat(made.word, ": ", made.why), "\n");
    if (!made.bench.where.empty())
        out += cat("  ", made.bench.function, "(", made.bench.shapes, ") on ", made.bench.where, "\n");
    return made.why.empty() ? out : cat(out, "  ", sentence, "\n");
}

int compare_scripts(const CompareOptions& options, const Cancelled& cancelled) {
    KernelBenchRequest request = options.request;
    request.run = request_of(options.run, options.source, cancelled);
    int exit = open_source(options.source, request.run.source);
    if (exit != exit_fine || !are_calls_of_script(request.calls, request.run.source))
        return exit == exit_fine ? exit_usage : exit;
    if (!read_kernel_options(options, request, exit))
        return exit;
    if (request.vary)
        return refuse_usage(cat("'", request.vary->name, "' has several values; two scripts are compared at one size"));
    Reference& other = request.other.emplace();
    other.kind = ReferenceKind::Variant;
    const std::size_t suffix = options.other.rfind(".py:");
    const bool names_function = suffix != std::string::npos;
    other.function = names_function ? options.other.substr(suffix + 4) : "";
    SourceOptions from = options.source;
    from.file = names_function ? options.other.substr(0, suffix + 3) : options.other;
    if (exit = open_source(from, other.script.emplace()); exit != exit_fine)
        return exit;
    RemoteWorker at;
    if (!take_remote(options.run.remote, at, exit))
        return exit;
    std::string output;
    request.run.all_checks = true;
    request.run.print = [&](std::string_view text) { output += text; };
    request.figures = false;
    const SideBySide made =
        side_by_side(request, [&](const KernelBenchRequest& asked) { return bench_kernel_apart(asked, at); });
    const auto document = [&] {
        return Document().add("output", output).add("diagnostics", made.bench.diagnostics).add("compared", made).text();
    };
    exit = print_result(options.source.json, made.bench, document, [&] { return text_of(made); });
    return exit == exit_fine && made.word == "invalid" ? exit_user : exit;
}

} // namespace

void add_compare(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("compare", "two scripts that are to compute the same: faster, slower, no difference, "
                                            "wrong or invalid");
    CompareOptions& options = options_for(verb, chosen, compare_scripts);
    add_kernel_options(verb, options);
    verb.file("OTHER", options.other, "the script that it is compared with; OTHER.py:FUNCTION is one function of it");
    verb.text("--arch", options.request.arch, "ARCH",
              "the GPU that times are predicted for where kernels are emulated");
    add_run(verb, options.run);
    add_target(verb, options.run);
    add_unchecked(verb, options.run);
}

} // namespace hidet::cli
