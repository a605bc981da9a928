// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/computed_members.h"

#include <nlohmann/json.hpp>

#include "app/session/explain/memory_chart.h"
#include "app/session/exporting/export.h"
#include "app/session/model/code.h"
#include "app/session/tools/doctor.h"

namespace hidet::cli {

using namespace session;
using fields::Kind;
using fields::kind_of;

namespace {

template <class T>
Json tree_of(const T& value) {
    return json_tree(kind_of<T>(), &value);
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
    baseline["ratio"] = row.times.median > 0 ? row.baseline_times->median / row.times.median : 0;
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

} // namespace

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

} // namespace hidet::cli
