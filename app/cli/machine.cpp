// SPDX-License-Identifier: Apache-2.0
// hidetc machine: what the machine code of a script's kernels says of itself.

#include "app/cli/text/machine_text.h"

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/session/worker/compile_pool.h"

namespace hidet::cli {

namespace {

using namespace session;

constexpr std::size_t usual_rows = 8;

struct MachineOptions {
    SourceOptions source;
    PreviewRequest preview;
    bool all = false;
};

std::string text_of(const MachineOptions& options, const Source& script, const PreviewResult& result) {
    std::string out;
    for (const ModuleSnapshot& module : result.modules)
        for (const auto& made : module.forms) {
            if (!made->machine)
                continue;
            out += (out.empty() ? "" : "\n") + heading_of(module, result.modules.size(), "#") +
                   machine_text(*made, script, options.all ? 0 : usual_rows);
        }
    return out;
}

int machine(const MachineOptions& options, const Cancelled& cancelled) {
    PreviewRequest request = options.preview;
    if (const int exit = open_preview(options.source, cancelled, request))
        return exit;
    request.forms = {Form::Sass};
    request.explains = true;
    request.tools = open_confined_tools();
    request.texts = Keep::Nothing;
    PreviewResult result = preview(request);
    require_modules(options.source.file, "explain", result.modules_built, result);
    return print_result(
        options.source.json, result, [&] { return json_of(result, ""); },
        [&] { return text_of(options, request.source, result); });
}

} // namespace

void add_machine(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("machine", "what bounds the loops of the machine code, and which lines hold registers");
    MachineOptions& options = options_for(verb, chosen, machine);
    add_source(verb, options.source);
    add_preview(verb, options.preview);
    verb.text("--function", options.preview.function, "NAME", "the kernel of this name only");
    add_arch(verb, options.preview.arch);
    verb.flag("--all", options.all, "all rows of each table");
}

} // namespace hidet::cli
