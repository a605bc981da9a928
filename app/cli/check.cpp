// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/verbs.h"
#include "app/session/explain/check_script.h"
#include "app/session/prove/contracts.h"
#include "app/session/worker/compile_pool.h"

namespace hidet::cli {

using namespace session;

namespace {

struct CheckOptions {
    SourceOptions source;
    session::PreviewRequest preview;
    bool contracts = false;
    bool no_compile = false;
};

std::string contract_text(const ContractView& view) {
    return cat(view.place.file, ":", view.place.line, ":", view.place.column, ": ", contract_state_name(view.state),
               ": ", view.text, ": ", view.sentence, "\n");
}

int check_contracts_of(const CheckOptions& options, PreviewRequest preview) {
    ExplainRequest request;
    request.preview = std::move(preview);
    if (!options.no_compile)
        request.preview.tools = open_confined_tools();
    const ContractResult result = check_contracts(request);
    const int exit = result.status == Status::Ok && !result.are_all_kept() ? exit_user : exit_code(result.status);
    if (options.source.json) {
        print_text(json_of(result));
        return exit;
    }
    std::string text;
    for (const ContractView& view : result.contracts)
        text += contract_text(view);
    print_text(text);
    print_diagnostics(result.diagnostics);
    if (result.contracts.empty() && result.status == Status::Ok)
        print_note(cat(options.source.file, ": no kernel with a comment '# studio: expect ...'"));
    return exit;
}

int check(const CheckOptions& options, const Cancelled& cancelled) {
    if (!options.contracts && (!options.preview.arch.empty() || options.no_compile))
        return refuse_usage("'--arch' and '--no-compile' are for '--contracts'");
    PreviewRequest request = options.preview;
    if (const int exit = open_preview(options.source, cancelled, request))
        return exit;
    if (options.contracts)
        return check_contracts_of(options, std::move(request));
    request.texts = Keep::Nothing;
    const PreviewResult result = check_script(request);
    const int exit = report_preview(options.source, result);
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
    verb.flag("--contracts", options.contracts,
              "whether '# studio: expect registers <= 128, conflicts == 0' and '... expect proved races' hold of its "
              "kernels");
    add_arch(verb, options.preview.arch);
    verb.flag("--no-compile", options.no_compile, "with --contracts: ask no compiler, so that registers are not known");
}

} // namespace hidet::cli
