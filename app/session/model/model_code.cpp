// SPDX-License-Identifier: Apache-2.0
// A question is answered in three steps, each kept: the module after every pass, the CUDA text, what is asked for. The first
// two are made by one thread at a time for each program; a compiler is asked by as many as like.
#include "app/session/model/model_code.h"

#include <algorithm>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "app/session/forms/maker.h"
#include "app/session/model/stages.h"
#include "app/session/model/view/graph_index.h"
#include "app/session/model/view/statement_origins.h"
#include "app/session/preview/sites.h"
#include "app/session/work/large_thread.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/names/value_names.h"
#include "compiler/ir/family.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

using graph::Graph;
using graph::NodeId;

namespace {

constexpr std::size_t most_programs_kept = 256; // lowered, with their texts

struct Key {
    int stage = 0; // a form, or number of a pass behind all forms
    std::string arch;
    auto operator<=>(const Key&) const = default;
};

Key key_of(const CodeQuestion& question) {
    const auto forms = static_cast<int>(all_forms().size());
    if (!question.form)
        return {question.pass == CodeQuestion::last_pass ? question.pass : forms + question.pass, {}};
    const bool depends = info(*question.form).of == Shown::Kernels;
    return {static_cast<int>(*question.form), depends ? question.arch : std::string()};
}

// A program that was asked about.
struct Lowered {
    std::mutex making;                                                   // module, after, lowered
    std::shared_ptr<const ModuleSnapshot> module;                        // null: not yet, or it cannot be lowered
    std::vector<ir::ModuleRef> after;                                    // by number of the pass
    std::map<std::string, std::shared_ptr<const artifact::Source>> cuda; // by architecture

    std::mutex answering; // answers
    std::map<Key, CodeAnswer> answers;
};

// Keeps the module after every pass; texts are printed when they are asked for.
class Recorder : public compiler::PassInstrument {
public:
    Recorder(Work& work, ModuleSnapshot& snapshot, std::vector<ir::ModuleRef>& after)
        : m_work(work), m_snapshot(snapshot), m_after(after) {}

    void before(const compiler::PassInfo& pass, const ir::Module&) override {
        m_work.enter(cat("lowering (pass '", pass.name, "')"));
    }
    void after(const compiler::PassInfo& pass, const ir::Module& before, const ir::Module& after, double ms) override {
        const auto number = static_cast<int>(m_snapshot.passes.size());
        m_snapshot.passes.push_back({number, pass.name, pass.summary, &before != &after, ms, nullptr});
        m_after.emplace_back(&after);
    }

private:
    Work& m_work;
    ModuleSnapshot& m_snapshot;
    std::vector<ir::ModuleRef>& m_after;
};

// "h: float32[batch, 16] = Matmul(x, w1, transpose_b=True)"
std::string line_of(const Graph& graph, NodeId id, const graph::ValueNames& names) {
    const graph::Node& node = graph.node(id);
    std::vector<std::string> results, arguments;
    for (const graph::ValueId output : node.outputs)
        results.push_back(names.of(output) + ": " + text_of(graph.value(output).spec));
    for (const graph::ValueId input : node.inputs)
        arguments.push_back(names.of(input));
    for (const auto& [name, value] : node.attributes.items())
        if (!std::holds_alternative<std::shared_ptr<const Graph>>(value))
            arguments.push_back(name + "=" + text_of(value));
    std::string text = join(results, ", ") + " = " + node.op->name + "(" + join(arguments, ", ") + ")";
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// Where the expressions of a definition that a script wrote stand in it.
void collect_origins(const ir::Node& node, std::unordered_set<const ir::Node*>& seen,
                     std::set<std::pair<FileId, std::uint32_t>>& found) {
    if (!seen.insert(&node).second)
        return;
    if (node.origin.known())
        found.emplace(node.origin.span.file, node.origin.span.begin);
    ir::for_each_child(node, [&](const ir::Node* child) {
        if (child && ir::runs(*child))
            collect_origins(*child, seen, found);
    });
}

} // namespace

struct ModelCode::Data {
    std::string graph_name;
    SourceMap sources;
    FileId file = 0; // of origins, a line for each operator
    std::vector<CodeOperator> operators;
    std::vector<std::shared_ptr<const graph::Task>> tasks;                           // by operator
    std::unordered_map<std::uint32_t, std::size_t> row_of_node;                      // into both
    std::map<std::pair<std::string, int>, std::vector<std::uint32_t>> nodes_of_line; // of scripts: file, line
    std::unordered_map<std::uint32_t, Place> sites;                                  // of definitions in scripts
    std::vector<CodeProgram> programs;
    artifact::TargetSpec target;        // what they are planned for
    std::vector<ir::ModuleRef> modules; // by program
    std::unordered_map<std::uint32_t, CodePlace> places;
    std::unordered_set<std::uint32_t> on_host;
    std::map<std::string, std::shared_ptr<const CodeTemplate>> templates; // by schedule

    mutable std::mutex mutex;
    mutable std::list<std::pair<std::uint32_t, std::shared_ptr<Lowered>>> kept; // the one asked about last first

    std::shared_ptr<Lowered> lowered_of(std::uint32_t program) const;
    void settle(Place& place, const CodeProgram& program) const;
    void settle(TextSnapshot& text, const CodeProgram& program) const;
    bool lower(Work& work, const CodeQuestion& question, Lowered& lowered) const;
    void make(Work& work, const CodeQuestion& question, Lowered& lowered, CodeAnswer& answer) const;
    TextSnapshot define(const std::vector<std::uint32_t>& shown, const std::vector<std::uint32_t>& origins) const;
};

// --- made once ---

ModelCodeMaker::ModelCodeMaker(Work& work, const ModelStages& stages, const std::string& path)
    : m_work(work), m_stages(stages), m_data(std::make_unique<ModelCode::Data>()) {
    ModelCode::Data& data = *m_data;
    const Graph& graph = stages.compiled().graph;
    const std::vector<NodeId> order = graph.topological();
    const graph::ValueNames names(graph, order);
    const graph::NodeKeys keys(graph);
    data.graph_name = std::filesystem::path(path).stem().string() + ".graph";
    std::string text;
    std::vector<std::uint32_t> ends;
    for (const NodeId id : order) {
        const graph::Node& node = graph.node(id);
        data.row_of_node[id.index] = data.operators.size();
        data.operators.push_back(
            {id.index, keys.of(id), stages.name_of(id), node.op->name, static_cast<int>(data.operators.size()) + 1});
        data.tasks.push_back(node.task);
        text += line_of(graph, id, names);
        ends.push_back(static_cast<std::uint32_t>(text.size()));
        text += '\n';
    }
    const FileId file = data.file = work.sources.add(data.graph_name, text);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (!data.tasks[i])
            continue;
        std::unordered_set<const ir::Node*> seen;
        std::set<std::pair<FileId, std::uint32_t>> places;
        for (const graph::Stage& stage : data.tasks[i]->stages) {
            collect_origins(*stage.value, seen, places);
            ir::set_origin(stage.value, {{file, i ? ends[i - 1] + 1 : 0, ends[i]}, 0});
        }
        for (const auto& [script, begin] : places) {
            const Place place = place_of({script, begin, begin}, work.sources);
            auto& nodes = data.nodes_of_line[{place.file, place.line}];
            if (nodes.empty() || nodes.back() != order[i].index)
                nodes.push_back(order[i].index);
            data.sites.try_emplace(order[i].index, place); // the first one
        }
    }
}

ModelCodeMaker::~ModelCodeMaker() = default;

std::shared_ptr<const ModelCode> ModelCodeMaker::take() {
    ModelCode::Data& data = *m_data;
    const graph::Plan& plan = m_stages.compiled().plan;
    data.target = plan.target;
    for (const graph::PlannedProgram& program : plan.programs) {
        give_origins_to_statements(*program.module);
        const bool is_cuda = std::ranges::any_of(program.module->functions, [](const ir::FunctionRef& function) {
            return function->func_kind == ir::FuncKind::CudaKernel;
        });
        data.programs.push_back({program.key, indices_of(program.nodes), {}, is_cuda});
        data.modules.push_back(program.module);
    }
    for (std::size_t i = 0; i < plan.sources.size(); ++i) {
        if (plan.is_host(i)) {
            data.on_host.insert(plan.sources[i].node.index);
            continue;
        }
        const std::uint32_t row = plan.program_of(i);
        CodeProgram& program = data.programs[row];
        CodeUse use{static_cast<std::uint32_t>(i), indices_of(plan.sources[i].nodes), plan.launch.steps[i].kernels,
                    plan.sources[i].schedule};
        if (const graph::ScriptTemplates* templates = m_stages.used_templates())
            if (auto site = templates->site_of(use.schedule))
                data.templates.try_emplace(use.schedule, std::make_shared<const CodeTemplate>(
                                                             CodeTemplate{graph::template_of(use.schedule), site->file,
                                                                          site->text, site->line, site->is_ours}));
        for (const std::uint32_t node : use.nodes)
            data.places.try_emplace(node, CodePlace{row, static_cast<std::uint32_t>(program.uses.size())});
        program.uses.push_back(std::move(use));
    }
    data.sources = m_work.sources;
    return std::shared_ptr<const ModelCode>(new ModelCode(std::move(m_data)));
}

ModelCode::ModelCode(std::unique_ptr<Data> data) : m_data(std::move(data)) {}
ModelCode::~ModelCode() = default;

// --- looked up ---

const std::string& ModelCode::graph_name() const {
    return m_data->graph_name;
}

const std::vector<CodeProgram>& ModelCode::programs() const {
    return m_data->programs;
}

const CodeOperator* ModelCode::find(std::uint32_t node) const {
    const auto found = m_data->row_of_node.find(node);
    return found == m_data->row_of_node.end() ? nullptr : &m_data->operators[found->second];
}

const CodeOperator* ModelCode::at_line(int line) const {
    const bool is_one = line > 0 && static_cast<std::size_t>(line) <= m_data->operators.size();
    return is_one ? &m_data->operators[static_cast<std::size_t>(line - 1)] : nullptr;
}

std::optional<CodePlace> ModelCode::place_of(std::uint32_t node) const {
    const auto found = m_data->places.find(node);
    return found == m_data->places.end() ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<const CodeTemplate> ModelCode::template_of(const CodePlace& place) const {
    const auto found = m_data->templates.find(m_data->programs[place.program].uses[place.use].schedule);
    return found == m_data->templates.end() ? nullptr : found->second;
}

bool ModelCode::runs_on_host(std::uint32_t node) const {
    return m_data->on_host.contains(node);
}

std::optional<Place> ModelCode::site_of(std::uint32_t node) const {
    const auto found = m_data->sites.find(node);
    return found == m_data->sites.end() ? std::nullopt : std::optional(found->second);
}

// --- definitions ---

TextSnapshot ModelCode::Data::define(const std::vector<std::uint32_t>& shown,
                                     const std::vector<std::uint32_t>& origins) const {
    TextSnapshot out;
    const auto put = [&](const std::string& line, const OriginView& origin) {
        out.text += line + "\n";
        out.lines.push_back(origin);
    };
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto row = row_of_node.find(shown[i]);
        const auto source = row_of_node.find(i < origins.size() ? origins[i] : shown[i]);
        if (row == row_of_node.end() || source == row_of_node.end())
            continue;
        OriginView origin;
        origin.place = {graph_name, operators[source->second].line, 1, operators[source->second].line, 2};
        if (i)
            put("", {});
        put("# " + operators[row->second].name, origin);
        put(std::string(sources.file(file).line(operators[row->second].line)), origin);
        if (const auto& task = tasks[row->second])
            for (const std::string& line : split(text_of(*task), '\n'))
                if (!line.empty())
                    put("    " + line, origin);
    }
    return out;
}

std::shared_ptr<const TextSnapshot> ModelCode::definition(const CodePlace& place) const {
    const CodeProgram& program = m_data->programs[place.program];
    return std::make_shared<const TextSnapshot>(m_data->define(program.uses[place.use].nodes, program.nodes));
}

std::shared_ptr<const TextSnapshot> ModelCode::definition(std::uint32_t node) const {
    return std::make_shared<const TextSnapshot>(m_data->define({node}, {node}));
}

// --- answers ---

std::shared_ptr<Lowered> ModelCode::Data::lowered_of(std::uint32_t program) const {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(kept, program, [](const auto& each) { return each.first; });
    if (found != kept.end())
        kept.splice(kept.begin(), kept, found);
    else
        kept.emplace_front(program, std::make_shared<Lowered>());
    if (kept.size() > most_programs_kept)
        kept.pop_back();
    return kept.front().second;
}

// Places in scripts become those of the operators that the scripts define.
void ModelCode::Data::settle(Place& place, const CodeProgram& program) const {
    if (!place.known() || place.file == graph_name)
        return;
    const auto found = nodes_of_line.find({place.file, place.line});
    place = {};
    if (found == nodes_of_line.end())
        return;
    for (const std::uint32_t node : program.nodes)
        if (std::ranges::find(found->second, node) != found->second.end()) {
            const int line = operators[row_of_node.at(node)].line;
            place = {graph_name, line, 1, line, 2};
            return;
        }
}

void ModelCode::Data::settle(TextSnapshot& text, const CodeProgram& program) const {
    for (OriginView& line : text.lines)
        settle(line.place, program);
    for (TokenView& token : text.tokens)
        settle(token.origin.place, program);
}

bool ModelCode::Data::lower(Work& work, const CodeQuestion& question, Lowered& lowered) const {
    if (lowered.module)
        return true;
    const ir::ModuleRef& scheduled = modules[question.program];
    ModuleSnapshot module = describe(work, {scheduled, {}}, static_cast<int>(question.program) + 1);
    module.passes.push_back({0, "script", "as it was scheduled", true, 0, nullptr});
    std::vector<ir::ModuleRef> after{scheduled};
    Recorder recorder(work, module, after);
    compiler::LowerOptions options;
    options.target = target;
    options.cancelled = work.cancelled;
    work.enter("lowering");
    Work::Clock clock(work, "lower");
    const ir::ModuleRef result = compiler::lower(scheduled, options, work.sink, {&recorder});
    if (!result || work.stopped())
        return false;
    module.lowered = true;
    lowered.after = std::move(after);
    lowered.module = std::make_shared<const ModuleSnapshot>(std::move(module));
    return true;
}

void ModelCode::Data::make(Work& work, const CodeQuestion& question, Lowered& lowered, CodeAnswer& answer) const {
    PreviewRequest preview;
    preview.arch = question.arch;
    preview.tools = question.tools;
    preview.cancelled = question.cancelled;
    if (!can_be_asked(work, preview))
        return;
    std::unique_lock lock(lowered.making);
    if (work.stopped() || !lower(work, question, lowered))
        return;
    answer.module = lowered.module;
    const auto last = static_cast<int>(lowered.after.size()) - 1;
    const int pass = question.form ? last : std::min(question.pass, last);
    const bool is_text = !question.form || *question.form == Form::Ir;
    FormContext context(work, preview, modules[question.program], lowered.after[static_cast<std::size_t>(pass)]);
    const bool wants_cuda = !is_text && info(*question.form).of == Shown::Kernels;
    if (wants_cuda) {
        auto& cuda = lowered.cuda[question.arch];
        if (cuda)
            context.use_cuda(cuda);
        else
            cuda = context.shared_cuda();
    }
    lock.unlock();
    const auto made = make_form(context, is_text ? Form::Ir : *question.form);
    if (!made)
        return;
    FormSnapshot code = *made;
    settle(code.text, programs[question.program]);
    answer.code = std::make_shared<const FormSnapshot>(std::move(code));
}

CodeAnswer ModelCode::answer(const CodeQuestion& question) const {
    if (auto answered = known(question))
        return *answered;
    const std::shared_ptr<Lowered> lowered = m_data->lowered_of(question.program);
    CodeAnswer answer;
    on_large_thread([&] { // walks of IR recurse
        Work work = work_for(cat("model emit ", m_data->graph_name), question.cancelled);
        work.sources = m_data->sources;
        guarded(work, [&] { m_data->make(work, question, *lowered, answer); });
        for (const Diagnostic& each : work.sink.all())
            answer.lacks_tool |= each.id == DiagId::NvrtcMissing || each.id == DiagId::NvdisasmMissing;
        finish(work, answer);
    });
    if (answer.status == Status::Cancelled)
        return answer;
    const std::lock_guard lock(lowered->answering);
    if (!answer.lacks_tool) // somebody may install it
        lowered->answers[key_of(question)] = answer;
    return answer;
}

std::optional<CodeAnswer> ModelCode::known(const CodeQuestion& question) const {
    std::shared_ptr<Lowered> lowered;
    {
        const std::lock_guard lock(m_data->mutex);
        const auto found =
            std::ranges::find(m_data->kept, question.program, [](const auto& each) { return each.first; });
        if (found == m_data->kept.end())
            return std::nullopt;
        lowered = found->second;
    }
    const std::lock_guard lock(lowered->answering);
    const auto found = lowered->answers.find(key_of(question));
    return found == lowered->answers.end() ? std::nullopt : std::optional(found->second);
}

} // namespace hidet::session
