// SPDX-License-Identifier: Apache-2.0
// Fields are in the order written here: a document is read by people too.
#include <nlohmann/json.hpp>

#include "app/cli/output.h"

namespace hidet::cli {

namespace {

using Json = nlohmann::ordered_json;
using namespace session;

const char* severity_name(Severity severity) {
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return "error";
}

void put_place(Json& out, const Place& place) {
    out["file"] = place.known() ? Json(place.file) : Json(nullptr);
    out["line"] = place.known() ? Json(place.line) : Json(nullptr);
    out["column"] = place.known() ? Json(place.column) : Json(nullptr);
    out["endLine"] = place.known() ? Json(place.end_line) : Json(nullptr);
    out["endColumn"] = place.known() ? Json(place.end_column) : Json(nullptr);
}

Json json_of(const NoteView& note) {
    Json out;
    out["message"] = note.message;
    put_place(out, note.place);
    return out;
}

Json json_of(const FixView& fix) {
    Json out;
    out["title"] = fix.title;
    out["text"] = fix.text;
    put_place(out, fix.place);
    return out;
}

Json json_of(const DiagnosticView& diagnostic) {
    Json out;
    out["id"] = diagnostic.id;
    out["severity"] = severity_name(diagnostic.severity);
    out["message"] = diagnostic.message;
    put_place(out, diagnostic.place);
    Json notes = Json::array(), related = Json::array(), fixes = Json::array();
    for (const NoteView& note : diagnostic.notes)
        notes.push_back(json_of(note));
    for (const FixView& fix : diagnostic.fixes)
        fixes.push_back(json_of(fix));
    out["notes"] = notes;
    out["fixes"] = fixes;
    if (!diagnostic.where)
        return out;
    for (const NoteView& note : diagnostic.notes)
        if (note.place.known())
            related.push_back(json_of(note));
    out["block"] = diagnostic.where->block;
    out["thread"] = diagnostic.where->thread;
    out["related"] = related;
    return out;
}

Json json_of(const std::vector<DiagnosticView>& diagnostics) {
    Json out = Json::array();
    for (const DiagnosticView& diagnostic : diagnostics)
        out.push_back(json_of(diagnostic));
    return out;
}

Json json_of(const TextSnapshot& text) {
    Json lines = Json::array();
    for (const LineOrigin& origin : text.lines) {
        Json line;
        line["line"] = origin.place.known() ? Json(origin.place.line) : Json(nullptr);
        line["column"] = origin.place.known() ? Json(origin.place.column) : Json(nullptr);
        line["endLine"] = origin.place.known() ? Json(origin.place.end_line) : Json(nullptr);
        line["endColumn"] = origin.place.known() ? Json(origin.place.end_column) : Json(nullptr);
        line["pass"] = origin.pass.empty() ? Json(nullptr) : Json(origin.pass);
        lines.push_back(line);
    }
    Json out;
    out["text"] = text.text;
    out["lines"] = lines;
    return out;
}

Json json_of(const PassSnapshot& pass) {
    Json out;
    out["number"] = pass.number;
    out["name"] = pass.name;
    out["changed"] = pass.changed;
    out["ms"] = pass.ms;
    if (pass.module)
        out["module"] = json_of(*pass.module);
    return out;
}

Json json_of(const ModuleSnapshot& module) {
    Json out;
    out["number"] = module.number;
    put_place(out, module.site);
    Json functions = Json::array(), passes = Json::array();
    for (const FunctionSnapshot& function : module.functions) {
        Json row;
        row["name"] = function.name;
        row["kind"] = function.kind;
        put_place(row, function.place);
        functions.push_back(row);
    }
    for (const PassSnapshot& pass : module.passes)
        passes.push_back(json_of(pass));
    out["functions"] = functions;
    out["lowered"] = module.lowered;
    out["passes"] = passes;
    if (module.bytecode)
        out["bytecode"] = json_of(*module.bytecode);
    return out;
}

// A script may print bytes that are no UTF-8: they are replaced, a document is always valid.
std::string text_of(const Json& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string json_of(const Outcome& outcome) {
    Json out;
    out["output"] = "";
    out["diagnostics"] = json_of(outcome.diagnostics);
    return text_of(out);
}

std::string json_of(const PreviewResult& result) {
    Json out;
    out["output"] = "";
    out["diagnostics"] = json_of(result.diagnostics);
    Json modules = Json::array();
    for (const ModuleSnapshot& module : result.modules)
        modules.push_back(json_of(module));
    out["modules"] = modules;
    return text_of(out);
}

std::string json_of(const RunResult& result, const std::string& output) {
    Json out;
    out["output"] = output;
    out["diagnostics"] = json_of(result.diagnostics);
    Json summary;
    summary["emulated"] = result.summary.emulated;
    summary["modules"] = result.summary.modules;
    summary["calls"] = result.summary.calls;
    summary["kernels"] = result.summary.kernels;
    summary["launches"] = result.summary.launches;
    summary["ms"] = result.summary.ms;
    summary["uncalled"] = result.summary.uncalled;
    out["summary"] = summary;
    return text_of(out);
}

} // namespace hidet::cli
