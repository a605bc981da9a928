// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/diagnostics.h"

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

assist::Range range_in(const IndexedText& text, const session::Place& place) {
    std::uint32_t begin = text.offset_of_place(place.line, place.column);
    std::uint32_t end = text.offset_of_place(place.end_line, place.end_column);
    return {begin, std::max(begin, end)};
}

int severity_number(Severity severity) {
    switch (severity) {
    case Severity::Error: return 1;
    case Severity::Warning: return 2;
    case Severity::Note: return 3;
    }
    return 1;
}

Json related(Workspace& workspace, const session::Place& place, const std::string& message) {
    const IndexedText text = workspace.text_of(place.file);
    Places places{text, workspace.client.encoding};
    return {{"location", {{"uri", workspace.uri_of(place.file)}, {"range", places.json(range_in(text, place))}}},
            {"message", message}};
}

} // namespace

assist::Range range_of(const OpenDocument& document, const session::DiagnosticView& diagnostic) {
    if (!diagnostic.place.known())
        return {};
    if (diagnostic.place.file == document.path)
        return range_in(document.text, diagnostic.place);
    if (document.is_read())
        for (const assist::ImportLink& link : assist::import_links(*document.answers()))
            if (link.path == diagnostic.place.file)
                return link.range;
    return {};
}

Json json_of(Workspace& workspace, const OpenDocument& document, const session::DiagnosticView& diagnostic) {
    Places places{document.text, workspace.client.encoding};
    Json out = {{"range", places.json(range_of(document, diagnostic))},
                {"severity", severity_number(diagnostic.severity)},
                {"code", diagnostic.id},
                {"source", "hidet"}};
    std::string message = diagnostic.message;
    Json beside = Json::array();
    auto add = [&](const session::Place& place, const std::string& what) {
        if (place.known() && workspace.client.shows_related)
            beside.push_back(related(workspace, place, what));
        else
            message += place.known() ? cat("\nline ", place.line, ": ", what) : cat("\n", what);
    };
    if (diagnostic.place.known() && diagnostic.place.file != document.path) {
        message = cat(diagnostic.place.file, ":", diagnostic.place.line, ": ", message);
        if (workspace.client.shows_related)
            add(diagnostic.place, "here");
    }
    for (const session::NoteView& note : diagnostic.notes)
        add(note.place, note.message);
    out["message"] = std::move(message);
    if (!beside.empty())
        out["relatedInformation"] = std::move(beside);
    return out;
}

Json diagnostics_of(Workspace& workspace, const OpenDocument& document) {
    Json out = Json::array();
    for (const session::DiagnosticView& diagnostic : document.diagnostics())
        out.push_back(json_of(workspace, document, diagnostic));
    for (const Finding& finding : document.findings())
        out.push_back(json_of(workspace, document, finding.diagnostic));
    return out;
}

} // namespace hidet::lsp
