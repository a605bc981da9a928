// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/stages.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "app/session/input.h"
#include "app/session/model/seeded_weights.h"

namespace hidet::session {

using namespace graph;

namespace {

std::vector<ModelTensor> tensors_of(const Graph& graph, const std::vector<ValueId>& values) {
    std::vector<ModelTensor> out;
    for (const ValueId id : values) {
        const Value& value = graph.value(id);
        out.push_back({value.name, ir::info(value.spec.dtype).name, text_of(value.spec.shape)});
    }
    return out;
}

std::size_t live_nodes(const Graph& graph) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
        count += graph.is_live({i});
    return count;
}

double weight_bytes(const Graph& graph) {
    double bytes = 0;
    for (std::uint32_t i = 0; i < graph.value_slots(); ++i)
        if (const Value& value = graph.value({i}); value.is_constant())
            bytes += static_cast<double>(value.data->count() * item_bytes(value.data->dtype));
    return bytes;
}

std::string problem_text(const ImportProblem& problem) {
    constexpr std::size_t most = 8;
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < problem.nodes.size() && i < most; ++i)
        nodes.push_back("'" + problem.nodes[i] + "'");
    if (problem.nodes.size() > most)
        nodes.push_back(cat(problem.nodes.size() - most, " more"));
    return problem.message + (nodes.empty() ? "" : ": " + join(nodes, ", "));
}

} // namespace

ModelStages::ModelStages(Work& work, const ModelRequest& request) : m_work(work), m_request(request) {
    m_run.target = request.target;
    m_run.seed = request.seed;
    m_run.tools = request.tools;
    m_run.kernel_seconds = request.kernel_seconds;
    m_run.cancelled = request.cancelled;
    m_run.fault = request.fault;
    m_run.print = request.print;
}
ModelStages::~ModelStages() = default;

void ModelStages::refuse(DiagId id, const std::string& what) {
    m_work.sink.report(id, {}, what);
}

void ModelStages::warn(const std::string& what) {
    Diagnostic diagnostic = Diagnostic::make(DiagId::BadValue, {}, what);
    diagnostic.severity = Severity::Warning;
    m_work.sink.report(std::move(diagnostic));
}

bool ModelStages::guarded_by_model(const std::function<bool()>& body) {
    try {
        return body();
    } catch (const OpError& error) {
        refuse(DiagId::BadShape, error.what());
        return false;
    } catch (const RuleFailed&) { // reported
        return false;
    }
}

// Opening a GPU may fail, which has to be known before anything is scheduled for it.
bool ModelStages::open_engine() {
    if (m_request.target == Target::Emulate) {
        m_target = graph::Target::Cuda;
    } else if (m_request.target != Target::Cpu) {
        ScriptEngine probe(m_work, m_run);
        if (probe.has_cuda()) {
            m_target = graph::Target::Cuda;
        } else if (m_request.target == Target::Cuda) {
            m_work.sink.report(DiagId::NoGpu, {}, probe.gpu_error() ? probe.gpu_error()->message : "there is none");
            m_work.status = Status::Environment;
            return false;
        }
    }
    if (m_target == graph::Target::Cpu)
        m_run.target = Target::Cpu;
    m_engine = std::make_unique<ScriptEngine>(m_work, m_run);
    return true;
}

bool ModelStages::import() {
    return open_engine() && m_scripts.load(m_work, m_request, *m_engine) &&
           guarded_by_model([this] { return import_model(); });
}

bool ModelStages::import_model() {
    m_work.enter("importing the model");
    Work::Clock clock(m_work, "import");
    if (m_request.path.ends_with(".json")) {
        Source source;
        if (!read_source(m_request.path, source, m_work.sink)) {
            m_work.status = Status::WrongUsage;
            return false;
        }
        return import_document(source.text);
    }
    ImportOptions options;
    options.custom = &m_scripts;
    for (const auto& [name, value] : m_request.dims)
        options.dims[name] = value;
    auto result = import_onnx(m_request.path, options);
    if (auto* failure = std::get_if<ImportFailure>(&result)) {
        if (failure->error.code == "model-not-found") {
            m_work.sink.report(DiagId::FileNotFound, {}, m_request.path);
            m_work.status = Status::WrongUsage;
            return false;
        }
        Diagnostic diagnostic = Diagnostic::make(DiagId::FileUnreadable, {}, m_request.path, failure->error.message);
        for (const ImportProblem& problem : failure->problems)
            diagnostic.notes.push_back({{}, problem_text(problem)});
        m_work.sink.report(std::move(diagnostic));
        return false;
    }
    auto& imported = std::get<Imported>(result);
    for (const ImportProblem& warning : imported.warnings)
        warn(problem_text(warning));
    m_imported = std::move(imported.graph);
    m_opset = imported.opset;
    m_producer = imported.producer;
    return true;
}

// The graph before the passes, where the document has it: they may go another way here.
bool ModelStages::import_document(const std::string& text) {
    std::int64_t made = 0;
    const WeightSource weights = seeded_weights(m_request.seed, made);
    Result<Graph> graph = read_document(text, weights, DocumentGraph::Imported);
    if (!graph) {
        made = 0;
        graph = read_document(text, weights);
    }
    if (!graph) {
        m_work.sink.report(DiagId::FileUnreadable, {}, m_request.path, graph.error().message);
        return false;
    }
    if (made > 0)
        warn("the document holds no weights: they are made from the seed");
    m_imported = std::move(graph).value();
    return true;
}

std::optional<Choices> ModelStages::read_choices() {
    Source source;
    if (!read_source(m_request.choices, source, m_work.sink)) {
        m_work.status = Status::WrongUsage;
        return std::nullopt;
    }
    Result<Choices> choices = graph::read_choices(source.text);
    if (choices)
        return std::move(choices).value();
    m_work.sink.report(DiagId::FileUnreadable, {}, m_request.choices, choices.error().message);
    return std::nullopt;
}

bool ModelStages::optimise(std::vector<GraphInstrument*> instruments) {
    m_work.enter("optimising the model");
    Work::Clock clock(m_work, "optimise");
    GraphOptions options;
    options.target = m_target;
    options.precision = m_request.precision;
    options.off = m_request.off;
    options.on = m_request.on;
    options.fusion.enabled = m_request.fuse;
    options.cancelled = m_request.cancelled;
    m_scripts.add_rules(options);
    std::optional<Choices> choices;
    std::optional<KeyWatch> watch;
    if (!m_request.choices.empty()) {
        choices = read_choices();
        if (!choices)
            return false;
        apply_choices(*choices, options);
        instruments.push_back(&watch.emplace(m_imported));
    }
    m_compiled->graph = m_imported;
    const bool fine = guarded_by_model([&] {
        m_optimised = graph::optimise(m_compiled->graph, options, instruments);
        m_compiled->partition = m_optimised.partition;
        return !m_work.stopped();
    });
    for (const std::string& name : m_optimised.unknown) {
        m_work.sink.report(DiagId::NoSuchPass, {}, name);
        m_work.status = Status::WrongUsage;
    }
    if (fine && watch)
        for (const std::string& sentence : watch->unmatched(*choices))
            warn(sentence);
    return fine && m_optimised.unknown.empty();
}

PlanProgress ModelStages::progress(const char* stage) {
    if (!m_request.progress)
        return {};
    const auto start = std::chrono::steady_clock::now();
    return [this, stage, start](std::size_t done, std::size_t total, std::string_view) {
        const double seconds = milliseconds_since(start) * 1e-3;
        const double left = done ? seconds * static_cast<double>(total - done) / static_cast<double>(done) : 0;
        m_request.progress({stage, done, total, seconds, left});
    };
}

bool ModelStages::plan() {
    m_work.enter("planning the model");
    Work::Clock clock(m_work, "plan");
    PlanOptions options;
    options.target = m_target;
    options.cancelled = m_request.cancelled;
    options.progress = progress("lowering");
    return guarded_by_model([&] {
        m_compiled->plan = make_plan(m_compiled->graph, m_compiled->partition, options);
        return !m_work.stopped();
    });
}

bool ModelStages::build() {
    m_work.enter("compiling the model");
    Work::Clock clock(m_work, "build");
    RunnerOptions options;
    options.cancelled = m_request.cancelled;
    options.progress = progress("compiling");
    m_runner = std::make_unique<Runner>(m_compiled, *m_engine, std::move(options));
    return m_runner->build(m_work.sink);
}

std::string ModelStages::name_of(NodeId id) const {
    const Node& node = m_compiled->graph.node(id);
    if (!node.name.empty())
        return node.name;
    // What a pass made is called after what it replaced.
    for (const NodeId replaced : node.replaces)
        if (replaced.index < id.index)
            if (std::string name = name_of(replaced); !name.empty())
                return name;
    return node.op ? node.op->name : "";
}

std::vector<std::string> ModelStages::names_of(const std::vector<NodeId>& nodes) const {
    std::vector<std::string> names;
    for (const NodeId node : nodes)
        if (std::string name = name_of(node); names.empty() || names.back() != name)
            names.push_back(std::move(name)); // what one operator of the model became stands once
    return names;
}

ModelFacts ModelStages::facts() const {
    const Graph& graph = m_compiled->graph;
    const Plan& plan = m_compiled->plan;
    ModelFacts facts;
    facts.name = m_imported.name;
    facts.producer = m_producer;
    facts.opset = m_opset;
    facts.target = target_name(m_target);
    facts.inputs = tensors_of(graph, graph.inputs);
    facts.outputs = tensors_of(graph, graph.outputs());
    facts.symbols = graph.symbols();
    facts.imported_nodes = live_nodes(m_imported);
    facts.nodes = live_nodes(graph);
    facts.groups = m_compiled->partition.groups.size();
    facts.steps = plan.steps.size();
    facts.host_steps = static_cast<std::size_t>(
        std::ranges::count_if(plan.steps, [](const Step& step) { return step.kind == Step::Kind::Host; }));
    facts.programs = plan.programs.size();
    facts.kernels = kernels().size();
    facts.weight_bytes = weight_bytes(graph);
    if (plan.arena_bytes) {
        facts.arena_bytes = constant_of(simplified(plan.arena_bytes));
        facts.arena_bound = constant_of(simplified(plan.liveness_bound));
    }
    const std::vector<Refusal>* const refused[] = {&m_compiled->partition.refusals, &plan.refusals};
    for (const std::vector<Refusal>* refusals : refused)
        for (const Refusal& refusal : *refusals)
            facts.refused.push_back(cat(name_of(refusal.producer), " -> ", name_of(refusal.consumer), ": ",
                                        refusal.text, " [", refusal_id(refusal.reason), "]"));
    return facts;
}

std::vector<ModelKernel> ModelStages::kernels() const {
    const Plan& plan = m_compiled->plan;
    std::vector<ModelKernel> out;
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> rows;
    for (const Step& step : plan.steps)
        for (const GroupProgram::Kernel& kernel : step.kernels) {
            const auto [found, is_new] = rows.emplace(std::pair(step.program, kernel.name), out.size());
            if (is_new)
                out.push_back({kernel.name, names_of(kernel.nodes), plan.programs[step.program].key, 0});
            ++out[found->second].launches;
        }
    return out;
}

} // namespace hidet::session
