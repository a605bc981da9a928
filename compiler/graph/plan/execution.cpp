// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/plan/chunk.h"
#include "compiler/graph/plan/runner.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
    std::vector<std::string> parts;
    for (const std::int64_t extent : extents)
        parts.push_back(std::to_string(extent));
    return "[" + join(parts, ", ") + "]";
}

std::string counted(std::size_t count, const char* one, const char* many) {
    return cat(count, " ", count == 1 ? one : many);
}

std::shared_ptr<lang::Storage> new_storage(std::int64_t bytes) {
    return std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
}

// A result that is an input or a weight under another name: writing to it must not change them.
lang::TensorRef copy_of(const lang::Tensor& tensor) {
    const std::int64_t bytes = tensor.count() * item_bytes(tensor.dtype);
    lang::TensorRef copy(new lang::Tensor(tensor));
    copy->storage = new_storage(bytes);
    copy->offset = 0;
    std::copy_n(tensor.read(), bytes, copy->data());
    return copy;
}

} // namespace

Execution::Execution(Runner& runner, const Tensors& inputs)
    : m_runner(runner), m_graph(runner.m_compiled->graph), m_plan(runner.m_compiled->plan),
      m_tensors(m_graph.value_slots()), m_workspaces(m_plan.steps.size(), 0) {
    bind(inputs);
    begin_section(0);
}

std::string Execution::name_of(ValueId id) const {
    const std::string& name = m_graph.value(id).name;
    return name.empty() ? cat("value ", id.index) : name;
}

void Execution::bind(const Tensors& inputs) {
    const std::vector<ValueId>& wanted = m_graph.inputs;
    if (inputs.size() != wanted.size()) {
        std::vector<std::string> names;
        for (const ValueId id : wanted)
            names.push_back("'" + name_of(id) + "'");
        throw OpError(cat("the model takes ", counted(wanted.size(), "input", "inputs"),
                          wanted.empty() ? "" : " (" + join(names, ", ") + ")", ", not ", inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_input(wanted[i], *inputs[i]);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Shape& shape = m_graph.value(wanted[i]).spec.shape;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const auto* symbol = ir::as<ir::SymbolVar>(shape[d]);
            if (!symbol)
                continue;
            const auto [known, is_new] = m_symbols.emplace(symbol->name, inputs[i]->shape[d]);
            if (known->second != inputs[i]->shape[d])
                throw OpError(cat("dimension ", d, " of input '", name_of(wanted[i]), "' is ", inputs[i]->shape[d],
                                  ", but '", symbol->name, "' is ", known->second, " elsewhere"));
        }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Shape& shape = m_graph.value(wanted[i]).spec.shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (const auto extent = evaluate(shape[d], m_symbols); extent && *extent != inputs[i]->shape[d])
                throw OpError(cat("dimension ", d, " of input '", name_of(wanted[i]), "' is ", inputs[i]->shape[d],
                                  ", not ", text_of(shape[d]), " = ", *extent));
        m_tensors[wanted[i].index] = view(inputs[i]->storage, inputs[i]->offset, wanted[i]);
    }
}

void Execution::check_input(ValueId id, const lang::Tensor& given) const {
    const TensorSpec& spec = m_graph.value(id).spec;
    const std::string input = "input '" + name_of(id) + "'";
    if (!given.has_data())
        throw OpError(input + " has no data");
    if (given.dtype != spec.dtype)
        throw OpError(cat(input, " is ", ir::info(spec.dtype).name, ", not ", ir::info(given.dtype).name));
    if (given.shape.size() != spec.shape.size())
        throw OpError(cat(input, " has ", counted(spec.shape.size(), "dimension", "dimensions"), ", ",
                          text_of(spec.shape), ", not ", given.shape.size(), ": ", extents_text(given.shape)));
    for (std::size_t d = 0; d < given.shape.size(); ++d)
        if (const auto extent = constant_of(spec.shape[d]); extent && *extent != given.shape[d])
            throw OpError(cat("dimension ", d, " of ", input, " is ", *extent, ", not ", given.shape[d]));
}

void Execution::check_extents() const {
    for (const Runner::Extents& each : m_runner.m_checks) {
        const auto have = evaluate(each.have, m_symbols);
        const auto want = evaluate(each.want, m_symbols);
        if (!have || !want || *have == *want)
            continue;
        const Node& node = m_graph.node(each.node);
        throw OpError(cat("'", node.name.empty() ? node.op->name : node.name, "' does not take an extent of ", *have,
                          " (", text_of(each.have), ") where ", *want, " is expected"));
    }
    for (const Runner::Condition& each : m_runner.m_conditions) {
        const auto holds = evaluate(each.requirement.condition, m_symbols);
        if (!holds || *holds)
            continue;
        const Node& node = m_graph.node(each.node);
        throw OpError(cat("'", node.name.empty() ? node.op->name : node.name, "' wants ",
                          text_of(each.requirement.condition), ": ", each.requirement.text));
    }
}

std::vector<std::int64_t> Execution::extents_of(ValueId id) const {
    const TensorSpec& spec = m_graph.value(id).spec;
    auto extents = evaluate(spec.shape, m_symbols);
    if (!extents)
        throw OpError(cat("the extents of '", name_of(id), "', ", text_of(spec.shape),
                          ", do not follow from the shapes of the inputs"));
    for (const std::int64_t extent : *extents)
        if (extent < 0)
            throw OpError(cat("'", name_of(id), "' would have the shape ", extents_text(*extents)));
    return std::move(*extents);
}

lang::TensorRef Execution::view(const std::shared_ptr<lang::Storage>& storage, std::size_t offset, ValueId id) const {
    lang::TensorRef tensor(new lang::Tensor());
    tensor->dtype = m_graph.value(id).spec.dtype;
    tensor->shape = extents_of(id);
    tensor->device = m_runner.device();
    tensor->storage = storage;
    tensor->offset = offset;
    return tensor;
}

void Execution::begin_section(std::uint32_t number) {
    check_extents();
    const Section& section = m_plan.sections[number];
    const ArenaLayout layout = arena_of(section, m_symbols);
    std::shared_ptr<lang::Storage>& arena = m_runner.m_arenas[number];
    if (!arena || arena->bytes < static_cast<std::size_t>(layout.bytes))
        arena = new_storage(layout.bytes);
    for (std::size_t i = 0; i < section.buffers.size(); ++i) {
        const PlannedBuffer& buffer = section.buffers[i];
        if (buffer.value.valid())
            m_tensors[buffer.value.index] = view(arena, static_cast<std::size_t>(layout.offsets[i]), buffer.value);
        else
            m_workspaces[static_cast<std::size_t>(buffer.first)] = static_cast<std::size_t>(layout.offsets[i]);
    }
}

bool Execution::has_host_steps() const {
    return std::ranges::any_of(m_plan.steps, [](const Step& step) { return step.kind == Step::Kind::Host; });
}

lang::TensorRef Execution::make(ValueId id) {
    lang::TensorRef& tensor = m_tensors[id.index];
    if (tensor)
        return tensor;
    const Placement& place = m_plan.placements[id.index];
    switch (place.kind) {
    case Placement::Kind::Constant: return tensor = m_runner.m_constants[id.index];
    case Placement::Kind::Alias: {
        const lang::TensorRef root = make(place.alias_of);
        return tensor = view(root->storage, root->offset, id);
    }
    case Placement::Kind::Output:
    case Placement::Kind::Host: {
        const auto bytes = evaluate(place.bytes, m_symbols);
        HIDET_CHECK(bytes, name_of(id));
        return tensor = view(new_storage(*bytes), 0, id);
    }
    default: HIDET_CHECK(false, cat("no memory for ", name_of(id))); return nullptr;
    }
}

lang::TensorRef Execution::tensor(ValueId id) {
    const Placement& place = m_plan.placements[id.index];
    const ValueId root = place.kind == Placement::Kind::Alias ? place.alias_of : id;
    const Placement::Kind kind = m_plan.placements[root.index].kind;
    const bool is_given = kind == Placement::Kind::Input || kind == Placement::Kind::Constant;
    return is_given || m_tensors[root.index] ? make(id) : nullptr;
}

std::optional<ProgramCall> Execution::call_of(std::uint32_t number) {
    const Step& step = m_plan.steps[number];
    const std::size_t inputs = step.arguments.size() - step.outputs.size();
    ProgramCall call;
    bool is_needed = false;
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const ValueId id = step.arguments[i];
        lang::TensorRef tensor = make(id);
        is_needed |= i >= inputs && tensor->count() > 0;
        call.arguments.push_back({std::move(tensor), name_of(id), m_runner.m_options.site});
    }
    if (!is_needed)
        return std::nullopt;
    if (step.workspace_bytes) {
        lang::TensorRef workspace(new lang::Tensor());
        workspace->dtype = ir::DType::U8;
        workspace->shape = {*evaluate(step.workspace_bytes, m_symbols)};
        workspace->device = m_runner.device();
        workspace->storage = m_runner.m_arenas[step.section];
        workspace->offset = m_workspaces[number];
        call.arguments.push_back({std::move(workspace), "workspace", m_runner.m_options.site});
    }
    call.module = m_runner.m_modules[step.program];
    call.function = merged_name("launch", step.program);
    return call;
}

bool Execution::run_step(std::uint32_t number, DiagnosticSink& sink) {
    const Step& step = m_plan.steps[number];
    if (step.kind == Step::Kind::Host) {
        run_host(step);
        const std::uint32_t next = step.section + 1;
        if (next < m_plan.sections.size() && m_plan.sections[next].first_step == number + 1)
            begin_section(next);
    } else if (auto call = call_of(number)) {
        m_runner.m_engine.symbols.assign(m_symbols.begin(), m_symbols.end());
        std::variant<std::monostate, std::int64_t, double> nothing;
        const bool fine = m_runner.m_engine.call(*call->module, call->function, call->arguments,
                                                 m_runner.m_options.site, nothing, sink);
        m_runner.m_engine.symbols.clear();
        if (!fine)
            return false;
    }
    forget_unread(number);
    return true;
}

// Results of host operators may have other extents this time.
void Execution::forget_results() {
    for (std::uint32_t i = 0; i < m_tensors.size(); ++i)
        if (m_plan.placements[i].kind != Placement::Kind::Input)
            m_tensors[i] = nullptr;
    begin_section(0);
}

bool Execution::run(DiagnosticSink& sink) {
    if (has_host_steps())
        forget_results();
    for (std::uint32_t i = 0; i < m_plan.steps.size(); ++i) {
        if (m_runner.m_options.cancelled && m_runner.m_options.cancelled->load(std::memory_order_relaxed))
            return false;
        if (!run_step(i, sink))
            return false;
    }
    return true;
}

// The operator sees extents as they are, not the symbols that stand for them.
void Execution::run_host(const Step& step) {
    const Node& node = m_graph.node(step.node);
    OpCall call{node.op, {}, node.attributes};
    Tensors inputs;
    for (const ValueId id : node.inputs) {
        inputs.push_back(make(id));
        call.inputs.push_back({inputs.back()->dtype, shape_of(inputs.back()->shape)});
    }
    for (const auto& [name, value] : node.attributes.items())
        if (const auto* shape = std::get_if<Shape>(&value))
            if (const auto extents = evaluate(*shape, m_symbols))
                call.attributes.set(name, shape_of(*extents));
    const Tensors results = node.op->run({call, inputs});
    HIDET_CHECK(results.size() == node.outputs.size(), node.op->name);
    for (std::size_t i = 0; i < results.size(); ++i)
        bind_result(node.outputs[i], results[i], node);
}

void Execution::bind_result(ValueId id, lang::TensorRef result, const Node& node) {
    const TensorSpec& spec = m_graph.value(id).spec;
    HIDET_CHECK(result->dtype == spec.dtype && result->shape.size() == spec.shape.size(), node.op->name);
    for (std::size_t d = 0; d < spec.shape.size(); ++d)
        if (const auto* symbol = ir::as<ir::SymbolVar>(spec.shape[d]))
            m_symbols[symbol->name] = result->shape[d];
    HIDET_CHECK(extents_of(id) == result->shape, node.op->name);
    m_tensors[id.index] = view(result->storage, result->offset, id);
}

// What has memory of its own gives it back after its last reader.
void Execution::forget_unread(std::uint32_t number) {
    for (const ValueId id : m_plan.steps[number].arguments) {
        const Placement& place = m_plan.placements[id.index];
        const ValueId root = place.kind == Placement::Kind::Alias ? place.alias_of : id;
        const Placement& own = m_plan.placements[root.index];
        if (own.kind != Placement::Kind::Host || own.last_step != static_cast<std::int32_t>(number))
            continue;
        m_tensors[id.index] = nullptr;
        m_tensors[root.index] = nullptr;
    }
}

Tensors Execution::outputs() {
    Tensors results;
    for (const ValueId id : m_graph.outputs()) {
        const Placement& place = m_plan.placements[id.index];
        const Placement& root = place.kind == Placement::Kind::Alias ? m_plan.placements[place.alias_of.index] : place;
        const bool is_given = root.kind == Placement::Kind::Input || root.kind == Placement::Kind::Constant;
        results.push_back(is_given ? copy_of(*make(id)) : make(id));
    }
    return results;
}

} // namespace hidet::graph
