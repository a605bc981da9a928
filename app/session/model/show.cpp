// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/session/model/stages.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/text/contents.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"

namespace hidet::session {

using namespace graph;

namespace {

using Json = nlohmann::ordered_json;

// Prints the graph after passes.
class Printer : public GraphInstrument {
public:
    Printer(const ModelShowRequest& request, ContentHashes& hashes) : m_request(request), m_hashes(hashes) {}

    void print(const std::string& pass, const Graph& graph, const Partition* partition = nullptr) {
        PrintOptions options;
        options.partition = partition;
        options.tasks = m_request.verbose;
        options.known = &m_hashes;
        text += (m_request.every ? "# " + pass + "\n" : "") + print_graph(graph, options);
    }
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override {
        const bool is_wanted = m_request.every ? !record.matches.empty() : m_request.after == pass.name;
        if (!is_wanted)
            return;
        if (!m_request.every)
            text.clear(); // a pass may run twice: the last time counts
        print(pass.name, graph);
    }
    std::string text;

private:
    const ModelShowRequest& m_request;
    ContentHashes& m_hashes;
};

std::string extent_text(const Dim& dim) {
    return dim ? text_of(dim) : "dynamic";
}

// Programs, steps and memory: what runs, in order, and where its results lie.
std::string plan_text(const ModelStages& stages) {
    const Plan& plan = stages.compiled().plan;
    std::string text = cat(plan.programs.size(), " programs, ", plan.steps.size(), " steps, arena of ",
                           extent_text(plan.arena_bytes), " bytes (at least ", extent_text(plan.liveness_bound), ")\n");
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        text += cat(i, step.kind == Step::Kind::Host ? " host " : " launch ");
        if (step.kind == Step::Kind::Host)
            text += stages.name_of(step.node);
        else
            text += plan.programs[step.program].key;
        for (const GroupProgram::Kernel& kernel : step.kernels)
            text += cat("\n    ", kernel.name, ": ", join(stages.names_of(kernel.nodes), ", "));
        for (const ValueId output : step.outputs) {
            const Placement& place = plan.placements[output.index];
            text +=
                cat("\n    -> ", text_of(stages.compiled().graph.value(output).spec), " ", placement_name(place.kind));
            if (place.kind == Placement::Kind::Arena)
                text += cat(" at ", extent_text(place.offset), ", steps ", place.first_step, " to ", place.last_step);
        }
        text += "\n";
    }
    return text;
}

Json json_of(const Dim& dim) {
    if (!dim)
        return nullptr;
    const auto number = constant_of(dim);
    return number ? Json(*number) : Json(text_of(dim));
}

std::string plan_json(const ModelStages& stages) {
    const Plan& plan = stages.compiled().plan;
    Json steps = Json::array();
    for (const Step& step : plan.steps) {
        Json kernels = Json::array();
        for (const GroupProgram::Kernel& kernel : step.kernels) {
            Json nodes = Json::array();
            for (const NodeId node : kernel.nodes)
                nodes.push_back(node.index);
            kernels.push_back({{"name", kernel.name}, {"nodes", nodes}});
        }
        Json arguments = Json::array();
        for (const ValueId argument : step.arguments)
            arguments.push_back(argument.index);
        const bool is_host = step.kind == Step::Kind::Host;
        steps.push_back({{"kind", is_host ? "host" : "launch"},
                         {"node", step.node.index},
                         {"group", step.group},
                         {"program", is_host ? Json(nullptr) : Json(plan.programs[step.program].key)},
                         {"kernels", kernels},
                         {"arguments", arguments},
                         {"outputs", step.outputs.size()}});
    }
    Json places = Json::array();
    for (std::uint32_t i = 0; i < plan.placements.size(); ++i) {
        const Placement& place = plan.placements[i];
        if (place.kind == Placement::Kind::None)
            continue;
        Json row = {{"value", i}, {"place", placement_name(place.kind)}, {"bytes", json_of(place.bytes)}};
        if (place.kind == Placement::Kind::Arena) {
            row["offset"] = json_of(place.offset);
            row["steps"] = {place.first_step, place.last_step};
        }
        if (place.kind == Placement::Kind::Alias)
            row["of"] = place.alias_of.index;
        places.push_back(std::move(row));
    }
    const Json out = {{"arena_bytes", json_of(plan.arena_bytes)},
                      {"liveness_bound", json_of(plan.liveness_bound)},
                      {"steps", steps},
                      {"memory", places}};
    return out.dump();
}

bool show_into(ModelStages& stages, const ModelShowRequest& request, std::string& text) {
    if (!stages.import())
        return false;
    ContentHashes hashes;
    Printer printer(request, hashes);
    GraphRecorder recorder(stages.imported());
    if (request.every || request.after == "import")
        printer.print("import", stages.imported());
    std::vector<GraphInstrument*> instruments = {&printer};
    if (request.form == ModelForm::Document)
        instruments.push_back(&recorder);
    if (!stages.optimise(instruments))
        return false;
    const bool plans = request.kernels || request.form == ModelForm::Document;
    if (plans && !stages.plan())
        return false;
    const Graph& graph = stages.compiled().graph;
    const Partition* partition = request.fused || request.kernels ? &stages.compiled().partition : nullptr;
    switch (request.form) {
    case ModelForm::Dot: text = dot_text(graph, partition); return true;
    case ModelForm::Netron: text = netron_json(graph, partition); return true;
    case ModelForm::Document:
        text = write_document({graph, &recorder, &stages.optimised(), {{"plan", plan_json(stages)}}, false});
        return true;
    case ModelForm::Text: break;
    }
    if (request.after.empty() && !request.every)
        printer.print("", graph, partition);
    text = printer.text + (request.kernels ? plan_text(stages) : "");
    return true;
}

bool knows_pass(const std::string& name) {
    if (name.empty() || name == "import")
        return true;
    for (const GraphPassInfo& pass : graph_passes())
        if (name == pass.name)
            return true;
    return false;
}

} // namespace

ModelShowResult show_model(const ModelShowRequest& request) {
    return answer<ModelShowResult>(request, "show", [&](Work& work, ModelShowResult& result) {
        if (!knows_pass(request.after)) {
            std::vector<std::string> names;
            for (const GraphPassInfo& pass : graph_passes())
                names.emplace_back(pass.name);
            work.sink.report(Diagnostic::make(DiagId::NoSuchPass, {}, request.after).suggest({}, request.after, names));
            work.status = Status::WrongUsage;
            return;
        }
        ModelStages stages(work, request);
        show_into(stages, request, result.text);
    });
}

ModelCompileResult compile_model(const ModelRequest& request) {
    return answer<ModelCompileResult>(request, "compile", [&](Work& work, ModelCompileResult& result) {
        ModelStages stages(work, request);
        if (!stages.all())
            return;
        result.facts = stages.facts();
        result.kernels = stages.kernels();
    });
}

} // namespace hidet::session
