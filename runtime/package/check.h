// SPDX-License-Identifier: Apache-2.0
// What whoever runs a plan may rely on, whoever wrote it: a plan may come from a file that somebody damaged. Rows are those
// of their tables, expressions find their operands, aliases end, sections and ranges of steps nest. Bodies take what their
// steps give and make what they want, and are those of one step each: so what runs them goes no deeper than they nest.
#pragma once

#include <initializer_list>

#include "runtime/package/plan.h"
#include "runtime/package/problem.h"

namespace hidet::package {

// Where in a plan a rule is being checked, and the first one that is broken.
class RuleReport {
public:
    explicit RuleReport(Problem& problem) : m_problem(problem) {}

    bool is_ok() const { return m_is_ok; }
    void in_body(Row body) { m_body_row = body; }
    void at(const char* table, std::size_t row = SIZE_MAX) { m_table = table, m_row = row; }
    template <class... Parts>
    void fail(const Parts&... what) {
        if (!m_is_ok)
            return;
        m_is_ok = false;
        char in[32] = "";
        if (m_body_row != no_row)
            TextWriter(in, sizeof in).add("body ", m_body_row, ", ");
        if (m_row == SIZE_MAX)
            refuse(m_problem, Code::Damaged, text(in), m_table, ": ", what...);
        else
            refuse(m_problem, Code::Damaged, text(in), m_table, m_row, ": ", what...);
    }
    template <class... Parts>
    void expect(bool holds, const Parts&... what) {
        if (!holds)
            fail(what...);
    }
    void row(const char* what, std::uint64_t row, const auto& table) {
        if (row >= table.size())
            fail(what, " ", row, " is not a row of a table of ", table.size());
    }
    void optional_row(const char* what, Row given, const auto& table) {
        if (given != no_row)
            row(what, given, table);
    }
    void rows(const char* what, const auto& given, const auto& table) {
        for (const Row one : given)
            row(what, one, table);
    }

    // Each row of a table as check(row, number), up to the first that breaks a rule.
    void each(const char* name, const auto& table, auto check) {
        for (std::size_t i = 0; i < table.size() && m_is_ok; ++i) {
            at(name, i);
            check(table[i], i);
        }
    }
    void one_of(const char* what, std::uint32_t value, std::initializer_list<std::uint32_t> allowed) {
        bool is_allowed = false;
        for (const std::uint32_t one : allowed)
            is_allowed |= one == value;
        expect(is_allowed, "it has no ", what, " of ", value, " bytes");
    }
    void scalar(const char* what, const auto& values, Row value, const char* dtype) {
        const std::size_t length = std::strlen(dtype);
        const bool fits = value < values.size() && values[value].dtype.size() == length &&
                          std::memcmp(values[value].dtype.data(), dtype, length) == 0;
        expect(fits, what, " is not of ", dtype);
    }
    // The name of a file below its own folder: a plan that somebody sent reads nothing else.
    void member(const auto& name) {
        bool is_inside = true;
        for (std::size_t begin = 0, i = 0; i <= name.size() && name.size() > 0; ++i) {
            if (i < name.size() && name.data()[i] != '/') {
                is_inside = is_inside && name.data()[i] != '\0';
                continue;
            }
            const std::size_t count = i - begin;
            is_inside = is_inside && count > 0 && (count > 2 || std::memcmp(name.data() + begin, "..", count) != 0);
            begin = i + 1;
        }
        expect(is_inside, "'", name, "' is not the name of a file beside the plan");
    }

private:
    Problem& m_problem;
    Row m_body_row = no_row;
    const char* m_table = "";
    std::size_t m_row = SIZE_MAX;
    bool m_is_ok = true;
};

void check_weights(const auto& weights, RuleReport& report) {
    report.each("weight ", weights, [&](const auto& weight, std::size_t) {
        report.expect(weight.shape.size() == weight.strides.size(), "it has not one stride for each extent");
        report.member(weight.member);
        report.expect(weight.offset <= UINT64_MAX - weight.bytes, "it ends past what can be addressed");
        for (const std::int64_t extent : weight.shape)
            report.expect(extent >= 0, "an extent is negative");
    });
}

template <class Kit>
void check_functions(const LaunchPlan<Kit>& plan, RuleReport& report) {
    report.each("function ", plan.functions,
                [&](const auto& function, std::size_t) { report.row("module", function.module, plan.modules); });
    report.each("image ", plan.images, [&](const auto& image, std::size_t) {
        report.row("module", image.module, plan.modules);
        report.expect(image.member.size() > 0, "'' is not the name of a file beside the plan");
        report.member(image.member);
        for (const PlanKernel& kernel : image.kernels) {
            report.row("function", kernel.function, plan.functions);
            report.expect(kernel.function >= plan.functions.size() ||
                              plan.functions[kernel.function].module == image.module,
                          "function ", kernel.function, " belongs to another module");
        }
    });
}

template <class Kit>
class PlanChecker : RuleReport {
public:
    PlanChecker(const LaunchPlan<Kit>& plan, Problem& problem) : RuleReport(problem), m_plan(plan) {}

    bool run() { // false: the problem is the first rule that the plan breaks
        check_weights(m_plan.weights, *this);
        check_functions(m_plan, *this);
        check_body(no_row, m_plan);
        // Bodies are numbered as steps name them, so those at one depth follow each other.
        std::size_t depth = 0;
        for (Row body = 0, end = 0; body < m_plan.bodies.size() && is_ok(); ++body) {
            if (body == end) {
                end = m_named;
                at("body ", body);
                expect(body < end, "no step makes it");
                expect(++depth <= most_nested, "it stands in more than ", most_nested, " others");
            }
            check_body(body, m_plan.bodies[body]);
        }
        return is_ok();
    }

private:
    static constexpr std::size_t most_choices = 32; // one within the other

    void check_body(Row number, const PlanBody<Kit>& body) {
        in_body(number);
        m_body = &body;
        m_open = 0;
        check_expressions();
        check_symbols();
        check_values();
        check_maps();
        check_sections();
        each("step ", body.steps, [&](const auto& step, std::size_t i) { check_step(step, i); });
        each("requirement ", body.requirements, [&](const auto& requirement, std::size_t) {
            row("condition", requirement.condition, body.expressions);
            rows("value", requirement.values, body.expressions);
        });
        in_body(no_row);
    }

    void check_expressions() {
        each("expression ", m_body->expressions, [&](const auto& expression, std::size_t i) {
            std::int64_t depth = 0;
            for (const ExprWord& word : expression) {
                const auto operand = static_cast<std::uint64_t>(word.operand);
                if (word.op == ExprOp::Symbol)
                    row("symbol", operand, m_body->symbols);
                if (word.op == ExprOp::Earlier && operand >= i)
                    fail("it uses expression ", operand, ", which does not stand before it");
                depth -= info(word.op).operands;
                expect(depth >= 0, "'", info(word.op).text, "' lacks operands");
                ++depth;
            }
            expect(depth == 1, "it leaves ", depth, " values instead of one");
        });
    }
    void check_symbols() {
        each("symbol ", m_body->symbols, [&](const auto& symbol, std::size_t) {
            if (symbol.value == no_row)
                return;
            row("value", symbol.value, m_body->values);
            if (symbol.value < m_body->values.size())
                row("dimension", symbol.dimension, m_body->values[symbol.value].shape);
        });
    }
    void check_values() {
        each("value ", m_body->values, [&](const auto& value, std::size_t) {
            expect(value.shape.size() <= most_rank, "it has more than ", most_rank, " dimensions");
            rows("extent", value.shape, m_body->expressions);
            row("bytes", value.bytes, m_body->expressions);
            if (value.place == Place::Arena)
                row("offset", value.offset, m_body->expressions);
            if (value.place == Place::Constant)
                row("weight", value.weight, m_plan.weights);
            if (!lies_in_another(value.place))
                return;
            row("value", value.of, m_body->values);
            const Place of = value.of < m_body->values.size() ? m_body->values[value.of].place : Place::Input;
            expect(!lies_in_another(of), "it is an alias of an alias");
            expect(value.place != Place::InPlace || of == Place::Input, "it takes the place of what is no input");
        });
        at("the plan");
        rows("input", m_body->inputs, m_body->values);
        rows("output", m_body->outputs, m_body->values);
        for (const Row input : m_body->inputs)
            expect(input >= m_body->values.size() || m_body->values[input].place == Place::Input, "value ", input,
                   " is an input, and lives elsewhere");
    }
    void check_maps() {
        each("tensor map ", m_body->maps, [&](const auto& map, std::size_t) {
            rows("extent", map.extents, m_body->expressions);
            rows("stride", map.strides, m_body->expressions);
            expect(map.extents.size() > 0 && map.extents.size() <= most_map_rank, "its rank is not 1 to 5");
            expect(map.strides.size() + 1 == map.extents.size() && map.element_strides.size() == map.extents.size() &&
                       map.box.size() == (map.is_of_images() ? 1 : map.extents.size()),
                   "extents, strides and box have different ranks");
            const std::size_t corners = map.is_of_images() && map.extents.size() > 2 ? map.extents.size() - 2 : 0;
            expect(map.lower.size() == corners && map.upper.size() == corners && (corners > 0 || !map.is_of_images()),
                   "its corners have another rank than images of its extents");
            one_of("interleave", map.interleave, {0, 16, 32});
            one_of("swizzle", map.swizzle, {0, 32, 64, 128});
            one_of("promotion", map.l2_promotion, {0, 64, 128, 256});
        });
    }
    void check_sections() {
        std::uint32_t next = 0;
        each("section ", m_body->sections, [&](const PlanSection& section, std::size_t i) {
            expect(section.first_step == next && section.end_step >= next,
                   "its steps do not follow those of the section before it");
            next = section.end_step;
            row("arena_bytes", section.arena_bytes, m_body->expressions);
            optional_row("liveness_bound", section.liveness_bound, m_body->expressions);
            for (std::uint32_t step = section.first_step; step < section.end_step && step < m_body->steps.size();
                 ++step)
                expect(m_body->steps[step].section == i, "step ", step, " belongs to another one");
        });
        at("the plan");
        expect(next == m_body->steps.size(), "its sections have ", next, " steps of ", m_body->steps.size());
        expect(m_body->sections.size() > 0, "it has no section");
    }

    void check_step(const PlanStep<Kit>& step, std::size_t number) {
        rows("value", step.reads, m_body->values);
        rows("value", step.writes, m_body->values);
        for (const Row written : step.writes)
            check_writable(written);
        switch (step.kind) {
        case StepKind::Launch:
            check_extents(step.grid);
            check_extents(step.block);
            check_extents(step.cluster);
            optional_row("dynamic_shared", step.dynamic_shared, m_body->expressions);
            return check_arguments(step);
        case StepKind::Call: return check_arguments(step);
        case StepKind::Host: return check_attributes(step);
        case StepKind::Copy:
        case StepKind::Fill:
            expect(step.writes.size() == 1 && step.reads.size() == (step.kind == StepKind::Copy ? 1u : 0u),
                   "it reads or writes another number of values");
            row("bytes", step.bytes, m_body->expressions);
            return expect(step.fill <= 255, "it fills with more than a byte");
        case StepKind::Choose: return check_ranges(step, number);
        case StepKind::If: return check_branches(step);
        case StepKind::Loop: return check_loop(step);
        }
    }
    // Weights may be mapped from a file, and inputs are the caller's, who may ask for results in their place.
    void check_writable(Row row) {
        if (!is_ok())
            return;
        const auto& value = m_body->values[row];
        const Place place = value.place == Place::Alias ? m_body->values[value.of].place : value.place;
        expect(place != Place::Input && place != Place::Constant, "it writes to '", value.name, "', which is ",
               place == Place::Input ? "an input" : "a weight");
    }
    // The next one of the table. Null: the problem is said.
    const PlanBody<Kit>* named(Row body) {
        expect(body == m_named && body < m_plan.bodies.size(), "body ", body, " is not the next one of ",
               m_plan.bodies.size());
        return is_ok() ? &m_plan.bodies[m_named++] : nullptr;
    }
    static constexpr std::size_t any_rank = SIZE_MAX;
    // `rank`: that of the value, or of what is stacked to make it.
    void same(const char* what, const PlanBody<Kit>& body, Row own, Row value, std::size_t rank = any_rank) {
        if (own >= body.values.size() || value >= m_body->values.size())
            return fail(what, " is no value");
        const auto& given = m_body->values[value];
        expect(body.values[own].dtype == given.dtype &&
                   body.values[own].shape.size() == (rank == any_rank ? given.shape.size() : rank),
               what, " is of another type or rank than '", given.name, "'");
    }
    void takes(const PlanBody<Kit>& body, std::size_t own, const PlanStep<Kit>& step, std::size_t first) {
        expect(body.inputs.size() + first == own + step.reads.size(), "its body takes ", body.inputs.size(),
               " values, and it gives ", own + step.reads.size() - first);
        for (std::size_t i = first; i < step.reads.size() && is_ok(); ++i)
            same("what its body takes", body, body.inputs[own + i - first], step.reads[i]);
    }
    void makes(const PlanBody<Kit>& body, std::size_t own, const PlanStep<Kit>& step) {
        expect(body.outputs.size() == own + step.writes.size(), "its body makes ", body.outputs.size(),
               " values, and it wants ", own + step.writes.size());
    }
    void check_branches(const PlanStep<Kit>& step) {
        expect(step.bodies.size() == 2 && step.reads.size() > 0, "it has no two branches, or no condition");
        if (!is_ok())
            return;
        scalar("its condition", m_body->values, step.reads[0], "bool");
        for (const Row row : step.bodies) {
            const PlanBody<Kit>* body = named(row);
            if (!body)
                return;
            takes(*body, 0, step, 1);
            makes(*body, 0, step);
            for (std::size_t i = 0; i < step.writes.size() && is_ok(); ++i)
                same("what its body makes", *body, body->outputs[i], step.writes[i]);
        }
    }
    void check_loop(const PlanStep<Kit>& step) {
        const std::size_t own = std::size_t{step.has_trips} + step.has_condition;
        expect(step.bodies.size() == 1, "it has ", step.bodies.size(), " bodies instead of one");
        expect(own + step.carried <= step.reads.size() && step.carried <= step.writes.size(), "it carries ",
               step.carried, " values, and has fewer");
        const PlanBody<Kit>* body = is_ok() ? named(step.bodies[0]) : nullptr;
        if (!body)
            return;
        if (step.has_trips)
            scalar("the number of its trips", m_body->values, step.reads[0], "int64");
        if (step.has_condition)
            scalar("its condition", m_body->values, step.reads[own - 1], "bool");
        takes(*body, 2, step, own);
        makes(*body, 1, step);
        if (!is_ok())
            return;
        scalar("the first that its body takes", body->values, body->inputs[0], "int64");
        scalar("the second that its body takes", body->values, body->inputs[1], "bool");
        scalar("the first that its body makes", body->values, body->outputs[0], "bool");
        for (std::size_t i = 0; i < step.writes.size() && is_ok(); ++i) {
            const std::size_t rank = m_body->values[step.writes[i]].shape.size();
            expect(i < step.carried || rank > 0, "it stacks what has no dimension");
            if (is_ok())
                same("what its body makes", *body, body->outputs[1 + i], step.writes[i], rank - (i >= step.carried));
        }
    }
    void check_extents(const auto& shape) {
        expect(shape.size() == 3, "a launch has three extents of each kind");
        rows("extent", shape, m_body->expressions);
    }
    void check_arguments(const PlanStep<Kit>& step) {
        row("function", step.function, m_plan.functions);
        for (const PlanArgument& argument : step.arguments) {
            optional_row("expression", argument.expression, m_body->expressions);
            if (argument.kind == ArgumentKind::Scalar)
                row("expression", argument.expression, m_body->expressions);
            else
                row("value", argument.value, m_body->values);
            if (argument.kind == ArgumentKind::TensorMap)
                row("map", argument.map, m_body->maps);
        }
        if (step.function >= m_plan.functions.size())
            return;
        const auto& function = m_plan.functions[step.function];
        expect(function.parameters.size() == 0 || function.parameters.size() == step.arguments.size(), "'",
               function.name, "' takes ", function.parameters.size(), " arguments, not ", step.arguments.size());
        for (std::size_t i = 0; i < function.parameters.size() && i < step.arguments.size(); ++i)
            expect(function.parameters[i].is_pointer == (step.arguments[i].kind == ArgumentKind::Address) &&
                       function.parameters[i].is_tensor_map == (step.arguments[i].kind == ArgumentKind::TensorMap),
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
            case AttributeKind::Shape: rows("extent", attribute.rows, m_body->expressions); break;
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
        row("choice", step.choice, m_body->expressions);
        expect(step.ranges.size() > 0, "it chooses among nothing");
        std::uint64_t next = number + 1;
        for (const PlanRange& range : step.ranges) {
            expect(range.first == next && range.end >= next, "its ranges do not follow each other");
            next = range.end;
        }
        expect(step.section < m_body->sections.size() && next <= m_body->sections[step.section].end_step,
               "its ranges leave the section");
        while (m_open > 0 && m_choices[m_open - 1]->ranges[m_choices[m_open - 1]->ranges.size() - 1].end <= number)
            --m_open;
        if (m_open > 0)
            for (const PlanRange& around : m_choices[m_open - 1]->ranges)
                expect(number < around.first || number >= around.end || next <= around.end,
                       "its ranges leave the one that it stands in");
        expect(m_open < most_choices, "it stands in more than ", most_choices, " others");
        if (is_ok())
            m_choices[m_open++] = &step;
    }

    const LaunchPlan<Kit>& m_plan;
    const PlanBody<Kit>* m_body = nullptr;
    Row m_named = 0;                                   // bodies, by the steps before
    const PlanStep<Kit>* m_choices[most_choices] = {}; // that stand around a step, the innermost last
    std::size_t m_open = 0;
};

template <class Kit>
bool check(const LaunchPlan<Kit>& plan, Problem& problem) {
    return PlanChecker<Kit>(plan, problem).run();
}

} // namespace hidet::package
