// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/measured.h"
#include "app/session/model/stages.h"
#include "app/session/model/view/plan_json.h"
#include "compiler/graph/document/constants.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/text/contents.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"

namespace hidet::session {

using namespace graph;

namespace {

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

std::string size_text(const artifact::ExprValue& size) {
    return size ? cat(*size) : "dynamic";
}

std::string step_text(const Plan& plan, const Graph& graph, const artifact::PlanBody& body, const StepSource& source,
                      const artifact::PlanStep& step) {
    const bool is_host = is_on_host(step.kind);
    std::string text = is_host ? " host " + name_of(graph, source.node)
                               : " launch " + plan.programs[plan.launch.functions[step.function].module].key;
    for (const artifact::Row made : step.bodies)
        text += cat(made == step.bodies[0] ? ": body " : ", or body ", made);
    for (const GroupProgram::Kernel& kernel : source.kernels)
        text += cat("\n    ", kernel.name, ": ", join(names_of(graph, kernel.nodes), ", "));
    for (const artifact::Row output : step.writes) {
        const artifact::PlanValue& value = body.values[output];
        text += cat("\n    -> ", value.dtype, extents_text(body, value.shape), " ", enum_name(value.place));
        if (value.place == artifact::Place::Arena)
            text += cat(" at ", size_text(artifact::constant_of(body.expressions[value.offset])), ", steps ",
                        value.first_step, " to ", value.last_step);
    }
    return text + "\n";
}

// Programs, steps and memory: what runs, in order, and where its results lie.
std::string plan_text(const ModelStages& stages) {
    const Plan& plan = stages.compiled().plan;
    const artifact::LaunchPlan& launch = plan.launch;
    const artifact::ArenaSizes sizes = arena_sizes(launch);
    std::string text = cat(plan.programs.size(), " programs, ", launch.steps.size(), " steps, arena of ",
                           size_text(sizes.bytes), " bytes (at least ", size_text(sizes.bound), ")\n");
    for (std::size_t i = 0; i < launch.steps.size(); ++i)
        text += cat(i, step_text(plan, stages.compiled().graph, launch, plan.sources[i], launch.steps[i]));
    for (std::size_t row = 0; row < plan.bodies.size(); ++row) {
        const PlannedBody& planned = plan.bodies[row];
        const artifact::PlanBody& body = launch.bodies[row];
        text += cat("body ", row, planned.graph ? "" : ": " + body.requirements[0].message, "\n");
        for (std::size_t i = 0; i < body.steps.size(); ++i)
            text += cat("  ", i, step_text(plan, *planned.graph, body, planned.sources[i], body.steps[i]));
    }
    return text;
}

// What the document says of times: those of random inputs.
bool add_times(Work& work, ModelStages& stages, const ModelShowRequest& request, DocumentParts& parts) {
    ModelRunRequest run;
    static_cast<ModelRequest&>(run) = request;
    ModelBenchResult measured;
    if (!stages.build() || !measure_built(work, run, stages, measured))
        return false;
    parts.sections.emplace_back("times", times_json(measured));
    return true;
}

bool write_document_into(Work& work, ModelStages& stages, const ModelShowRequest& request,
                         const GraphRecorder& recorder, std::string& text) {
    DocumentParts parts{stages.compiled().graph, &recorder, &stages.optimised(), {}, false, &work.sources};
    parts.sections.emplace_back("constants", json_of_constants(parts.graph));
    parts.sections.emplace_back("plan", plan_json(stages));
    if (request.measure && !add_times(work, stages, request, parts))
        return false;
    text = write_document(parts);
    return true;
}

bool show_into(Work& work, ModelStages& stages, const ModelShowRequest& request, std::string& text) {
    if (!stages.import())
        return false;
    if (request.form == ModelForm::Document && request.after == "import") {
        text = write_document({.graph = stages.imported(), .sources = &work.sources});
        return true;
    }
    ContentHashes hashes;
    Printer printer(request, hashes);
    GraphRecorder recorder(stages.imported(), &work.sources);
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
    case ModelForm::Document: return write_document_into(work, stages, request, recorder, text);
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
        show_into(work, stages, request, result.text);
    });
}

ModelCompileResult compile_model(const ModelRequest& request, std::string* graph) {
    return answer<ModelCompileResult>(request, "compile", [&](Work& work, ModelCompileResult& result) {
        ModelStages stages(work, request);
        if (!stages.import() || !stages.optimise() || !stages.tune() || !stages.plan() || !stages.build())
            return;
        result.facts = stages.facts();
        result.kernels = stages.kernels();
        if (graph)
            *graph = print_graph(stages.compiled().graph, {.partition = &stages.compiled().partition});
    });
}

} // namespace hidet::session
