// SPDX-License-Identifier: Apache-2.0

#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/verbs.h"

namespace hidet::cli {

using namespace session;

namespace {

struct CheckOptions {
    SourceOptions source;
    PreviewOptions preview;
};

int check(const CheckOptions& options, const Cancelled& cancelled) {
    int exit = exit_fine;
    std::optional<PreviewRequest> request = open_preview(options.source, options.preview, cancelled, exit);
    if (!request)
        return exit;
    request->texts = Keep::Nothing;
    PreviewResult result = preview(*request);
    exit = report_preview(options.source, result);
    if (exit == exit_fine && !options.source.json) {
        std::size_t functions = 0;
        for (const ModuleSnapshot& module : result.modules)
            functions += module.functions.size();
        if (result.modules_built == 0)
            print_note(cat(options.source.file, ": no mistakes found; it builds no module"));
        else
            print_note(cat(options.source.file, ": no mistakes found in ", count_of(result.modules_built, "module"),
                           " with ", count_of(static_cast<std::int64_t>(functions), "function")));
    }
    return exit;
}

} // namespace

void add_check(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("check", "say what is wrong with a script, without running its kernels");
    CheckOptions& options = options_for(verb, chosen, check);
    add_source(verb, options.source);
    add_preview(verb, options.preview);
}

} // namespace hidet::cli
