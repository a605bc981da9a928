// SPDX-License-Identifier: Apache-2.0
// What whoever runs a plan may rely on, whoever wrote it: a plan may come from a file that somebody damaged. Rows are those
// of their tables, expressions find their operands, aliases end, sections and ranges of steps nest.
#pragma once

#include "runtime/package/plan.h"
#include "runtime/package/problem.h"

namespace hidet::package {

template <class Kit>
class PlanChecker {
public:
    PlanChecker(const LaunchPlan<Kit>& plan, Problem& problem) : m_plan(plan), m_problem(problem) {}

    bool run() { // false: the problem is the first rule that the plan breaks
        check_expressions();
        check_symbols();
        check_weights();
        check_values();
        check_functions();
        check_maps();
        check_sections();
        for (std::size_t i = 0; i < m_plan.steps.size() && m_is_fine; ++i)
            check_step(m_plan.steps[i], i);
        for (std::size_t i = 0; i < m_plan.requirements.size() && m_is_fine; ++i) {
            at("requirement ", i);
            row("condition", m_plan.requirements[i].condition, m_plan.expressions);
            rows("value", m_plan.requirements[i].values, m_plan.expressions);
        }
        return m_is_fine;
    }

private:
    static constexpr std::size_t most_choices = 32; // one within the other

    void at(const char* table, std::size_t row = SIZE_MAX) { m_table = table, m_row = row; }
    template <class... Parts>
    void fail(const Parts&... what) {
        if (!m_is_fine)
            return;
        m_is_fine = false;
        if (m_row == SIZE_MAX)
            refuse(m_problem, Code::Damaged, m_table, ": ", what...);
        else
            refuse(m_problem, Code::Damaged, m_table, m_row, ": ", what...);
    }
    template <class... Parts>
    void expect(bool holds, const Parts&... what) {
        if (!holds)
            fail(what...);
    }
    void row(const char* what, std::uint64_t row, const auto& table) {
        if (row >= table.size())
            fail(what, " ", row, " is no row of a table of ", table.size());
    }
    void optional_row(const char* what, Row given, const auto& table) {
        if (given != no_row)
            row(what, given, table);
    }
    void rows(const char* what, const auto& given, const auto& table) {
        for (const Row each : given)
            row(what, each, table);
    }

    void check_expressions() {
        for (std::size_t i = 0; i < m_plan.expressions.size() && m_is_fine; ++i) {
            at("expression ", i);
            std::int64_t depth = 0;
            for (const ExprWord& word : m_plan.expressions[i]) {
                const auto operand = static_cast<std::uint64_t>(word.operand);
                if (word.op == ExprOp::Symbol)
                    row("symbol", operand, m_plan.symbols);
                if (word.op == ExprOp::Earlier && operand >= i)
                    fail("it uses expression ", operand, ", which does not stand before it");
                depth -= info(word.op).operands;
                expect(depth >= 0, "'", info(word.op).text, "' lacks operands");
                ++depth;
            }
            expect(depth == 1, "it leaves ", depth, " values instead of one");
        }
    }
    void check_symbols() {
        for (std::size_t i = 0; i < m_plan.symbols.size(); ++i) {
            const auto& symbol = m_plan.symbols[i];
            at("symbol ", i);
            if (symbol.value == no_row)
                continue;
            row("value", symbol.value, m_plan.values);
            if (symbol.value < m_plan.values.size())
                row("dimension", symbol.dimension, m_plan.values[symbol.value].shape);
        }
    }
    void check_weights() {
        for (std::size_t i = 0; i < m_plan.weights.size(); ++i) {
            const auto& weight = m_plan.weights[i];
            at("weight ", i);
            expect(weight.shape.size() == weight.strides.size(), "it has not one stride for each extent");
            check_member(weight.member);
            expect(weight.offset <= UINT64_MAX - weight.bytes, "it ends past what can be addressed");
            for (const std::int64_t extent : weight.shape)
                expect(extent >= 0, "an extent is negative");
        }
    }
    // No path: a plan that somebody sent reads nothing but its own folder.
    void check_member(const auto& name) {
        const auto has = [&](char c) { return name.size() > 0 && std::memchr(name.data(), c, name.size()); };
        const bool is_dots = name.size() > 0 && name.size() <= 2 && std::memcmp(name.data(), "..", name.size()) == 0;
        expect(!has('/') && !has('\0') && !is_dots, "'", name, "' is no name of a file beside the plan");
    }
    void check_values() {
        for (std::size_t i = 0; i < m_plan.values.size(); ++i) {
            const auto& value = m_plan.values[i];
            at("value ", i);
            expect(value.shape.size() <= most_rank, "it has more than ", most_rank, " dimensions");
            rows("extent", value.shape, m_plan.expressions);
            row("bytes", value.bytes, m_plan.expressions);
            if (value.place == Place::Arena)
                row("offset", value.offset, m_plan.expressions);
            if (value.place == Place::Constant)
                row("weight", value.weight, m_plan.weights);
            if (value.place != Place::Alias)
                continue;
            row("value", value.of, m_plan.values);
            expect(value.of >= m_plan.values.size() || m_plan.values[value.of].place != Place::Alias,
                   "it is an alias of an alias");
        }
        at("the plan");
        rows("input", m_plan.inputs, m_plan.values);
        rows("output", m_plan.outputs, m_plan.values);
        for (const Row input : m_plan.inputs)
            expect(input >= m_plan.values.size() || m_plan.values[input].place == Place::Input, "value ", input,
                   " is an input, and lives elsewhere");
    }
    void check_functions() {
        for (std::size_t i = 0; i < m_plan.functions.size(); ++i) {
            at("function ", i);
            row("module", m_plan.functions[i].module, m_plan.modules);
        }
        for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
            at("image ", i);
            row("module", m_plan.images[i].module, m_plan.modules);
            expect(m_plan.images[i].member.size() > 0, "'' is no name of a file beside the plan");
            check_member(m_plan.images[i].member);
            for (const PlanKernel& kernel : m_plan.images[i].kernels) {
                row("function", kernel.function, m_plan.functions);
                expect(kernel.function >= m_plan.functions.size() ||
                           m_plan.functions[kernel.function].module == m_plan.images[i].module,
                       "function ", kernel.function, " belongs to another module");
            }
        }
    }
    void check_maps() {
        for (std::size_t i = 0; i < m_plan.maps.size(); ++i) {
            const auto& map = m_plan.maps[i];
            at("tensor map ", i);
            rows("extent", map.extents, m_plan.expressions);
            rows("stride", map.strides, m_plan.expressions);
            expect(map.extents.size() > 0 && map.extents.size() <= most_map_rank, "its rank is not 1 to 5");
            expect(map.strides.size() + 1 == map.extents.size() && map.box.size() == map.extents.size() &&
                       map.element_strides.size() == map.extents.size(),
                   "extents, strides and box have different ranks");
        }
    }
    void check_sections() {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < m_plan.sections.size(); ++i) {
            const PlanSection& section = m_plan.sections[i];
            at("section ", i);
            expect(section.first_step == next && section.end_step >= next,
                   "its steps do not follow those of the section before it");
            next = section.end_step;
            row("arena_bytes", section.arena_bytes, m_plan.expressions);
            optional_row("liveness_bound", section.liveness_bound, m_plan.expressions);
            for (std::uint32_t step = section.first_step; step < section.end_step && step < m_plan.steps.size(); ++step)
                expect(m_plan.steps[step].section == i, "step ", step, " belongs to another one");
        }
        at("the plan");
        expect(next == m_plan.steps.size(), "its sections have ", next, " steps of ", m_plan.steps.size());
        expect(m_plan.sections.size() > 0, "it has no section");
    }

    void check_step(const PlanStep<Kit>& step, std::size_t number) {
        at("step ", number);
        rows("value", step.reads, m_plan.values);
        rows("value", step.writes, m_plan.values);
        switch (step.kind) {
        case StepKind::Launch:
            check_extents(step.grid);
            check_extents(step.block);
            check_extents(step.cluster);
            optional_row("dynamic_shared", step.dynamic_shared, m_plan.expressions);
            return check_arguments(step);
        case StepKind::Call: return check_arguments(step);
        case StepKind::Host: return check_attributes(step);
        case StepKind::Copy:
        case StepKind::Fill:
            expect(step.writes.size() == 1 && step.reads.size() == (step.kind == StepKind::Copy ? 1u : 0u),
                   "it reads or writes another number of values");
            row("bytes", step.bytes, m_plan.expressions);
            return expect(step.fill <= 255, "it fills with more than a byte");
        case StepKind::Choose: return check_ranges(step, number);
        }
    }
    void check_extents(const auto& shape) {
        expect(shape.size() == 3, "a launch has three extents of each kind");
        rows("extent", shape, m_plan.expressions);
    }
    void check_arguments(const PlanStep<Kit>& step) {
        row("function", step.function, m_plan.functions);
        for (const PlanArgument& argument : step.arguments) {
            optional_row("expression", argument.expression, m_plan.expressions);
            if (argument.kind == ArgumentKind::Scalar)
                row("expression", argument.expression, m_plan.expressions);
            else
                row("value", argument.value, m_plan.values);
            if (argument.kind == ArgumentKind::TensorMap)
                row("map", argument.map, m_plan.maps);
        }
        if (step.function >= m_plan.functions.size())
            return;
        const auto& function = m_plan.functions[step.function];
        expect(function.parameters.size() == 0 || function.parameters.size() == step.arguments.size(), "'",
               function.name, "' takes ", function.parameters.size(), " arguments, not ", step.arguments.size());
        for (std::size_t i = 0; i < function.parameters.size() && i < step.arguments.size(); ++i)
            expect(function.parameters[i].is_pointer == (step.arguments[i].kind == ArgumentKind::Address) ||
                       step.arguments[i].kind == ArgumentKind::TensorMap,
                   "argument ", i, " of '", function.name, "' is of another kind");
    }
    void check_attributes(const PlanStep<Kit>& step) {
        for (const auto& attribute : step.attributes) {
            const auto one = [&](std::size_t count) {
                expect(count == 1, "attribute '", attribute.name, "' holds ", count, " values instead of one");
            };
            switch (attribute.kind) {
            case AttributeKind::Bool:
            case AttributeKind::Int: one(attribute.ints.size()); break;
            case AttributeKind::Real: one(attribute.reals.size()); break;
            case AttributeKind::Text:
            case AttributeKind::DType: one(attribute.texts.size()); break;
            case AttributeKind::Shape: rows("extent", attribute.rows, m_plan.expressions); break;
            case AttributeKind::Weight:
                one(attribute.rows.size());
                rows("weight", attribute.rows, m_plan.weights);
                break;
            case AttributeKind::Ints:
            case AttributeKind::Reals:
            case AttributeKind::Texts: break;
            }
        }
    }
    void check_ranges(const PlanStep<Kit>& step, std::size_t number) {
        row("choice", step.choice, m_plan.expressions);
        expect(step.ranges.size() > 0, "it chooses among nothing");
        std::uint64_t next = number + 1;
        for (const PlanRange& range : step.ranges) {
            expect(range.first == next && range.end >= next, "its ranges do not follow each other");
            next = range.end;
        }
        expect(step.section < m_plan.sections.size() && next <= m_plan.sections[step.section].end_step,
               "its ranges leave the section");
        while (m_open > 0 && m_choices[m_open - 1]->ranges[m_choices[m_open - 1]->ranges.size() - 1].end <= number)
            --m_open;
        if (m_open > 0)
            for (const PlanRange& around : m_choices[m_open - 1]->ranges)
                expect(number < around.first || number >= around.end || next <= around.end,
                       "its ranges leave the one that it stands in");
        expect(m_open < most_choices, "it stands in more than ", most_choices, " others");
        if (m_is_fine)
            m_choices[m_open++] = &step;
    }

    const LaunchPlan<Kit>& m_plan;
    Problem& m_problem;
    const PlanStep<Kit>* m_choices[most_choices] = {}; // that stand around a step, the innermost last
    std::size_t m_open = 0;
    const char* m_table = "";
    std::size_t m_row = SIZE_MAX;
    bool m_is_fine = true;
};

template <class Kit>
bool check(const LaunchPlan<Kit>& plan, Problem& problem) {
    return PlanChecker<Kit>(plan, problem).run();
}

} // namespace hidet::package
