// SPDX-License-Identifier: Apache-2.0
// What every request on a model does first. Each stage reports its mistakes to the work and returns false.
#pragma once

#include <chrono>

#include "app/session/model/model.h"
#include "app/session/model/scripts.h"
#include "app/session/model/tune/tune.h"
#include "app/session/package/plan_images.h"
#include "app/session/plan/graph_runner.h"
#include "app/session/script/engine.h"
#include "compiler/graph/document/choices.h"
#include "compiler/graph/onnx/import.h"
#include "compiler/graph/passes/pass.h"
#include "lang/base/text.h"

namespace hidet::session {

// Tells the request how far a loop is, and how long the rest takes if it is like what is done.
class StepProgress {
public:
    StepProgress(const ModelRequest& request, std::string what) : m_request(request), m_what(std::move(what)) {}
    void done(std::size_t count, std::size_t total) const;

private:
    const ModelRequest& m_request;
    const std::string m_what;
    const std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

ImageRequest image_request_of(const ModelRequest& request);

struct StageSettings {
    graph::ShapeOf shape_of;                          // of what the model will be run on
    std::function<bool(const std::string&)> is_given; // likewise
    std::optional<artifact::TargetSpec> target; // in place of the machine at hand: what is planned is not built here
    bool plan_checks_inputs = false;            // what runs the plan knows no graph
    bool is_built = false;                      // a script that is the model makes its weights, as where it is run
};

class ModelStages {
public:
    ModelStages(Work& work, const ModelRequest& request);
    ~ModelStages();

    StageSettings settings; // before import()

    bool import();
    bool optimise(std::vector<graph::GraphInstrument*> instruments = {});
    // Chooses schedules of the request's level. For a report what is missing is measured, and what becomes of them is told to it;
    // without one they are as the records say, and as their templates choose where those say nothing.
    bool tune(ModelTuneResult* report = nullptr, tune::Share* share = nullptr);
    bool plan();
    bool build();
    // From here on calls of compiled CPU code are timed: no limit is watched, which would cost time of its own.
    void begin_measuring() { m_run.watches_calls = false; }
    // To be run here: on a CPU, planned for the one that is there.
    bool all() {
        m_is_run_here = true;
        return import() && optimise() && tune() && plan() && build();
    }

    ModelFacts facts() const;
    std::vector<ModelKernel> kernels() const;
    std::string name_of(graph::NodeId node) const { return graph::name_of(m_compiled->graph, node); }
    std::vector<std::string> names_of(const std::vector<graph::NodeId>& nodes) const {
        return graph::names_of(m_compiled->graph, nodes);
    }

    void warn(const std::string& what);
    // Runs the body; what an operator refuses becomes a diagnostic.
    bool guarded_by_model(const std::function<bool()>& body);

    const graph::Graph& imported() const { return m_imported; }
    const std::string& producer() const { return m_producer; }
    std::int64_t opset() const { return m_opset; }
    const ModelScripts& scripts() const { return m_scripts; }
    const std::string& choices_text() const { return m_choices_text; } // of a file, once it is read
    const graph::Optimised& optimised() const { return m_optimised; }
    const graph::CompiledGraph& compiled() const { return *m_compiled; }
    GraphRunner& runner() const { return *m_runner; }
    ScriptEngine& engine() { return *m_engine; }
    const artifact::TargetSpec& target() const { return m_target; }                    // what it is planned for
    const graph::ScriptTemplates* used_templates() const { return m_templates.get(); } // null: none were asked

private:
    bool open_engine();
    bool use_options();
    bool import_model();
    bool import_document(const std::string& text);
    bool import_graph_file();
    bool has_dimensions();
    std::optional<graph::Choices> read_choices(FileId& file);
    void report(const std::vector<graph::ChoiceProblem>& problems, FileId file);
    std::optional<std::vector<graph::NodeId>> nodes_to_tune();
    graph::PlanProgress progress(const char* stage);
    void warn_of_open_sizes();

    Work& m_work;
    const ModelRequest& m_request;
    RunRequest m_run;
    std::unique_ptr<ScriptEngine> m_engine;
    ModelScripts m_scripts;
    artifact::TargetSpec m_target = artifact::default_cpu();
    std::string m_schedules; // ModelFacts::schedules
    std::string m_code;      // what is asked of code (ir/module_options.h)
    bool m_is_run_here = false;
    graph::Graph m_imported;
    std::string m_producer;
    std::int64_t m_opset = 0;
    std::string m_choices_text;
    std::shared_ptr<graph::CompiledGraph> m_compiled = std::make_shared<graph::CompiledGraph>();
    graph::Optimised m_optimised;
    const graph::ScriptTemplates* templates();
    std::vector<std::string> known_schedules();          // their names, and those that operators bring along
    std::unique_ptr<graph::ScriptTemplates> m_templates; // for GPUs
    graph::GraphOptions m_body_passes;                   // of branches and loops
    std::unique_ptr<GraphRunner> m_runner;
};

// The frame of every request on a model: body(work, result), guarded and finished.
template <class ModelResult>
ModelResult answer(const ModelRequest& request, const char* verb, const auto& body) {
    Work work;
    work.cancelled = request.cancelled;
    work.fault = request.fault;
    work.options = cat("model ", verb, " ", request.path);
    ModelResult result;
    guarded(work, [&] { body(work, result); });
    finish(work, result);
    return result;
}

} // namespace hidet::session
