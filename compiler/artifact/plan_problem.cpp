// SPDX-License-Identifier: Apache-2.0
// What whoever reads a plan may rely on, whoever wrote it: a plan may come from a file that somebody damaged.
#include "compiler/artifact/launch_plan.h"
#include "lang/base/text.h"

namespace hidet::artifact {

namespace {

class PlanChecker {
public:
    explicit PlanChecker(const LaunchPlan& plan) : m_plan(plan) {}

    std::string run() {
        check_expressions();
        check_symbols();
        check_weights();
        check_values();
        check_functions();
        check_maps();
        check_sections();
        for (std::size_t i = 0; i < m_plan.steps.size(); ++i)
            check_step(m_plan.steps[i], i);
        for (std::size_t i = 0; i < m_plan.requirements.size(); ++i) {
            m_where = cat("requirement ", i);
            row("condition", m_plan.requirements[i].condition, m_plan.expressions);
            rows("value", m_plan.requirements[i].values, m_plan.expressions);
        }
        return m_problem;
    }

private:
    void fail(const std::string& what) {
        if (m_problem.empty())
            m_problem = cat(m_where, ": ", what);
    }
    void expect(bool holds, const std::string& what) {
        if (!holds)
            fail(what);
    }
    template <class T>
    void row(const char* what, std::uint64_t row, const std::vector<T>& table) {
        if (row >= table.size())
            fail(cat(what, " ", row, " is no row of a table of ", table.size()));
    }
    template <class T>
    void optional_row(const char* what, Row given, const std::vector<T>& table) {
        if (given != no_row)
            row(what, given, table);
    }
    template <class T>
    void rows(const char* what, const std::vector<Row>& given, const std::vector<T>& table) {
        for (const Row each : given)
            row(what, each, table);
    }

    void check_expressions() {
        for (std::size_t i = 0; i < m_plan.expressions.size(); ++i) {
            m_where = cat("expression ", i);
            std::int64_t depth = 0;
            for (const ExprWord& word : m_plan.expressions[i]) {
                const auto operand = static_cast<std::uint64_t>(word.operand);
                if (word.op == ExprOp::Symbol)
                    row("symbol", operand, m_plan.symbols);
                if (word.op == ExprOp::Earlier && operand >= i)
                    fail(cat("it uses expression ", operand, ", which does not stand before it"));
                depth -= info(word.op).operands;
                expect(depth >= 0, cat("'", info(word.op).text, "' lacks operands"));
                ++depth;
            }
            expect(depth == 1, cat("it leaves ", depth, " values instead of one"));
        }
    }
    void check_symbols() {
        for (std::size_t i = 0; i < m_plan.symbols.size(); ++i) {
            const PlanSymbol& symbol = m_plan.symbols[i];
            m_where = cat("symbol ", i);
            if (symbol.value == no_row)
                continue;
            row("value", symbol.value, m_plan.values);
            if (symbol.value < m_plan.values.size())
                row("dimension", symbol.dimension, m_plan.values[symbol.value].shape);
        }
    }
    void check_weights() {
        for (std::size_t i = 0; i < m_plan.weights.size(); ++i) {
            const PlanWeight& weight = m_plan.weights[i];
            m_where = cat("weight ", i);
            expect(weight.shape.size() == weight.strides.size(), "it has not one stride for each extent");
            expect(is_file_name(weight.member), cat("'", weight.member, "' is no name of a file beside the plan"));
            expect(weight.offset <= UINT64_MAX - weight.bytes, "it ends past what can be addressed");
            for (const std::int64_t extent : weight.shape)
                expect(extent >= 0, "an extent is negative");
        }
    }
    // No path: a plan that somebody sent reads nothing but its own folder.
    static bool is_file_name(const std::string& name) {
        return name.find('/') == std::string::npos && name != ".." && name != "." &&
               name.find('\0') == std::string::npos;
    }
    void check_values() {
        for (std::size_t i = 0; i < m_plan.values.size(); ++i) {
            const PlanValue& value = m_plan.values[i];
            m_where = cat("value ", i);
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
        m_where = "the plan";
        rows("input", m_plan.inputs, m_plan.values);
        rows("output", m_plan.outputs, m_plan.values);
        for (const Row input : m_plan.inputs)
            expect(input >= m_plan.values.size() || m_plan.values[input].place == Place::Input,
                   cat("value ", input, " is an input, and lives elsewhere"));
    }
    void check_functions() {
        for (std::size_t i = 0; i < m_plan.functions.size(); ++i) {
            m_where = cat("function ", i);
            row("module", m_plan.functions[i].module, m_plan.modules);
        }
        for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
            m_where = cat("image ", i);
            row("module", m_plan.images[i].module, m_plan.modules);
            expect(!m_plan.images[i].member.empty() && is_file_name(m_plan.images[i].member),
                   cat("'", m_plan.images[i].member, "' is no name of a file beside the plan"));
        }
    }
    void check_maps() {
        for (std::size_t i = 0; i < m_plan.maps.size(); ++i) {
            const PlanTensorMap& map = m_plan.maps[i];
            m_where = cat("tensor map ", i);
            rows("extent", map.extents, m_plan.expressions);
            rows("stride", map.strides, m_plan.expressions);
            expect(!map.extents.empty() && map.extents.size() <= 5, "its rank is not 1 to 5");
            expect(map.strides.size() + 1 == map.extents.size() && map.box.size() == map.extents.size() &&
                       map.element_strides.size() == map.extents.size(),
                   "extents, strides and box have different ranks");
        }
    }
    void check_sections() {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < m_plan.sections.size(); ++i) {
            const PlanSection& section = m_plan.sections[i];
            m_where = cat("section ", i);
            expect(section.first_step == next && section.end_step >= next,
                   "its steps do not follow those of the section before it");
            next = section.end_step;
            row("arena_bytes", section.arena_bytes, m_plan.expressions);
            optional_row("liveness_bound", section.liveness_bound, m_plan.expressions);
            for (std::uint32_t step = section.first_step; step < section.end_step && step < m_plan.steps.size(); ++step)
                expect(m_plan.steps[step].section == i, cat("step ", step, " belongs to another one"));
        }
        m_where = "the plan";
        expect(next == m_plan.steps.size(), cat("its sections have ", next, " steps of ", m_plan.steps.size()));
        expect(!m_plan.sections.empty(), "it has no section");
    }

    void check_step(const PlanStep& step, std::size_t number) {
        m_where = cat("step ", number);
        rows("value", step.reads, m_plan.values);
        rows("value", step.writes, m_plan.values);
        switch (step.kind) {
        case StepKind::Launch:
            for (const std::vector<Row>* shape : {&step.grid, &step.block, &step.cluster}) {
                expect(shape->size() == 3, "a launch has three extents of each kind");
                rows("extent", *shape, m_plan.expressions);
            }
            optional_row("dynamic_shared", step.dynamic_shared, m_plan.expressions);
            check_arguments(step);
            break;
        case StepKind::Call: check_arguments(step); break;
        case StepKind::Host: check_attributes(step); break;
        case StepKind::Copy:
        case StepKind::Fill:
            expect(step.writes.size() == 1 && step.reads.size() == (step.kind == StepKind::Copy ? 1u : 0u),
                   "it reads or writes another number of values");
            row("bytes", step.bytes, m_plan.expressions);
            expect(step.fill <= 255, "it fills with more than a byte");
            break;
        case StepKind::Choose: check_ranges(step, number); break;
        }
    }
    void check_arguments(const PlanStep& step) {
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
        const PlanFunction& function = m_plan.functions[step.function];
        expect(
            function.parameters.empty() || function.parameters.size() == step.arguments.size(),
            cat("'", function.name, "' takes ", function.parameters.size(), " arguments, not ", step.arguments.size()));
        for (std::size_t i = 0; i < function.parameters.size() && i < step.arguments.size(); ++i)
            expect(function.parameters[i].is_pointer == (step.arguments[i].kind == ArgumentKind::Address) ||
                       step.arguments[i].kind == ArgumentKind::TensorMap,
                   cat("argument ", i, " of '", function.name, "' is of another kind"));
    }
    void check_attributes(const PlanStep& step) {
        for (const PlanAttribute& attribute : step.attributes) {
            const auto one = [&](std::size_t count) {
                expect(count == 1, cat("attribute '", attribute.name, "' holds ", count, " values instead of one"));
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
    void check_ranges(const PlanStep& step, std::size_t number) {
        row("choice", step.choice, m_plan.expressions);
        expect(!step.ranges.empty(), "it chooses among nothing");
        while (!m_open.empty() && m_open.back().end <= number)
            m_open.pop_back();
        std::uint64_t next = number + 1;
        for (const PlanRange& range : step.ranges) {
            expect(range.first == next && range.end >= next, "its ranges do not follow each other");
            next = range.end;
        }
        expect(step.section < m_plan.sections.size() && next <= m_plan.sections[step.section].end_step,
               "its ranges leave the section");
        expect(m_open.empty() || next <= m_open.back().end, "its ranges leave the one that it stands in");
        m_open.insert(m_open.end(), step.ranges.rbegin(), step.ranges.rend());
    }

    const LaunchPlan& m_plan;
    std::vector<PlanRange> m_open; // of the choices that stand around a step, the innermost last
    std::string m_where;
    std::string m_problem;
};

} // namespace

std::string problem_of(const LaunchPlan& plan) {
    return PlanChecker(plan).run();
}

} // namespace hidet::artifact
