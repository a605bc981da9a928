// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/document.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "app/session/explain/memory_chart.h"
#include "app/session/exporting/export.h"
#include "app/session/model/code.h"
#include "app/session/tools/doctor.h"

namespace hidet::cli {

using namespace session;
using fields::Field;
using fields::Kind;
using fields::kind_of;
using fields::member_of;
using fields::Show;
using Sort = Kind::Sort;
using Json = nlohmann::ordered_json; // members stand in the order of their lists: a document is read by people too

namespace {

Json json_of_value(const Kind& kind, const void* value);

// ---- members of documents that stand in no struct: they follow from others

template <class T>
Json tree_of(const T& value) {
    return json_of_value(kind_of<T>(), &value);
}

// Findings of the emulator also say which places they are about.
void compute(Json& out, const DiagnosticView& diagnostic) {
    if (!diagnostic.where)
        return;
    Json related = Json::array();
    for (const NoteView& note : diagnostic.notes)
        if (note.place.known())
            related.push_back(tree_of(note));
    out["related"] = std::move(related);
}

void compute(Json& out, const TextSnapshot& text) {
    for (std::size_t i = 0; i < std::min(text.lines.size(), text.source_lines.size()); ++i)
        out["lines"][i]["cudaLine"] = text.source_lines[i] ? Json(text.source_lines[i]) : Json(nullptr);
}

// Of bytes there is no text, and their number stands for them.
void compute(Json& out, const FormSnapshot& form) {
    if (!form.compiler.empty())
        out["fromCache"] = form.from_cache;
    if (form.bytes.empty())
        return;
    out.erase("text");
    out.erase("lines");
    out["bytes"] = form.bytes.size();
}

void compute(Json& out, const ModuleSnapshot& module) {
    for (const auto& form : module.forms)
        out[form->name] = tree_of(*form);
}

void compute(Json& out, const InARow& row) {
    out["ratio"] = row.ratio() ? Json(*row.ratio()) : Json(nullptr);
}

void compute(Json& out, const BenchRow& row) {
    out["bound"] = row.is_memory_bound ? "memory" : "arithmetic";
    if (!row.baseline_times)
        return;
    Json& baseline = out["baseline"];
    baseline["name"] = row.baseline;
    baseline["seconds"] = tree_of(*row.baseline_times);
    baseline["hotSeconds"] = row.baseline_hot ? tree_of(*row.baseline_hot) : Json(nullptr);
    baseline["ratio"] = row.share_of_baseline();
    const std::optional<bench::Ratio> ratio = row.to_baseline();
    const std::optional<SpeedVerdict> speed = speed_of(row);
    baseline["speed"] = speed ? Json(speed->word) : Json(nullptr);
    if (speed && !speed->why.empty())
        baseline["speedBecause"] = speed->why;
    baseline["timeRatio"] = ratio ? Json{ratio->low, ratio->median, ratio->high} : Json(nullptr);
    baseline["difference"] = row.baseline_difference ? Json(*row.baseline_difference) : Json(nullptr);
}

void compute(Json& out, const KernelBenchResult& result) {
    if (result.measured)
        out["measured"]["samples"] = result.measured->times.samples;
}

void compute(Json& out, const KernelExplained& kernel) {
    Json& memory = out["memory"] = Json::array();
    for (const MemoryFlow& flow : memory_chart(kernel).flows)
        memory.push_back({{"from", memory_level_name(flow.from)},
                          {"to", memory_level_name(flow.to)},
                          {"read", flow.read},
                          {"written", flow.written},
                          {"bytes", flow.bytes},
                          {"isLeast", flow.is_least},
                          {"ratio", flow.ratio},
                          {"says", flow.says}});
}

void compute(Json& out, const KernelView& kernel) {
    out["launched"] = kernel.launch.has_value();
}

void compute(Json& out, const Comparison& comparison) {
    out["isRight"] = comparison.refusal.empty() && comparison.bad == 0;
}

void compute(Json& out, const ModelNodeError& node) {
    out["isRight"] = !node.is_bad;
}

void compute(Json& out, const ModelStepRow& row) {
    if (row.least_seconds == 0) // not known
        out["leastSeconds"] = out["bound"] = nullptr;
}

void compute(Json& out, const ModelBenchResult& result) {
    for (std::size_t i = 0; i < result.against.size(); ++i)
        out["against"][i]["ratio"] =
            result.times.median > 0 ? Json(result.against[i].seconds / result.times.median) : Json(nullptr);
}

void compute(Json& out, const ModelCodeResult& result) {
    out["graph"] = {{"name", result.graph_name}, {"text", result.graph_text}};
}

void compute(Json& out, const ExportedFile& file) {
    out["size"] = file.bytes.size();
    out["hash"] = hash_of(file);
}

void compute(Json& out, const MachineView& machine) {
    for (const artifact::SpecRow& row : machine.rows)
        out["facts"][row.what] = row.value;
}

struct Computed {
    const Kind* kind;
    void (*put)(Json&, const void*);
};

template <class T>
Computed of() {
    return {&kind_of<T>(), [](Json& out, const void* value) { compute(out, *static_cast<const T*>(value)); }};
}

void put_computed_members(Json& out, const Kind& kind, const void* value) {
    static const Computed all[] = {
        of<DiagnosticView>(),  of<TextSnapshot>(),   of<FormSnapshot>(),      of<ModuleSnapshot>(),
        of<BenchRow>(),        of<InARow>(),         of<KernelBenchResult>(), of<KernelView>(),
        of<Comparison>(),      of<ModelNodeError>(), of<ModelStepRow>(),      of<ModelBenchResult>(),
        of<ModelCodeResult>(), of<MachineView>(),    of<ExportedFile>(),      of<KernelExplained>()};
    for (const Computed& computed : all)
        if (computed.kind == &kind)
            computed.put(out, value);
}

// ---- those of structs

// "end_line" is "endLine" in a document.
std::string title_of(const Field& row) {
    if (row.title)
        return row.title;
    std::string title;
    for (const char* c = row.name; *c; ++c) {
        if (*c != '_')
            title += *c;
        else
            title += static_cast<char>(std::toupper(static_cast<unsigned char>(*++c)));
    }
    return title;
}

void put_members(Json& out, const Kind& kind, const void* value);

void put_place(Json& out, const session::Place& place, bool with_file) {
    if (with_file)
        out["file"] = place.known() ? Json(place.file) : Json(nullptr);
    out["line"] = place.known() ? Json(place.line) : Json(nullptr);
    out["column"] = place.known() ? Json(place.column) : Json(nullptr);
    out["endLine"] = place.known() ? Json(place.end_line) : Json(nullptr);
    out["endColumn"] = place.known() ? Json(place.end_column) : Json(nullptr);
}

void put_flat(Json& out, const Field& row, const void* value) {
    if (row.kind == &kind_of<session::Place>())
        return put_place(out, *static_cast<const session::Place*>(value), row.show == Show::Flat);
    if (row.kind->sort != Sort::Maybe)
        return put_members(out, *row.kind, value);
    if (!row.kind->is_empty(value))
        put_members(out, *row.kind->inner, row.kind->at(value, 0));
}

void put_row(Json& out, const Field& row, const void* value) {
    switch (row.show) {
    case Show::Hidden: return;
    case Show::Flat:
    case Show::Range: return put_flat(out, row, value);
    case Show::IfAny:
        if (row.kind->is_empty(value))
            return;
        break;
    case Show::OrNull:
        if (row.kind->is_empty(value)) {
            out[title_of(row)] = nullptr;
            return;
        }
        break;
    case Show::Member: break;
    }
    out[title_of(row)] = json_of_value(*row.kind, value);
}

void put_members(Json& out, const Kind& kind, const void* value) {
    for (const Field& row : kind.rows)
        put_row(out, row, member_of(value, row));
    put_computed_members(out, kind, value);
}

Json json_of_list(const Kind& kind, const void* list) {
    Json out = Json::array();
    const std::size_t size = kind.size(list);
    for (std::size_t i = 0; i < size; ++i)
        out.push_back(json_of_value(*kind.inner, kind.at(list, i)));
    return out;
}

Json json_of_integer(const Kind& kind, std::int64_t value) {
    if (kind.choice)
        return kind.choice(value);
    if (kind.is_signed)
        return value;
    return static_cast<std::uint64_t>(value);
}

Json json_of_value(const Kind& kind, const void* value) {
    switch (kind.sort) {
    case Sort::Nothing:
    case Sort::OneOf: return nullptr;
    case Sort::Bool: return *static_cast<const bool*>(value);
    case Sort::Number: return *static_cast<const double*>(value);
    case Sort::Integer:
    case Sort::Choice: return json_of_integer(kind, kind.integer(value));
    case Sort::Text: return *static_cast<const std::string*>(value);
    case Sort::List: return json_of_list(kind, value);
    case Sort::Maybe: return kind.is_empty(value) ? Json(nullptr) : json_of_value(*kind.inner, kind.at(value, 0));
    case Sort::Pair:
    case Sort::Struct: break;
    }
    Json out = Json::object();
    put_members(out, kind, value);
    return out;
}

} // namespace

struct Document::Tree {
    Json root = Json::object();
};

Document::Document() : m_tree(std::make_unique<Tree>()) {}
Document::~Document() = default;

Document& Document::add(const char* name, const std::string& value) {
    m_tree->root[name] = value;
    return *this;
}

Document& Document::add(const char* name, const Kind& kind, const void* value) {
    m_tree->root[name] = json_of_value(kind, value);
    return *this;
}

Document& Document::add_members(const Kind& kind, const void* value) {
    put_members(m_tree->root, kind, value);
    return *this;
}

// A script may print bytes that are no UTF-8: they are replaced, a document is always valid.
std::string Document::text() const {
    return m_tree->root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_of_refusal(const session::Outcome& outcome) {
    Document out;
    return out.add("output", std::string()).add("diagnostics", outcome.diagnostics).text();
}

} // namespace hidet::cli
