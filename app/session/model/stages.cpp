// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/stages.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

#include "app/session/model/processes.h"
#include "app/session/model/request.h"
#include "app/session/package/graph_file.h"
#include "app/session/request/source.h"
#include "app/session/work/refusal.h"
#include "compiler/artifact/asked_gpu.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/plan/extent.h"
#include "compiler/graph/plan/plan.h"
#include "compiler/ir/ops.h"
#include "compiler/schedule/implementation.h"
#include "lang/base/file_place.h"
#include "lang/base/printable.h"
#include "lang/tensor/elements.h"
#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

using namespace graph;

namespace {

// Weights for graphs that travel without theirs: from a seed and the hash of what they stand for, so that every run and
// every machine has the same.
constexpr std::int64_t most_bytes = std::int64_t{4} << 30;
std::uint64_t mixed(std::uint64_t seed, const std::string& hash) {
    for (const unsigned char c : hash)
        seed = (seed ^ c) * 0x100000001b3;
    return seed;
}

// Element i depends on the key and i alone, and takes no function of a math library: any program can make the same numbers
// (tests/models/large/make.py does, for ONNX Runtime).
double uniform(std::uint64_t key, std::uint64_t i) { // [0, 1): splitmix64
    std::uint64_t z = key + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Scales and variances of a normalisation are positive; products of matrices keep the size of what goes in.
void fill(const lang::Tensor& tensor, std::uint64_t key) {
    const auto count = static_cast<std::size_t>(tensor.count());
    if (!ir::is_float(tensor.dtype)) {
        lang::Integers numbers(count);
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = uniform(key, i) < 0.5 ? 0 : 1;
        return lang::write_integers(tensor, numbers);
    }
    const bool is_matrix = tensor.shape.size() >= 2;
    const double fan = is_matrix && tensor.shape[0] > 0 ? static_cast<double>(tensor.count() / tensor.shape[0]) : 1;
    const double widest = std::sqrt(3 / std::max(fan, 1.0));
    lang::Doubles numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = is_matrix ? (2 * uniform(key, i) - 1) * widest : 0.5 + uniform(key, i);
    lang::write_doubles(tensor, numbers);
}

// How many bytes were made is added to `bytes`; beyond 4 GiB there are none.
WeightSource seeded_weights(std::uint64_t seed, std::int64_t& bytes) {
    return [seed, &bytes](const std::string& hash, const graph::TensorSpec& spec) -> lang::TensorRef {
        const auto extents = graph::constant_shape(spec.shape);
        const auto wanted = graph::evaluate(graph::bytes_of(spec), {});
        if (!extents || !wanted || *wanted < 0 || *wanted > most_bytes - bytes || !lang::holds_numbers(spec.dtype))
            return nullptr;
        bytes += *wanted;
        lang::TensorRef tensor(new lang::Tensor());
        tensor->dtype = spec.dtype;
        tensor->shape = *extents;
        tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(*wanted, 1)));
        fill(*tensor, mixed(seed, hash));
        return tensor;
    };
}

// Operators without inputs make elements; all others of the class move them.
bool only_moves(const Graph& graph, const std::vector<NodeId>& nodes) {
    return !nodes.empty() && std::ranges::all_of(nodes, [&](NodeId id) {
        const Node& node = graph.node(id);
        return node.op->cls == OpClass::Transform && !node.inputs.empty();
    });
}

ModelRearrangement rearrangement_of(const Graph& graph, const std::vector<NodeId>& nodes) {
    Group group;
    group.anchor = nodes.back();
    group.nodes = nodes;
    ModelRearrangement out{graph::name_of(graph, nodes.back()), {}, {}};
    for (const NodeId node : nodes)
        if (!graph.node(node).op->shares_memory)
            out.moves.emplace_back(graph.node(node).op->name);
    if (const Dim bytes = cost_of(graph, group).bytes)
        out.bytes = ir::constant_int(bytes);
    return out;
}

// What of a compiled graph only moves elements: transposes between layouts, joins, slices, that no other kernel took along.
std::vector<ModelRearrangement> rearrangements_of(const Graph& graph, const Plan& plan) {
    std::vector<ModelRearrangement> all;
    for (const StepSource& source : plan.sources)
        for (const GroupProgram::Kernel& kernel : source.kernels)
            if (!kernel.is_alternative && only_moves(graph, kernel.nodes))
                all.push_back(rearrangement_of(graph, kernel.nodes));
    return all;
}

// What decides how work is cut; the rest stays as it is elsewhere, so that the same operators are fused on every machine.
artifact::TargetSpec cpu_of_here() {
    artifact::TargetSpec target = artifact::default_cpu();
    const artifact::TargetSpec here = bench::this_cpu();
    target.cores = here.cores;
    target.vector_bytes = here.vector_bytes;
    return target;
}

std::vector<ModelTensor> tensors_of(const Graph& graph, const std::vector<ValueId>& values) {
    std::vector<ModelTensor> out;
    for (const ValueId id : values) {
        const Value& value = graph.value(id);
        out.push_back({value.shown_name(), ir::info(value.spec.dtype).name, text_of(value.spec.shape)});
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

// As many names as a message has room for.
std::string problem_text(const ImportProblem& problem) {
    constexpr std::size_t most = 8;
    constexpr std::size_t for_the_rest = 20;
    std::vector<std::string> nodes;
    std::size_t length = problem.message.size() + for_the_rest;
    for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
        length += problem.nodes[i].size() + 4;
        if (i == most || length > most_in_message) {
            nodes.push_back(cat(problem.nodes.size() - i, i > 0 ? " more" : " nodes"));
            break;
        }
        nodes.push_back("'" + problem.nodes[i] + "'");
    }
    return problem.message + (nodes.empty() ? "" : ": " + join(nodes, ", "));
}

} // namespace

void StepProgress::done(std::size_t count, std::size_t total) const {
    if (!m_request.progress)
        return;
    const double seconds = milliseconds_since(m_start) * 1e-3;
    const double left = count ? seconds * static_cast<double>(total - count) / static_cast<double>(count) : 0;
    m_request.progress({m_what, count, total, seconds, left});
}

ImageRequest image_request_of(const ModelRequest& request) {
    return {run_request_of(request), [progress = StepProgress(request, "compiling")](
                                         std::size_t done, std::size_t total) { progress.done(done, total); }};
}

ModelStages::ModelStages(Work& work, const ModelRequest& request)
    : m_work(work), m_request(request), m_run(run_request_of(request)) {
    m_choices_text = request.choices_text;
}
ModelStages::~ModelStages() = default;

void ModelStages::warn(const std::string& what) {
    report_warning(m_work.sink, what);
}

bool ModelStages::guarded_by_model(const std::function<bool()>& body) {
    return session::guarded_by_model(m_work, body);
}

// Opening a GPU may fail, which has to be known before anything is scheduled for it.
bool ModelStages::open_engine() {
    if (settings.target) {
        m_target = *settings.target;
        m_run.target = Target::Emulate; // what scripts of the user run
    } else if (m_request.target == Target::Emulate) {
        m_target = artifact::default_gpu();
    } else if (m_request.target != Target::Cpu) {
        ScriptEngine probe(m_work, m_run);
        if (!probe.has_wanted_gpu())
            return false;
        if (const artifact::TargetSpec* gpu = probe.gpu())
            m_target = *gpu;
    }
    if (!m_target.is_cuda()) {
        m_run.target = Target::Cpu;
        if (m_is_run_here)
            m_target = cpu_of_here();
    }
    m_engine = std::make_unique<ScriptEngine>(m_work, m_run);
    return true;
}

// What the user's scripts ask of code.
bool ModelStages::use_options() {
    const ir::ModuleOptions options = m_scripts.options();
    m_code = ir::text_of(options);
    if (!m_target.is_cuda())
        return true;
    if (std::optional<artifact::TargetSpec> asked = artifact::asked_gpu(options.gpu, m_target)) {
        m_target = std::move(*asked);
        return true;
    }
    m_work.sink.report(DiagId::NoSuchArch, {}, options.gpu);
    return false;
}

bool ModelStages::import() {
    // What is only looked at needs no data: its kernels are not run, and its weights are not made.
    const bool needs_data = m_is_run_here || settings.is_built;
    const lang::Mode mode = needs_data ? lang::Mode::Run : lang::Mode::Preview;
    return open_engine() && m_scripts.load(m_work, m_request, *m_engine, mode) && use_options() &&
           guarded_by_model([this] { return import_model(); });
}

// Errors of an import have rows of their own, but for those about the file itself.
static std::optional<DiagId> import_diagnostic(std::string_view code) {
    for (const DiagId id :
         {DiagId::OperatorsMissing, DiagId::InputsUnsupported, DiagId::ModelBroken, DiagId::ModelWrong})
        if (info(id).id == code)
            return id;
    return std::nullopt;
}

bool ModelStages::import_model() {
    m_work.enter("importing the model");
    if (m_request.progress)
        m_request.progress({"reading the model"});
    Work::Clock clock(m_work, "import");
    if (is_script(m_request)) {
        std::optional<Graph> traced = m_scripts.traced(m_work, m_request);
        if (!traced)
            return false;
        m_imported = std::move(*traced);
        return has_dimensions();
    }
    if (m_request.path.ends_with(".json")) {
        Source source;
        return read_source(m_work, m_request.path, source) && import_document(source.text);
    }
    if (is_folder(m_request.path)) {
        return report_wrong_usage(
            m_work, Diagnostic::make(DiagId::FileUnreadable, {}, m_request.path, "it is a folder, not a model"));
    }
    if (!is_file(m_request.path, m_work.sink)) {
        m_work.status = Status::WrongUsage;
        return false;
    }
    if (first_member_of(m_request.path) == graph_member)
        return import_graph_file();
    if (processes_of_package(m_request.path, "") > 0)
        return report_wrong_usage(m_work, cat("'", m_request.path,
                                              "' is a compiled package, which 'hidetc model run' "
                                              "runs and 'hidet-run time' measures"));
    ImportOptions options;
    options.custom = &m_scripts;
    if (m_request.specialise)
        for (const auto& [name, value] : m_request.dims)
            options.dims[name] = value;
    options.shape_of = settings.shape_of;
    options.is_given = settings.is_given;
    auto result = import_onnx(m_request.path, options);
    if (const auto* failure = std::get_if<ImportFailure>(&result);
        failure && failure->error.code == "model-wrong" && settings.shape_of) {
        options.fixed = true;
        auto fixed = import_onnx(m_request.path, options);
        if (std::holds_alternative<Imported>(fixed)) {
            warn(cat("the graph is one for the shapes of these inputs alone: ", failure->error.message));
            result = std::move(fixed);
        }
    }
    if (auto* failure = std::get_if<ImportFailure>(&result)) {
        if (failure->error.code == "dimension-unknown") {
            return report_wrong_usage(m_work, failure->error.message);
        }
        const std::optional<DiagId> id = import_diagnostic(failure->error.code);
        Diagnostic diagnostic =
            id ? Diagnostic::make(*id, {}, m_request.path, failure->error.message) : file_problem(failure->error);
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
    return m_request.specialise || has_dimensions();
}

// The graph before the passes, where the document has it: they may go another way here.
bool ModelStages::import_document(const std::string& text) {
    std::int64_t made = 0;
    const WeightSource weights = seeded_weights(m_request.seed, made);
    Result<Graph> graph = read_document(text, weights, DocumentGraph::Imported, &m_work.sources);
    if (!graph) {
        made = 0;
        graph = read_document(text, weights, DocumentGraph::Final, &m_work.sources);
    }
    if (!graph) {
        m_work.sink.report(DiagId::ModelBroken, {}, m_request.path, graph.error().message);
        return false;
    }
    if (made > 0)
        warn("the document holds no weights: they are made from the seed");
    m_imported = std::move(graph).value();
    return has_dimensions();
}

// As FlowGraph.save() writes it.
bool ModelStages::import_graph_file() {
    Result<ScriptGraph> graph = read_graph_file(m_request.path);
    if (!graph) {
        m_work.sink.report(DiagId::ModelBroken, {}, m_request.path, graph.error().message);
        return false;
    }
    m_imported = std::move(graph).value().graph;
    return has_dimensions();
}

// Those that the request gives a value.
bool ModelStages::has_dimensions() {
    const std::vector<std::string> symbols = m_imported.symbols();
    for (const auto& [name, extent] : m_request.dims)
        if (std::ranges::find(symbols, name) == symbols.end())
            return report_wrong_usage(m_work, cat("the model has no dimension '", name, "'",
                                                  symbols.empty() ? "; all its extents are numbers"
                                                                  : "; it has '" + join(symbols, "', '") + "'"));
    return true;
}

std::optional<Choices> ModelStages::read_choices(FileId& file) {
    Source source{"choices", m_choices_text, {}};
    if (m_choices_text.empty() && !read_source(m_work, m_request.choices, source))
        return std::nullopt;
    m_choices_text = source.text;
    file = m_work.sources.add(source.name, source.text);
    std::optional<TextRange> broken;
    Result<Choices> choices = graph::read_choices(source.text, &broken);
    if (choices)
        return std::move(choices).value();
    const Span span = broken ? Span{file, broken->first, broken->second} : Span{};
    m_work.sink.report(DiagId::FileUnreadable, span, source.name, choices.error().message);
    return std::nullopt;
}

// What names nothing that exists is a mistake; what this model lacks is said, and the rest is done.
void ModelStages::report(const std::vector<ChoiceProblem>& problems, FileId file) {
    for (const ChoiceProblem& problem : problems) {
        Span place; // what the command line says has none
        if (file != 0) {
            const TextRange range = problem.place_in(m_work.sources.file(file).text());
            place = {file, range.first, range.second};
        }
        Diagnostic diagnostic = Diagnostic::make(DiagId::BadValue, place, problem.text);
        if (!problem.is_mistake)
            diagnostic.severity = Severity::Warning;
        m_work.sink.report(std::move(diagnostic));
    }
}

bool ModelStages::optimise(std::vector<GraphInstrument*> instruments) {
    m_work.enter("optimising the model");
    if (m_request.progress)
        m_request.progress({"optimising"});
    Work::Clock clock(m_work, "optimise");
    GraphOptions options;
    options.target = m_target;
    options.precision = m_request.precision;
    options.quantize = m_request.quantize;
    options.quantize_limit = m_request.quantize_limit;
    options.off = m_request.off;
    options.on = m_request.on;
    const bool is_for_gpu = m_target.is_cuda() && (settings.target || m_engine->has_cuda());
    if (!is_for_gpu)
        options.on.emplace_back("check-indices");
    options.checks_inputs = settings.plan_checks_inputs;
    options.fusion.enabled = m_request.fuse;
    options.processes = processes_of(m_request);
    options.cancelled = m_request.cancelled;
    m_scripts.add_rules(options);
    std::optional<Choices> choices;
    std::optional<ChoiceWatch> watch;
    FileId choices_file = 0;
    if (!m_choices_text.empty() || !m_request.choices.empty()) {
        choices = read_choices(choices_file);
        if (!choices)
            return false;
    }
    for (const auto& [node, placement] : m_request.placements) {
        if (!choices)
            choices.emplace();
        choices->placements.push_back({node, placement, true});
    }
    if (choices) {
        apply_choices(*choices, options);
        if (!choices->templates.empty() && templates())
            options.known_templates = known_schedules();
        instruments.push_back(&watch.emplace(*choices, options, m_imported));
    }
    if (asks_in_vain_for_tf32(options))
        warn(cat("tf32 changes nothing: ", m_target.is_cuda() ? m_target.name : "a CPU",
                 " multiplies float32 as it is"));
    m_body_passes = options;
    m_compiled->graph = m_imported;
    std::vector<ChoiceProblem> problems;
    const bool fine = guarded_by_model([&] {
        m_optimised = graph::optimise(m_compiled->graph, options, instruments);
        m_compiled->partition = m_optimised.partition;
        if (watch && !m_work.stopped())
            problems = problems_with_bodies(*watch, m_optimised, m_compiled->graph, *choices, options);
        return !m_work.stopped();
    });
    if (fine && m_request.replicas > 1 &&
        std::ranges::all_of(m_optimised.records, [](const PassRecord& record) { return record.in_batch == 0; }))
        report_wrong_usage(m_work, cat("no operator computes a part of the batch: the first dimension of an input has "
                                       "to be known, and a multiple of ",
                                       m_request.replicas));
    for (const std::string& name : m_optimised.unknown) {
        if (std::ranges::find(m_request.off, name) == m_request.off.end() &&
            std::ranges::find(m_request.on, name) == m_request.on.end())
            continue; // of the choices file
        report_wrong_usage(
            m_work, Diagnostic::make(DiagId::NoSuchPass, {}, name).suggest({}, name, names_of_passes_and_rules()));
    }
    if (fine)
        report(problems, choices_file);
    return fine && !m_work.sink.has_errors();
}

PlanProgress ModelStages::progress(const char* stage) {
    if (!m_request.progress)
        return {};
    return [progress = std::make_shared<StepProgress>(m_request, stage)](
               std::size_t done, std::size_t total, std::string_view) { progress->done(done, total); };
}

// Null: there are none for this target.
const ScriptTemplates* ModelStages::templates() {
    if (!m_templates && m_target.is_cuda()) {
        std::vector<TemplateSource> files = m_scripts.templates();
        files.insert(files.end(), our_templates().begin(), our_templates().end());
        m_templates = std::make_unique<ScriptTemplates>(m_work.sources, m_work.sink, files);
    }
    return m_templates.get();
}

std::vector<std::string> ModelStages::known_schedules() {
    std::vector<std::string> names = templates()->names();
    const std::vector<std::string> own = own_schedules(m_imported, m_target);
    names.insert(names.end(), own.begin(), own.end());
    return names;
}

namespace {

bool is_product_of_open_sizes(const Graph& graph, NodeId id) {
    const graph::Node& node = graph.node(id);
    const bool is_attention = node.is(OpId::Attn) || node.is(OpId::AttnMaskAdd);
    if (!is_attention && node.op->cls != graph::OpClass::Contraction)
        return false;
    const ir::DType dtype = graph.value(node.inputs[0]).spec.dtype;
    const bool is_half = dtype == ir::DType::F16 || dtype == ir::DType::BF16;
    if (!is_half && !(node.is(OpId::Matmul) && dtype == ir::DType::F32))
        return false; // none takes it in any size
    const auto is_open = [&](ValueId value) { return !graph::constant_shape(graph.value(value).spec.shape); };
    return std::ranges::any_of(node.inputs, is_open) || std::ranges::any_of(node.outputs, is_open);
}

} // namespace

bool ModelStages::plan() {
    m_work.enter("planning the model");
    Work::Clock clock(m_work, "plan");
    PlanOptions options;
    options.target = m_target;
    options.code = m_code;
    options.cancelled = m_request.cancelled;
    options.progress = progress("lowering");
    options.passes = m_body_passes;
    return guarded_by_model([&] {
        options.templates = templates();
        m_compiled->plan = make_plan(m_compiled->graph, m_compiled->partition, options);
        if (options.templates && m_target.is_cuda())
            warn_of_open_sizes();
        return !m_work.stopped();
    });
}

// Products of open sizes that the rules schedule are far slower than those of known ones, which templates take.
void ModelStages::warn_of_open_sizes() {
    const Graph& graph = m_compiled->graph;
    std::vector<NodeId> slow;
    for (const graph::StepSource& source : m_compiled->plan.sources)
        if (source.kernels.size() > 0 && source.schedule.empty() && is_product_of_open_sizes(graph, source.node))
            slow.push_back(source.node);
    if (slow.empty())
        return;
    std::vector<std::string> names = graph::names_of(graph, slow);
    const std::size_t different = names.size();
    names.resize(std::min<std::size_t>(different, 4));
    warn(cat("no template takes the open sizes of ", join(names, ", "), different > names.size() ? ", …" : "", ": ",
             slow.size(), slow.size() == 1 ? " kernel" : " kernels",
             " without tensor cores, many times slower than of known sizes, which --dim gives"));
}

bool ModelStages::build() {
    m_work.enter("compiling the model");
    Work::Clock clock(m_work, "build");
    GraphRunOptions options;
    options.cancelled = m_request.cancelled;
    options.progress = progress("compiling");
    options.checks_indices = std::ranges::any_of(
        m_optimised.records, [](const PassRecord& record) { return record.pass == "check-indices" && record.is_on; });
    m_runner = std::make_unique<GraphRunner>(m_compiled, *m_engine, std::move(options));
    return m_runner->build(m_work.sink) && meet_others(m_work, m_request, *m_engine, "nccl");
}

ModelFacts ModelStages::facts() const {
    const Graph& graph = m_compiled->graph;
    const Plan& plan = m_compiled->plan;
    ModelFacts facts = facts_of(plan.launch);
    facts.name = m_imported.name;
    facts.producer = m_producer;
    facts.opset = m_opset;
    facts.inputs = tensors_of(graph, graph.inputs);
    facts.outputs = tensors_of(graph, graph.outputs());
    facts.symbols = graph.symbols();
    facts.imported_nodes = live_nodes(m_imported);
    facts.nodes = live_nodes(graph);
    facts.groups = m_compiled->partition.groups.size();
    facts.weight_bytes = weight_bytes(graph);
    facts.rearrangements = rearrangements_of(graph, plan);
    for (const PassRecord& record : m_optimised.records)
        for (const graph::WeightRecord& weight : record.weights)
            facts.quantized.push_back({weight.node, weight.error, static_cast<double>(weight.before),
                                       static_cast<double>(weight.after), weight.left});
    for (const PassRecord& record : m_optimised.records)
        for (const graph::PlacementRecord& each : record.placements)
            facts.placements.push_back({each.node, each.op, each.placement, each.left});
    facts.schedules = m_schedules;
    const std::vector<Blocker>* const refused[] = {&m_compiled->partition.blockers, &plan.blockers};
    for (const std::vector<Blocker>* blockers : refused)
        for (const Blocker& blocker : *blockers)
            facts.refused.push_back(cat(name_of(blocker.producer), " -> ", name_of(blocker.consumer), ": ",
                                        blocker.text, " [", blocker_id(blocker.reason), "]"));
    return facts;
}

std::vector<ModelKernel> ModelStages::kernels() const {
    const Plan& plan = m_compiled->plan;
    std::vector<ModelKernel> out;
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> rows;
    const auto add = [&](const Graph& graph, const artifact::PlanBody& body, const std::vector<StepSource>& sources) {
        for (std::size_t i = 0; i < sources.size(); ++i)
            for (const GroupProgram::Kernel& kernel : sources[i].kernels) {
                const artifact::Row program = plan.launch.functions[body.steps[i].function].module;
                const auto [found, is_new] = rows.emplace(std::pair(program, kernel.name), out.size());
                if (is_new)
                    out.push_back({kernel.name, graph::names_of(graph, kernel.nodes), plan.programs[program].key,
                                   sources[i].schedule, 0});
                ++out[found->second].launches;
            }
    };
    add(m_compiled->graph, plan.launch, plan.sources);
    for (std::size_t i = 0; i < plan.bodies.size(); ++i)
        if (plan.bodies[i].graph)
            add(*plan.bodies[i].graph, plan.launch.bodies[i], plan.bodies[i].sources);
    return out;
}

} // namespace hidet::session
