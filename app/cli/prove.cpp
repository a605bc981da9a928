// SPDX-License-Identifier: Apache-2.0
#include "app/session/prove/prove_script.h"

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/verbs.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/ranges.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ProveOptions {
    SourceOptions source;
    ProveRequest request;
};

std::string lines_of(const ProvedKernel& kernel) {
    const std::vector<std::string> claims =
        transformed(kernel.claims, [](const ClaimView& claim) { return cat(claim.claim, " ", claim.verdict); });
    std::string out = cat(kernel.place.file, ":", kernel.place.line, ": ", kernel.name, ": ", join(claims, ", "), "\n");
    for (const DoubtView& doubt : kernel.doubts) {
        if (doubt.verdict == "refuted") // a diagnostic says it
            continue;
        const bool is_named = doubt.tensor.empty() || doubt.verdict == "proved if";
        out +=
            cat("  ", doubt.place.file, ":", doubt.place.line, ":", doubt.place.column, ": ", doubt.claim, " ",
                doubt.verdict, ": ", is_named ? "" : cat("'", doubt.tensor, "' "), doubt.sentence,
                doubt.beside.line > 0 ? cat(" (the other access: line ", doubt.beside.line, ")") : std::string(), "\n");
    }
    return out;
}

int prove_file(const ProveOptions& options, const Cancelled& cancelled) {
    ProveRequest request = options.request;
    if (const int exit = open_preview(options.source, cancelled, request.preview))
        return exit;
    request.preview.tools = open_confined_tools();
    ProveResult result = prove_script(request);
    require_modules(options.source.file, "prove", result.modules_built, result);
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] {
            std::string out;
            for (const ProvedKernel& kernel : result.kernels)
                out += lines_of(kernel);
            return out;
        });
}

} // namespace

void add_prove(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("prove", "say what holds of kernels for all sizes: no access leaves, no threads race");
    ProveOptions& options = options_for(verb, chosen, prove_file);
    add_source(verb, options.source);
    add_preview(verb, options.request.preview);
    verb.text("--function", options.request.preview.function, "F", "this kernel only");
    add_arch(verb, options.request.preview.arch);
}

} // namespace hidet::cli
