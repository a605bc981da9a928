// SPDX-License-Identifier: Apache-2.0
// The fixes of the diagnostics and findings that touch the selection.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "app/lsp/diagnostics.h"
#include "app/lsp/features/features.h"

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

struct Repair {
    const session::DiagnosticView* of = nullptr;
    std::vector<session::FixView> edits; // together
    bool is_only_one = false;
};

std::vector<Repair> repairs_of(const OpenDocument& document, const assist::Range& asked) {
    const auto touches = [&](const session::DiagnosticView& diagnostic) {
        const assist::Range range = range_of(document, diagnostic);
        return range.begin <= asked.end && asked.begin <= range.end;
    };
    std::vector<Repair> out;
    for (const session::DiagnosticView& diagnostic : document.diagnostics())
        for (const session::FixView& fix : diagnostic.fixes)
            if (fix.place.known() && touches(diagnostic))
                out.push_back({&diagnostic, {fix}, diagnostic.fixes.size() == 1});
    for (const Finding& finding : document.findings())
        if (!finding.repair.empty() && touches(finding.diagnostic))
            out.push_back({&finding.diagnostic, finding.repair, true});
    return out;
}

} // namespace

Json code_actions(const Question& question) {
    Json out = Json::array();
    const OpenDocument& document = *question.document;
    if (!wants_fixes(question.params) || !question.client().takes_actions || !document.is_evaluated())
        return out;
    for (const Repair& repair : repairs_of(document, question.places().range_at(question.params, "/range"))) {
        std::map<std::string, std::vector<assist::Edit>> edits_by_path;
        for (const session::FixView& fix : repair.edits)
            edits_by_path[fix.place.file].push_back(edit_of(question.workspace, fix));
        Json action = {{"title", repair.edits.back().title}, {"kind", "quickfix"}};
        action["diagnostics"] = Json::array({json_of(question.workspace, document, *repair.of)});
        action["edit"] = workspace_edit(question.workspace, edits_by_path);
        action["isPreferred"] = repair.is_only_one;
        out.push_back(std::move(action));
    }
    return out;
}

} // namespace hidet::lsp
