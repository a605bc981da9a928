// SPDX-License-Identifier: Apache-2.0
// Fields are in the order written here: a document is read by people too.
#include <nlohmann/json.hpp>

#include "app/cli/json_parts.h"
#include "app/cli/output.h"

namespace hidet::cli {

namespace {

using namespace session;

const char* severity_name(Severity severity) {
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return "error";
}

void put_range(Json& out, const Place& place) {
    out["line"] = place.known() ? Json(place.line) : Json(nullptr);
    out["column"] = place.known() ? Json(place.column) : Json(nullptr);
    out["endLine"] = place.known() ? Json(place.end_line) : Json(nullptr);
    out["endColumn"] = place.known() ? Json(place.end_column) : Json(nullptr);
}

} // namespace

void put_place(Json& out, const Place& place) {
    out["file"] = place.known() ? Json(place.file) : Json(nullptr);
    put_range(out, place);
}

static Json json_part(const NoteView& note) {
    Json out;
    out["message"] = note.message;
    put_place(out, note.place);
    return out;
}

static Json json_part(const FixView& fix) {
    Json out;
    out["title"] = fix.title;
    out["text"] = fix.text;
    put_place(out, fix.place);
    return out;
}

static Json json_part(const DiagnosticView& diagnostic) {
    Json out;
    out["id"] = diagnostic.id;
    out["severity"] = severity_name(diagnostic.severity);
    out["message"] = diagnostic.message;
    put_place(out, diagnostic.place);
    Json notes = Json::array(), related = Json::array(), fixes = Json::array();
    for (const NoteView& note : diagnostic.notes)
        notes.push_back(json_part(note));
    for (const FixView& fix : diagnostic.fixes)
        fixes.push_back(json_part(fix));
    out["notes"] = notes;
    out["fixes"] = fixes;
    if (!diagnostic.where)
        return out;
    for (const NoteView& note : diagnostic.notes)
        if (note.place.known())
            related.push_back(json_part(note));
    out["block"] = diagnostic.where->block;
    out["thread"] = diagnostic.where->thread;
    out["related"] = related;
    return out;
}

Json json_part(const std::vector<DiagnosticView>& diagnostics) {
    Json out = Json::array();
    for (const DiagnosticView& diagnostic : diagnostics)
        out.push_back(json_part(diagnostic));
    return out;
}

static Json json_part(const std::vector<TokenOrigin>& tokens) {
    Json out = Json::array();
    for (const TokenOrigin& token : tokens) {
        Json row;
        row["begin"] = token.begin;
        row["end"] = token.end;
        put_range(row, token.place);
        row["pass"] = token.pass.empty() ? Json(nullptr) : Json(token.pass);
        out.push_back(row);
    }
    return out;
}

Json json_part(const std::vector<StageTime>& stages) {
    Json out = Json::array();
    for (const StageTime& stage : stages) {
        Json row;
        row["stage"] = stage.stage;
        row["ms"] = stage.ms;
        out.push_back(row);
    }
    return out;
}

static Json json_part(const TextSnapshot& text) {
    Json lines = Json::array();
    for (const LineOrigin& origin : text.lines) {
        Json line;
        put_range(line, origin.place);
        line["pass"] = origin.pass.empty() ? Json(nullptr) : Json(origin.pass);
        if (lines.size() < text.source_lines.size())
            line["cudaLine"] = text.source_lines[lines.size()] ? Json(text.source_lines[lines.size()]) : Json(nullptr);
        lines.push_back(line);
    }
    Json out;
    out["text"] = text.text;
    out["lines"] = lines;
    if (!text.tokens.empty())
        out["tokens"] = json_part(text.tokens);
    return out;
}

static Json json_part(const PassSnapshot& pass) {
    Json out;
    out["number"] = pass.number;
    out["name"] = pass.name;
    out["changed"] = pass.changed;
    out["ms"] = pass.ms;
    if (pass.module)
        out["module"] = json_part(*pass.module);
    return out;
}

Json json_part(const KernelFacts& kernel) {
    Json out;
    out["name"] = kernel.name;
    out["registers"] = kernel.registers;
    out["stackBytes"] = kernel.stack_bytes;
    out["spillStoreBytes"] = kernel.spill_store_bytes;
    out["spillLoadBytes"] = kernel.spill_load_bytes;
    out["staticSharedBytes"] = kernel.static_shared_bytes;
    return out;
}

static Json json_part(const FormSnapshot& form) {
    Json out = form.bytes.empty() ? json_part(form.text) : Json::object();
    if (!form.bytes.empty())
        out["bytes"] = form.bytes.size();
    if (!form.compiler.empty()) {
        Json kernels = Json::array();
        for (const KernelFacts& kernel : form.kernels)
            kernels.push_back(json_part(kernel));
        out["compiler"] = form.compiler;
        out["fromCache"] = form.from_cache;
        out["kernels"] = kernels;
    }
    out["ms"] = form.ms;
    return out;
}

Json json_part(const ModuleSnapshot& module) {
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
        passes.push_back(json_part(pass));
    out["functions"] = functions;
    out["lowered"] = module.lowered;
    out["passes"] = passes;
    for (const auto& form : module.forms)
        out[form->name] = json_part(*form);
    return out;
}

// A script may print bytes that are no UTF-8: they are replaced, a document is always valid.
std::string text_of(const Json& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_of(const Outcome& outcome) {
    Json out;
    out["output"] = "";
    out["diagnostics"] = json_part(outcome.diagnostics);
    return text_of(out);
}

std::string json_of(const PreviewResult& result) {
    Json out;
    out["output"] = "";
    out["diagnostics"] = json_part(result.diagnostics);
    Json modules = Json::array();
    for (const ModuleSnapshot& module : result.modules)
        modules.push_back(json_part(module));
    out["modules"] = modules;
    out["stages"] = json_part(result.stages);
    return text_of(out);
}

Json json_part(const TimesView& times) {
    Json out;
    out["median"] = times.median;
    out["p10"] = times.p10;
    out["p90"] = times.p90;
    out["spread"] = times.spread;
    out["count"] = times.count;
    return out;
}

Json json_part(const BenchRow& row) {
    Json out;
    out["function"] = row.function;
    out["shapes"] = row.shapes;
    out["where"] = row.where;
    put_place(out, row.site);
    out["seconds"] = json_part(row.times);
    out["hotSeconds"] = row.hot ? json_part(*row.hot) : Json(nullptr);
    out["flops"] = row.flops ? Json(*row.flops) : Json(nullptr);
    out["flopsAtMost"] = row.flops_at_most;
    out["flopsUnknown"] = row.flops_unknown.empty() ? Json(nullptr) : Json(row.flops_unknown);
    out["bytes"] = row.bytes;
    out["roofline"] = row.roofline ? Json(*row.roofline) : Json(nullptr);
    out["bound"] = row.is_memory_bound ? "memory" : "arithmetic";
    out["peakFlops"] = row.peak_flops;
    out["peakBytesPerSecond"] = row.peak_bytes_per_second;
    out["notes"] = row.notes;
    if (row.peer_times) {
        Json peer;
        peer["name"] = row.peer;
        peer["seconds"] = json_part(*row.peer_times);
        peer["hotSeconds"] = row.peer_hot ? json_part(*row.peer_hot) : Json(nullptr);
        peer["ratio"] = row.times.median > 0 ? row.peer_times->median / row.times.median : 0;
        peer["difference"] = row.peer_difference;
        out["peer"] = peer;
    }
    return out;
}

std::string json_of(const BenchResult& result, const std::string& output) {
    Json rows = Json::array();
    for (const BenchRow& row : result.rows)
        rows.push_back(json_part(row));
    Json out;
    out["output"] = output;
    out["diagnostics"] = json_part(result.diagnostics);
    out["rows"] = rows;
    return text_of(out);
}

static Json parts_of(const std::vector<MachineView>& machines) {
    Json out = Json::array();
    for (const MachineView& machine : machines) {
        Json row;
        row["id"] = machine.id.empty() ? Json(nullptr) : Json(machine.id);
        row["name"] = machine.name;
        for (const artifact::SpecRow& fact : machine.rows)
            row["facts"][fact.what] = fact.value;
        out.push_back(std::move(row));
    }
    return out;
}

std::string json_of(const std::vector<MachineView>& machines) {
    Json out;
    out["machines"] = parts_of(machines);
    return text_of(out);
}

std::string json_of(const DoctorReport& report, const std::vector<MachineView>& machines) {
    Json tools = Json::array();
    for (const ToolFact& tool : report.tools) {
        Json row;
        row["name"] = tool.name;
        row["serves"] = tool.serves;
        row["usable"] = tool.usable;
        row["path"] = tool.path;
        row["version"] = tool.version;
        row["origin"] = tool.origin;
        row["problem"] = tool.problem;
        row["advice"] = tool.advice;
        row["looked"] = tool.looked;
        tools.push_back(row);
    }
    Json gpu;
    gpu["usable"] = report.gpu.usable;
    gpu["name"] = report.gpu.name;
    gpu["arch"] = report.gpu.arch;
    gpu["multiprocessors"] = report.gpu.multiprocessors;
    gpu["memoryBytes"] = report.gpu.memory_bytes;
    Json out;
    out["gpu"] = gpu;
    out["tools"] = tools;
    out["machines"] = parts_of(machines);
    return text_of(out);
}

std::string json_of(const CacheReport& report) {
    Json out;
    out["folder"] = report.folder;
    out["entries"] = report.entries;
    out["bytes"] = report.bytes;
    out["limit"] = report.limit;
    return text_of(out);
}

std::string json_of(const RunResult& result, const std::string& output) {
    Json out;
    out["output"] = output;
    out["diagnostics"] = json_part(result.diagnostics);
    Json summary;
    summary["emulated"] = result.summary.emulated;
    summary["device"] = result.summary.device.empty() ? Json(nullptr) : Json(result.summary.device);
    summary["modules"] = result.summary.modules;
    summary["calls"] = result.summary.calls;
    summary["kernels"] = result.summary.kernels;
    summary["launches"] = result.summary.launches;
    summary["nativeCalls"] = result.summary.native_calls;
    summary["ms"] = result.summary.ms;
    summary["uncalled"] = result.summary.uncalled;
    out["summary"] = summary;
    out["stages"] = json_part(result.stages);
    return text_of(out);
}

} // namespace hidet::cli
