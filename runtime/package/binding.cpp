// SPDX-License-Identifier: Apache-2.0
// Inputs: whether they fit, and what they say of the symbols.
#include "runtime/package/execution.h"
#include "runtime/package/words.h"

namespace hidet::package {

namespace {

const char* dimensions(std::size_t count) {
    return count == 1 ? " dimension" : " dimensions";
}

bool refuse_count(const Body& body, std::size_t given, Problem& problem) {
    const List<Row>& wanted = body.inputs;
    Words<600> names;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        names.add(i ? ", '" : " ('", body.values[wanted[i]].name, "'");
    return refuse(problem, Code::Input, "the model takes ", wanted.size(), wanted.size() == 1 ? " input" : " inputs",
                  names, wanted.empty() ? "" : ")", ", not ", given);
}

// Null: it is no symbol alone.
const ExprWord* symbol_of(const List<ExprWord>& expression) {
    return expression.size() == 1 && expression[0].op == ExprOp::Symbol ? expression.begin() : nullptr;
}

bool check_input(const Body& body, Row row, const TensorValue& given, Problem& problem) {
    const Value& wanted = body.values[row];
    const Text name = wanted.name;
    if (!given.address.buffer)
        return refuse(problem, Code::Input, "input '", name, "' has no data");
    if (!(given.dtype == wanted.dtype))
        return refuse(problem, Code::Input, "input '", name, "' is ", wanted.dtype, ", not ", given.dtype);
    const std::size_t rank = wanted.shape.size();
    if (given.rank != rank)
        return refuse(problem, Code::Input, "input '", name, "' has ", rank, dimensions(rank), ", ",
                      shape_words(body, wanted.shape), ", not ", given.rank, ": ",
                      extents_words(given.extents, given.rank));
    for (std::size_t d = 0; d < rank; ++d) {
        const List<ExprWord>& extent = body.expressions[wanted.shape[d]];
        const bool is_constant = extent.size() == 1 && extent[0].op == ExprOp::Constant;
        if (is_constant && extent[0].operand != given.extents[d])
            return refuse(problem, Code::Input, "dimension ", d, " of input '", name, "' is ", extent[0].operand,
                          ", not ", given.extents[d]);
    }
    return true;
}

} // namespace

bool BodySizes::bind_input(Row row, const TensorValue& given, Problem& problem) {
    for (std::size_t d = 0; d < given.rank; ++d)
        if (const ExprWord* symbol = symbol_of(body->expressions[body->values[row].shape[d]]);
            symbol &&
            !bind_symbol(static_cast<Row>(symbol->operand), given.extents[d], body->values[row].name, d, problem))
            return false;
    return true;
}

bool BodySizes::bind_symbol(Row row, std::int64_t extent, Text input, std::size_t dimension, Problem& problem) {
    const PlanSymbol<Flat>& symbol = body->symbols[row];
    ExprValue& known = symbols[row];
    if (known.is_known && known.value != extent)
        return refuse(problem, Code::Input, "dimension ", dimension, " of input '", input, "' is ", extent, ", but '",
                      symbol.name, "' is ", known.value, " elsewhere");
    if (extent < symbol.least || extent > symbol.most)
        return refuse(problem, Code::Input, "dimension ", dimension, " of input '", input, "' is ", extent, ", and '",
                      symbol.name, "' is ", symbol.least, " to ", symbol.most);
    known = {extent, true};
    return true;
}

bool BodySizes::check_extents(Row row, const TensorValue& given, Problem& problem) const {
    const List<Row>& shape = body->values[row].shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (const ExprValue& extent = expressions[shape[d]]; extent.is_known && extent.value != given.extents[d])
            return refuse(problem, Code::Input, "dimension ", d, " of input '", body->values[row].name, "' is ",
                          given.extents[d], ", not ", expression_words(*body, shape[d]), " = ", extent.value);
    return true;
}

bool BodySizes::check_requirements(Problem& problem) const {
    for (const PlanRequirement<Flat>& each : body->requirements) {
        const ExprValue& condition = expressions[each.condition];
        if (!condition.is_known || condition.value != 0)
            continue;
        Words<sizeof problem.message> message;
        const char* rest = each.message.data();
        const char* const end = rest + each.message.size();
        for (const Row row : each.values) {
            const auto* braces = static_cast<const char*>(memmem(rest, static_cast<std::size_t>(end - rest), "{}", 2));
            if (!braces)
                break;
            message.add(Text{rest, static_cast<std::uint32_t>(braces - rest)});
            expressions[row].is_known ? message.add(expressions[row].value) : message.add("?");
            rest = braces + 2;
        }
        message.add(Text{rest, static_cast<std::uint32_t>(end - rest)});
        return refuse(problem, Code::Refused, message);
    }
    return true;
}

bool Execution::bind(const TensorValue* inputs, std::size_t count, Problem& problem) {
    const List<Row>& wanted = m_body->inputs;
    forget_results();
    m_has_run = false;
    for (ExprValue& symbol : m_sizes.symbols)
        symbol = {};
    for (HeldValue& held : m_held)
        held = {};
    if (count != wanted.size())
        return refuse_count(*m_body, count, problem);
    for (std::size_t i = 0; i < count; ++i)
        if (!check_input(*m_body, wanted[i], inputs[i], problem))
            return false;
    for (std::size_t i = 0; i < count; ++i)
        if (!m_sizes.bind_input(wanted[i], inputs[i], problem))
            return false;
    if (m_sizes.symbols.size() > 0)
        std::memcpy(m_sizes.input_symbols.items, m_sizes.symbols.items, m_sizes.symbols.size() * sizeof(ExprValue));
    m_sizes.evaluate();
    for (std::size_t i = 0; i < count; ++i) {
        if (!m_sizes.check_extents(wanted[i], inputs[i], problem) ||
            !m_sizes.fits(wanted[i], inputs[i].address, problem))
            return false;
        hold(wanted[i], inputs[i].address, false);
    }
    return begin_section(0, problem);
}

// What a host operator made says of symbols, and must be what the plan says of it.
bool Execution::take_results(const Step& step, const List<TensorValue>& results, Problem& problem) {
    const Text name = step.kernels.empty() ? text("a host operator") : step.kernels[0];
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Value& wanted = value(step.writes[i]);
        if (!results[i].address.buffer || !(results[i].dtype == wanted.dtype) || results[i].rank != wanted.shape.size())
            return refuse(problem, Code::Failed, "'", name, "' made a result of another type or rank than '",
                          wanted.name, "'");
        for (std::size_t d = 0; d < wanted.shape.size(); ++d)
            if (const ExprWord* symbol = symbol_of(m_body->expressions[wanted.shape[d]]))
                m_sizes.symbols[static_cast<std::size_t>(symbol->operand)] = {results[i].extents[d], true};
    }
    m_sizes.evaluate();
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Value& wanted = value(step.writes[i]);
        for (std::size_t d = 0; d < wanted.shape.size(); ++d)
            if (const ExprValue& extent = m_sizes.expressions[wanted.shape[d]];
                !extent.is_known || extent.value != results[i].extents[d])
                return refuse(problem, Code::Failed, "'", name, "' made ",
                              extents_words(results[i].extents, results[i].rank), ", not ",
                              extents_words(m_sizes.expressions, wanted.shape));
        if (!m_sizes.fits(step.writes[i], results[i].address, problem))
            return false;
    }
    return true;
}

} // namespace hidet::package
