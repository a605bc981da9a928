// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "runtime/package/execution.h"
#include "runtime/package/input_check.h"
#include "runtime/package/words.h"

namespace hidet::package {

namespace {

Words<40> step_words(Row body, Row step) {
    Words<40> words;
    words.add("step ", step);
    if (body != no_row)
        words.add(" of body ", body);
    return words;
}

bool lacks(const char* what, Row body, Row step, Problem& problem) {
    return refuse(problem, Code::Unsupported, step_words(body, step), " ", what, ", which nothing here does");
}

// A function of the backend that fails may have said nothing.
bool ended(bool is_ok, Row body, Row step, Problem& problem) {
    return is_ok || refuse_silent(problem, step_words(body, step), " failed");
}

} // namespace

bool BodySizes::make_map(const PlanArgument& argument, std::uint64_t bytes, TensorMapValue& out,
                         Problem& problem) const {
    const PlanTensorMap<Flat>& map = body->maps[argument.map];
    out.map = &map;
    // From the first element to the end of the last one: copies reach no further.
    std::int64_t reach = bytes_of(map.element);
    bool is_small = true;
    for (std::size_t d = 0; d < map.extents.size(); ++d) {
        const ExprValue& extent = expressions[map.extents[d]];
        const ExprValue* stride = d > 0 ? &expressions[map.strides[d - 1]] : nullptr;
        if (!extent.is_known || (stride && !stride->is_known))
            return refuse(problem, Code::Refused, "the extents of a tensor map, ", shape_words(*body, map.extents),
                          ", are not known");
        out.extents[d] = extent.value;
        const std::int64_t step = stride ? out.strides[d - 1] = stride->value : bytes_of(map.element);
        std::int64_t last = 0;
        is_small = is_small && extent.value >= 1 && step >= 0 &&
                   !__builtin_mul_overflow(extent.value - 1, step, &last) &&
                   !__builtin_add_overflow(reach, last, &reach);
    }
    if (!is_small || static_cast<std::uint64_t>(reach) > bytes)
        return refuse(problem, Code::Refused, "a tensor map of ", shape_words(*body, map.extents), " leaves '",
                      body->values[argument.value].name, "'");
    return true;
}

bool BodySizes::launch_extents(const Step& step, KernelLaunch& launch, Problem& problem) const {
    const auto extents_of = [&](const List<Row>& rows, std::int64_t* out) {
        bool is_known = true;
        for (std::size_t d = 0; d < 3; ++d) {
            out[d] = expressions[rows[d]].value;
            is_known = is_known && expressions[rows[d]].is_known;
        }
        return is_known;
    };
    if (!extents_of(step.grid, launch.grid) || !extents_of(step.block, launch.block) ||
        !extents_of(step.cluster, launch.cluster))
        return refuse(problem, Code::Refused, "the grid of step ", launch.step, " is not known");
    std::uint64_t shared = 0;
    if (step.dynamic_shared != no_row && !known(step.dynamic_shared, "shared memory", shared, problem))
        return false;
    launch.dynamic_shared = static_cast<std::int64_t>(shared);
    launch.overlaps = step.overlaps;
    return true;
}

std::int64_t* HostTensors::extents_of_result(const Body& body, const Step& step, std::size_t result) const {
    std::int64_t* place = extents.items;
    for (const Row row : step.reads)
        place += body.values[row].shape.size();
    for (std::size_t i = 0; i < result; ++i)
        place += body.values[step.writes[i]].shape.size();
    return place;
}

// The first section begins anew, with what the inputs say.
bool Execution::restart(Problem& problem) {
    forget_results();
    if (m_sizes.symbols.size() > 0)
        std::memcpy(m_sizes.symbols.items, m_sizes.input_symbols.items, m_sizes.symbols.size() * sizeof(ExprValue));
    return begin_section(0, problem);
}

bool Execution::run_step(Row number, Problem& problem) {
    const Step& step = m_body->steps[number];
    if (number == 0) {
        if (m_has_run && m_depends_on_data && !restart(problem))
            return false;
        m_has_run = true;
        for (std::uint8_t& is_skipped : m_is_skipped)
            is_skipped = 0;
    }
    if (m_is_skipped[number] || is_input_check(step))
        return true;
    if (m_section != step.section && !begin_section(step.section, problem))
        return false;
    problem.clear();
    bool is_ok = false;
    switch (step.kind) {
    case StepKind::Launch:
    case StepKind::Call: is_ok = run_call(number, problem); break;
    case StepKind::Host: is_ok = run_host(number, problem); break;
    case StepKind::Copy:
    case StepKind::Fill: is_ok = ended(copy(step, problem), m_row, number, problem); break;
    case StepKind::Choose: is_ok = choose(step, problem); break;
    case StepKind::If: is_ok = run_branch(number, problem); break;
    case StepKind::Loop: is_ok = run_loop(number, problem); break;
    }
    if (is_ok)
        free_dead_values(number);
    return is_ok;
}

bool Execution::make_argument(const PlanArgument& argument, ArgumentValue& out, Problem& problem) {
    out = {};
    out.kind = argument.kind;
    out.type = argument.type;
    if (argument.kind == ArgumentKind::Scalar) {
        const ExprValue& scalar = m_sizes.expressions[argument.expression];
        out.scalar = scalar.value;
        return scalar.is_known || refuse(problem, Code::Refused, "an argument, ",
                                         expression_words(*m_body, argument.expression), ", is not known");
    }
    out.value = argument.value;
    if (!make(argument.value, out.address, problem))
        return false;
    std::uint64_t offset = 0;
    if (argument.expression != no_row && !m_sizes.known(argument.expression, "an offset", offset, problem))
        return false;
    if (offset > out.address.bytes)
        return refuse(problem, Code::Refused, "an argument lies past '", value(argument.value).name, "'");
    out.is_inside = argument.expression != no_row;
    out.address.offset += offset;
    out.address.bytes -= offset;
    return argument.kind == ArgumentKind::Address || m_sizes.make_map(argument, out.address.bytes, out.map, problem);
}

// None if all that it would make is empty.
bool Execution::has_work(const Step& step, bool& has_work, Problem& problem) {
    has_work = false;
    for (const Row row : step.writes) {
        Address address;
        if (!make(row, address, problem))
            return false;
        bool is_empty = false;
        for (const Row extent : value(row).shape)
            is_empty |= m_sizes.expressions[extent].value == 0;
        has_work |= !is_empty;
    }
    return true;
}

bool Execution::prepare(Row number, KernelLaunch& launch, Problem& problem) {
    const Step& step = m_body->steps[number];
    launch = {};
    launch.execution = this;
    launch.step = number;
    launch.function = no_row;
    problem.clear();
    if (step.kind != StepKind::Call && step.kind != StepKind::Launch)
        return true;
    if (m_section != step.section && !begin_section(step.section, problem))
        return false;
    bool does_something = false;
    if (!has_work(step, does_something, problem))
        return false;
    if (!does_something)
        return true;
    for (std::size_t i = 0; i < step.arguments.size(); ++i)
        if (!make_argument(step.arguments[i], m_arguments[i], problem))
            return false;
    if (step.kind == StepKind::Launch && !m_sizes.launch_extents(step, launch, problem))
        return false;
    launch.function = step.function;
    launch.arguments = {m_arguments.items, static_cast<std::uint32_t>(step.arguments.size())};
    return true;
}

bool Execution::run_call(Row number, Problem& problem) {
    const Step& step = m_body->steps[number];
    KernelLaunch launch;
    if (!prepare(number, launch, problem))
        return false;
    if (launch.function == no_row)
        return true;
    if (step.kind == StepKind::Call)
        return m_backend.table->call
                   ? ended(m_backend.table->call(m_backend.table->self, launch, problem), m_row, number, problem)
                   : lacks("calls a function", m_row, number, problem);
    return m_backend.table->launch
               ? ended(m_backend.table->launch(m_backend.table->self, launch, problem), m_row, number, problem)
               : lacks("launches a kernel", m_row, number, problem);
}

bool Execution::read_operands(const Step& step, Problem& problem) {
    std::int64_t* shape = m_host.extents.items;
    for (std::size_t i = 0; i < step.reads.size(); ++i) {
        const Value& read = value(step.reads[i]);
        const auto rank = static_cast<std::uint32_t>(read.shape.size());
        TensorValue& operand = m_host.tensors[i];
        operand = {read.dtype, shape, rank, {}};
        if (!make(step.reads[i], operand.address, problem) || !extents(step.reads[i], shape, problem))
            return false;
        shape += rank;
    }
    for (TensorValue& result : m_host.results(step))
        result = {};
    return true;
}

bool Execution::run_host(Row number, Problem& problem) {
    if (!m_backend.table->host)
        return lacks("is an operator of the host", m_row, number, problem);
    const Step& step = m_body->steps[number];
    if (!read_operands(step, problem))
        return false;
    HostStep host{this, number, m_host.operands(step), m_host.results(step)};
    const bool is_ok = ended(m_backend.table->host(m_backend.table->self, host, problem), m_row, number, problem);
    return keep_results(step, is_ok, problem);
}

// What was made is the plan's, or goes.
bool Execution::keep_results(const Step& step, bool is_ok, Problem& problem) {
    const List<TensorValue> made = m_host.results(step);
    is_ok = is_ok && take_results(step, made, problem);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const Address& address = made[i].address;
        if (is_ok && !lies_in_another(value(step.writes[i]).place))
            hold(step.writes[i], address, true);
        else
            m_backend.release(address);
    }
    return is_ok;
}

bool Execution::copy(const Step& step, Problem& problem) {
    Address to, from;
    std::uint64_t bytes = 0;
    if (!make(step.writes[0], to, problem) || !m_sizes.known(step.bytes, "a copy", bytes, problem))
        return false;
    from = to;
    if (step.kind == StepKind::Copy && !make(step.reads[0], from, problem))
        return false;
    if (bytes > to.bytes || bytes > from.bytes)
        return refuse(problem, Code::Refused, "a copy of ", bytes, " bytes leaves '", value(step.writes[0]).name, "'");
    if (bytes == 0)
        return true;
    const auto number = static_cast<Row>(&step - m_body->steps.items);
    if (step.kind == StepKind::Fill)
        return m_backend.table->fill ? m_backend.table->fill(m_backend.table->self, to,
                                                             static_cast<std::uint8_t>(step.fill), bytes, problem)
                                     : lacks("fills memory", m_row, number, problem);
    return m_backend.table->copy ? m_backend.table->copy(m_backend.table->self, to, from, bytes, problem)
                                 : lacks("copies memory", m_row, number, problem);
}

bool Execution::choose(const Step& step, Problem& problem) {
    const ExprValue& chosen = m_sizes.expressions[step.choice];
    if (!chosen.is_known)
        return refuse(problem, Code::Refused, "there is no choice yet among ", step.ranges.size());
    if (chosen.value < 0 || static_cast<std::uint64_t>(chosen.value) >= step.ranges.size())
        return refuse(problem, Code::Refused, "there is no choice ", chosen.value, " among ", step.ranges.size());
    for (std::size_t i = 0; i < step.ranges.size(); ++i)
        for (std::uint32_t each = step.ranges[i].first; each < step.ranges[i].end; ++each)
            m_is_skipped[each] = static_cast<std::int64_t>(i) != chosen.value;
    return true;
}

// What has memory of its own gives it back after its last reader.
void Execution::free_dead_values(Row number) {
    const Step& step = m_body->steps[number];
    for (const List<Row>* values : {&step.reads, &step.writes})
        for (const Row row : *values)
            if (const Row root = root_of(*m_body, row);
                value(root).place == Place::Host && value(root).last_step == static_cast<std::int32_t>(number))
                hold(root, {}, false);
}

} // namespace hidet::package
