// SPDX-License-Identifier: Apache-2.0

#include "app/cli/verbs.h"
#include "app/lsp/serve.h"

namespace hidet::cli {

namespace {

struct LspOptions {
    bool stdio = false;
};

int serve_editor(const LspOptions&, const Cancelled&) {
    return lsp::serve_standard_streams();
}

} // namespace

void add_lsp(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("lsp", "the language server for editors, on standard streams");
    LspOptions& options = options_for(verb, chosen, serve_editor);
    verb.flag("--stdio", options.stdio, "on standard streams, which is so without it; many editors say it");
}

} // namespace hidet::cli
