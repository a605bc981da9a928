// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "compiler/graph/plan/host_steps.h"
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

constexpr std::int64_t most_bytes = std::int64_t{1} << 46; // what a process can address, with room for a sum

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
    : m_runner(runner), m_plan(runner.plan()), m_symbols(m_plan.symbols.size()), m_tensors(m_plan.values.size()),
      m_is_skipped(m_plan.steps.size()) {
    bind(inputs);
    begin_section(0);
}

SymbolValues Execution::symbols() const {
    SymbolValues values;
    for (std::size_t i = 0; i < m_symbols.size(); ++i)
        if (m_symbols[i])
            values[m_plan.symbols[i].name] = *m_symbols[i];
    return values;
}

void Execution::bind(const Tensors& inputs) {
    const std::vector<Row>& wanted = m_plan.inputs;
    if (inputs.size() != wanted.size()) {
        std::vector<std::string> names;
        for (const Row row : wanted)
            names.push_back("'" + value(row).name + "'");
        throw OpError(cat("the model takes ", counted(wanted.size(), "input", "inputs"),
                          wanted.empty() ? "" : " (" + join(names, ", ") + ")", ", not ", inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_input(wanted[i], *inputs[i]);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t d = 0; d < inputs[i]->shape.size(); ++d)
            if (const auto symbol = artifact::symbol_of(m_plan.expressions[value(wanted[i]).shape[d]]))
                bind_symbol(*symbol, inputs[i]->shape[d],
                            cat("dimension ", d, " of input '", value(wanted[i]).name, "'"));
    m_expressions = evaluate(m_plan.expressions, m_symbols);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::vector<Row>& shape = value(wanted[i]).shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (const auto extent = m_expressions[shape[d]]; extent && *extent != inputs[i]->shape[d])
                throw OpError(cat("dimension ", d, " of input '", value(wanted[i]).name, "' is ", inputs[i]->shape[d],
                                  ", not ", text_of(m_plan.expressions, shape[d], symbol_names(m_plan)), " = ",
                                  *extent));
        m_tensors[wanted[i]] = view(inputs[i]->storage, inputs[i]->offset, wanted[i]);
    }
}

void Execution::bind_symbol(Row symbol, std::int64_t extent, const std::string& where) {
    const artifact::PlanSymbol& row = m_plan.symbols[symbol];
    if (m_symbols[symbol] && *m_symbols[symbol] != extent)
        throw OpError(cat(where, " is ", extent, ", but '", row.name, "' is ", *m_symbols[symbol], " elsewhere"));
    if (extent < row.least || extent > row.most)
        throw OpError(cat(where, " is ", extent, ", and '", row.name, "' is ", row.least, " to ", row.most));
    m_symbols[symbol] = extent;
}

void Execution::check_input(Row row, const lang::Tensor& given) const {
    const artifact::PlanValue& wanted = value(row);
    const std::string input = "input '" + wanted.name + "'";
    if (!given.has_data())
        throw OpError(input + " has no data");
    if (given.dtype != m_runner.m_dtypes[row])
        throw OpError(cat(input, " is ", wanted.dtype, ", not ", ir::info(given.dtype).name));
    if (given.shape.size() != wanted.shape.size())
        throw OpError(cat(input, " has ", counted(wanted.shape.size(), "dimension", "dimensions"), ", ",
                          extents_text(m_plan, wanted.shape), ", not ", given.shape.size(), ": ",
                          extents_text(given.shape)));
    for (std::size_t d = 0; d < given.shape.size(); ++d)
        if (const auto extent = artifact::constant_of(m_plan.expressions[wanted.shape[d]]);
            extent && *extent != given.shape[d])
            throw OpError(cat("dimension ", d, " of ", input, " is ", *extent, ", not ", given.shape[d]));
}

void Execution::check_requirements() const {
    for (const artifact::PlanRequirement& each : m_plan.requirements) {
        if (m_expressions[each.condition].value_or(1) != 0)
            continue;
        std::string message = each.message;
        std::size_t at = 0;
        for (const Row row : each.values) {
            at = message.find("{}", at);
            if (at == std::string::npos)
                break;
            message.replace(at, 2, m_expressions[row] ? cat(*m_expressions[row]) : "?");
        }
        throw OpError(message);
    }
}

std::vector<std::int64_t> Execution::extents_of(Row row) const {
    std::vector<std::int64_t> extents;
    for (const Row extent : value(row).shape) {
        if (!m_expressions[extent])
            throw OpError(cat("the extents of '", value(row).name, "', ", extents_text(m_plan, value(row).shape),
                              ", do not follow from the shapes of the inputs"));
        extents.push_back(*m_expressions[extent]);
    }
    for (const std::int64_t extent : extents)
        if (extent < 0)
            throw OpError(cat("'", value(row).name, "' would have the shape ", extents_text(extents)));
    return extents;
}

// Also where a plan comes from a file that somebody damaged, no view reaches past its memory.
lang::TensorRef Execution::view(const std::shared_ptr<lang::Storage>& storage, std::size_t offset, Row row) const {
    lang::TensorRef tensor(new lang::Tensor());
    tensor->dtype = m_runner.m_dtypes[row];
    tensor->shape = extents_of(row);
    tensor->device = m_runner.device();
    tensor->storage = storage;
    tensor->offset = offset;
    std::int64_t bytes = item_bytes(tensor->dtype);
    bool fits = offset <= storage->bytes;
    for (const std::int64_t extent : tensor->shape)
        fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
    if (!fits || static_cast<std::uint64_t>(bytes) > storage->bytes - offset)
        throw OpError(cat("'", value(row).name, "' ", extents_text(tensor->shape), " does not fit into its memory"));
    return tensor;
}

std::int64_t Execution::known(Row expression, const std::string& what) const {
    const artifact::ExprValue bytes = m_expressions[expression];
    if (bytes && *bytes >= 0 && *bytes <= most_bytes)
        return *bytes;
    throw OpError(bytes ? cat(what, " of ", *bytes, " bytes is too large")
                        : cat("the size of ", what, ", ", text_of(m_plan.expressions, expression, symbol_names(m_plan)),
                              " bytes, is not known"));
}

std::int64_t Execution::arena_bytes(std::uint32_t section) const {
    for (const artifact::PlanValue& each : m_plan.values)
        if (each.place == artifact::Place::Arena && each.first_step >= 0 &&
            static_cast<std::size_t>(each.first_step) < m_plan.steps.size() &&
            m_plan.steps[static_cast<std::size_t>(each.first_step)].section == section)
            known(each.bytes, "a tensor");
    return known(m_plan.sections[section].arena_bytes, "the arena");
}

void Execution::begin_section(std::uint32_t number) {
    m_expressions = evaluate(m_plan.expressions, m_symbols);
    check_requirements();
    const artifact::PlanSection& section = m_plan.sections[number];
    std::shared_ptr<lang::Storage>& arena = m_runner.m_arenas[number];
    const std::int64_t bytes = arena_bytes(number);
    if (!arena || arena->bytes < static_cast<std::size_t>(bytes))
        arena = new_storage(bytes);
    for (Row row = 0; row < m_plan.values.size(); ++row) {
        const artifact::PlanValue& each = value(row);
        const auto first = static_cast<std::uint32_t>(each.first_step);
        if (each.place == artifact::Place::Arena && first >= section.first_step && first < section.end_step)
            m_tensors[row] = view(arena, static_cast<std::size_t>(known(each.offset, "an offset")), row);
    }
}

bool Execution::has_host_steps() const {
    return std::ranges::any_of(m_plan.steps,
                               [](const artifact::PlanStep& step) { return step.kind != artifact::StepKind::Call; });
}

lang::TensorRef Execution::make(Row row) {
    lang::TensorRef& tensor = m_tensors[row];
    if (tensor)
        return tensor;
    const artifact::PlanValue& own = value(row);
    switch (own.place) {
    case artifact::Place::Constant: {
        const lang::TensorRef& weight = m_runner.m_weights[own.weight];
        return tensor = view(weight->storage, weight->offset, row);
    }
    case artifact::Place::Alias: {
        const lang::TensorRef root = make(own.of);
        return tensor = view(root->storage, root->offset, row);
    }
    case artifact::Place::Output:
    case artifact::Place::Host: return tensor = view(new_storage(known(own.bytes, "a tensor")), 0, row);
    default: throw OpError(cat("'", own.name, "' is read before it is made"));
    }
}

lang::TensorRef Execution::tensor(Row row) {
    const Row root = root_of(m_plan, row);
    const artifact::Place place = value(root).place;
    const bool is_given = place == artifact::Place::Input || place == artifact::Place::Constant;
    return is_given || m_tensors[root] ? make(row) : nullptr;
}

lang::TensorRef Execution::make_argument(const artifact::PlanArgument& argument) {
    lang::TensorRef tensor = make(argument.value);
    if (argument.expression == artifact::no_row)
        return tensor;
    lang::TensorRef moved(new lang::Tensor(*tensor));
    moved->dtype = ir::DType::U8;
    moved->offset += static_cast<std::size_t>(known(argument.expression, "an offset"));
    if (moved->offset > moved->storage->bytes)
        throw OpError(cat("an argument lies past '", value(argument.value).name, "'"));
    moved->shape = {static_cast<std::int64_t>(moved->storage->bytes - moved->offset)};
    return moved;
}

std::optional<ProgramCall> Execution::call_of(std::uint32_t number) {
    const artifact::PlanStep& step = m_plan.steps[number];
    if (step.kind != artifact::StepKind::Call)
        return std::nullopt;
    if (std::ranges::none_of(step.writes, [&](Row row) { return make(row)->count() > 0; }))
        return std::nullopt;
    const artifact::PlanFunction& function = m_plan.functions[step.function];
    ProgramCall call{m_runner.m_modules[function.module], function.name, {}};
    for (const artifact::PlanArgument& argument : step.arguments) {
        if (argument.kind == artifact::ArgumentKind::Address)
            call.arguments.push_back({make_argument(argument), value(argument.value).name, m_runner.m_options.site});
        else if (argument.kind == artifact::ArgumentKind::Scalar && m_expressions[argument.expression])
            call.arguments.push_back({*m_expressions[argument.expression], "scalar", m_runner.m_options.site});
        else
            throw OpError(cat("step ", number, " has an argument that '", function.name, "' cannot take"));
    }
    return call;
}

bool Execution::run_step(std::uint32_t number, DiagnosticSink& sink) {
    const artifact::PlanStep& step = m_plan.steps[number];
    if (m_is_skipped[number])
        return true;
    switch (step.kind) {
    case artifact::StepKind::Host: run_host(step, number); break;
    case artifact::StepKind::Copy:
    case artifact::StepKind::Fill: copy(step); break;
    case artifact::StepKind::Choose: choose(step); break;
    case artifact::StepKind::Launch:
        throw OpError(cat("step ", number, " launches a kernel by itself, which no engine of this program does"));
    case artifact::StepKind::Call:
        if (auto call = call_of(number)) {
            const SymbolValues values = symbols();
            m_runner.m_engine.symbols.assign(values.begin(), values.end());
            std::variant<std::monostate, std::int64_t, double> nothing;
            const bool fine = m_runner.m_engine.call(*call->module, call->function, call->arguments,
                                                     m_runner.m_options.site, nothing, sink);
            m_runner.m_engine.symbols.clear();
            if (!fine)
                return false;
        }
    }
    const std::uint32_t next = step.section + 1;
    if (next < m_plan.sections.size() && m_plan.sections[next].first_step == number + 1)
        begin_section(next);
    forget_unread(number);
    return true;
}

// Results of host operators may have other extents this time.
void Execution::forget_results() {
    for (Row row = 0; row < m_tensors.size(); ++row)
        if (value(row).place != artifact::Place::Input)
            m_tensors[row] = nullptr;
    std::fill(m_is_skipped.begin(), m_is_skipped.end(), false);
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
Tensors Execution::results_of(const artifact::PlanStep& step, std::uint32_t number) {
    const auto call_of_process = [&] {
        HIDET_CHECK(m_runner.m_compiled, "an operator of another process");
        const Node& node = m_runner.m_compiled->graph.node(m_runner.m_compiled->plan.sources[number].node);
        OpCall call(*node.op, {}, node.attributes);
        for (const auto& [name, attribute] : node.attributes.items())
            if (const auto* shape = std::get_if<Shape>(&attribute))
                if (const auto extents = evaluate(*shape, symbols()))
                    call.attributes.set(name, shape_of(*extents));
        return call;
    };
    OpCall call = step.op == artifact::HostOperator::Process ? call_of_process()
                                                             : host_call(step, m_expressions, m_runner.m_host_weights);
    Tensors inputs;
    for (const Row row : step.reads) {
        inputs.push_back(make(row));
        call.inputs.push_back({inputs.back()->dtype, shape_of(inputs.back()->shape)});
    }
    return call.op->run({call, inputs});
}

void Execution::run_host(const artifact::PlanStep& step, std::uint32_t number) {
    bind_results(step, results_of(step, number));
}

void Execution::bind_results(const artifact::PlanStep& step, const Tensors& results) {
    const std::string name = step.kernels.empty() ? "a host operator" : step.kernels.front();
    if (results.size() != step.writes.size())
        throw OpError(cat("'", name, "' made ", results.size(), " results, not ", step.writes.size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const artifact::PlanValue& wanted = value(step.writes[i]);
        if (results[i]->dtype != m_runner.m_dtypes[step.writes[i]] || results[i]->shape.size() != wanted.shape.size())
            throw OpError(cat("'", name, "' made a result of another type or rank than '", wanted.name, "'"));
        for (std::size_t d = 0; d < wanted.shape.size(); ++d)
            if (const auto symbol = artifact::symbol_of(m_plan.expressions[wanted.shape[d]]))
                m_symbols[*symbol] = results[i]->shape[d];
    }
    m_expressions = evaluate(m_plan.expressions, m_symbols);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Row row = step.writes[i];
        if (extents_of(row) != results[i]->shape)
            throw OpError(
                cat("'", name, "' made ", extents_text(results[i]->shape), ", not ", extents_text(extents_of(row))));
        m_tensors[row] = view(results[i]->storage, results[i]->offset, row);
    }
}

// Between tensors, or a byte into one; on the host, where every device finds what was written.
void Execution::copy(const artifact::PlanStep& step) {
    const lang::TensorRef to = make(step.writes[0]);
    const auto bytes = static_cast<std::size_t>(known(step.bytes, "a copy"));
    const lang::TensorRef from = step.reads.empty() ? to : make(step.reads[0]);
    for (const lang::TensorRef& each : {to, from})
        if (bytes > each->storage->bytes - each->offset)
            throw OpError(cat("a copy of ", bytes, " bytes leaves '", value(step.writes[0]).name, "'"));
    if (step.kind == artifact::StepKind::Fill)
        std::memset(to->data(), static_cast<int>(step.fill), bytes);
    else
        std::memmove(to->data(), from->read(), bytes);
}

void Execution::choose(const artifact::PlanStep& step) {
    const artifact::ExprValue chosen = m_expressions[step.choice];
    if (!chosen || *chosen < 0 || static_cast<std::size_t>(*chosen) >= step.ranges.size())
        throw OpError(cat("there is no choice ", chosen ? cat(*chosen) : "yet", " among ", step.ranges.size()));
    for (std::size_t i = 0; i < step.ranges.size(); ++i)
        for (std::uint32_t each = step.ranges[i].first; each < step.ranges[i].end; ++each)
            m_is_skipped[each] = static_cast<std::int64_t>(i) != *chosen;
}

// What has memory of its own gives it back after its last reader.
void Execution::forget_unread(std::uint32_t number) {
    const artifact::PlanStep& step = m_plan.steps[number];
    for (const std::vector<Row>* values : {&step.reads, &step.writes})
        for (const Row row : *values) {
            const Row root = root_of(m_plan, row);
            if (value(root).place != artifact::Place::Host ||
                value(root).last_step != static_cast<std::int32_t>(number))
                continue;
            m_tensors[row] = nullptr;
            m_tensors[root] = nullptr;
        }
}

Tensors Execution::outputs() {
    Tensors results;
    for (const Row row : m_plan.outputs) {
        const artifact::Place place = value(root_of(m_plan, row)).place;
        const bool is_given = place == artifact::Place::Input || place == artifact::Place::Constant;
        results.push_back(is_given ? copy_of(*make(row)) : make(row));
    }
    return results;
}

} // namespace hidet::graph
