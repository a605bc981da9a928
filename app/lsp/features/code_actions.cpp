// SPDX-License-Identifier: Apache-2.0
// The fixes of the diagnostics that touch the selection.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/lsp/diagnostics.h"
#include "app/lsp/features/features.h"
#include "app/lsp/features/workspace_edit.h"

namespace hidet::lsp {

namespace {

bool wants_fixes(const Json& params) {
    const Json* only = find(params, "/context/only");
    if (!only || !only->is_array())
        return true;
    return std::any_of(only->begin(), only->end(), [](const Json& kind) { return kind == "" || kind == "quickfix"; });
}

// Where the fix is in a text that the client did not send, its places are those of the file.
assist::Edit edit_of(Workspace& workspace, const session::FixView& fix) {
    const IndexedText text = workspace.text_of(fix.place.file);
    std::uint32_t begin = text.offset_of_place(fix.place.line, fix.place.column);
    std::uint32_t end = text.offset_of_place(fix.place.end_line, fix.place.end_column);
    return {{begin, std::max(begin, end)}, fix.text};
}

} // namespace

Json code_actions(const Question& question) {
    Json out = Json::array();
    const OpenDocument& document = *question.document;
    if (!wants_fixes(question.params) || !question.client().takes_actions || !document.is_evaluated())
        return out;
    const assist::Range asked = question.places().range_at(question.params, "/range");
    for (const session::DiagnosticView& diagnostic : document.diagnostics()) {
        assist::Range range = range_of(document, diagnostic);
        bool touches = range.begin <= asked.end && asked.begin <= range.end;
        for (const session::FixView& fix : touches ? diagnostic.fixes : std::vector<session::FixView>()) {
            if (!fix.place.known())
                continue;
            Json action = {{"title", fix.title}, {"kind", "quickfix"}};
            action["diagnostics"] = Json::array({json_of(question.workspace, document, diagnostic)});
            action["edit"] = workspace_edit(question.workspace, {{fix.place.file, {edit_of(question.workspace, fix)}}});
            action["isPreferred"] = diagnostic.fixes.size() == 1;
            out.push_back(std::move(action));
        }
    }
    return out;
}

} // namespace hidet::lsp
