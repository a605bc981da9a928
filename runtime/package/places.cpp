// SPDX-License-Identifier: Apache-2.0
// Where values lie.
#include "runtime/package/execution.h"
#include "runtime/package/words.h"

namespace hidet::package {

namespace {

// Whether it lies in the arena of that section.
bool is_of(const Value& value, const PlanSection& section) {
    const auto first = static_cast<std::uint32_t>(value.first_step);
    return value.place == Place::Arena && first >= section.first_step && first < section.end_step;
}

// The value that takes the most bytes of an arena; null: it has none.
const Value* largest_of(const Plan& plan, const PlanSection& section, const List<ExprValue>& expressions) {
    const Value* largest = nullptr;
    for (const Value& each : plan.values)
        if (is_of(each, section) && (!largest || expressions[each.bytes].value > expressions[largest->bytes].value))
            largest = &each;
    return largest;
}

bool refuse_arena(Problem& problem, std::uint64_t bytes, const Value* largest, const List<ExprValue>& expressions) {
    if (!largest)
        return refuse(problem, Code::Memory, bytes, " bytes for what operators hand to each other");
    return refuse(problem, Code::Memory, bytes, " bytes for what operators hand to each other, '", largest->name, "' ",
                  extents_words(expressions, largest->shape), " of them,");
}

} // namespace

bool BodySizes::make_tables(const Body& of, Memory& memory) {
    body = &of;
    return memory.make(symbols, of.symbols.size()) && memory.make(input_symbols, of.symbols.size()) &&
           memory.make(expressions, of.expressions.size()) && memory.make(stack, deepest_stack(of.expressions));
}

void BodySizes::evaluate() {
    package::evaluate(body->expressions, symbols.items, expressions.items, stack.items);
}

bool BodySizes::arena_bytes(std::uint32_t number, std::uint64_t& bytes, Problem& problem) const {
    const PlanSection& section = body->sections[number];
    for (const Value& each : body->values)
        if (is_of(each, section) && !known(each.bytes, "a tensor", bytes, problem))
            return false;
    return known(section.arena_bytes, "the arena", bytes, problem);
}

bool BodySizes::known(Row expression, const char* what, std::uint64_t& bytes, Problem& problem) const {
    const ExprValue& size = expressions[expression];
    if (!size.is_known)
        return refuse(problem, Code::Refused, "the size of ", what, ", ", expression_words(*body, expression),
                      " bytes, is not known");
    if (size.value < 0 || size.value > most_addressable)
        return refuse(problem, Code::Refused, what, " of ", size.value, " bytes is too large");
    bytes = static_cast<std::uint64_t>(size.value);
    return true;
}

bool BodySizes::extents(Row row, std::int64_t* extents, Problem& problem) const {
    const List<Row>& shape = body->values[row].shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!expressions[shape[d]].is_known)
            return refuse(problem, Code::Refused, "the extents of '", body->values[row].name, "', ",
                          shape_words(*body, shape), ", do not follow from the shapes of the inputs");
        extents[d] = expressions[shape[d]].value;
    }
    return true;
}

bool BodySizes::fits(Row row, Address address, Problem& problem) const {
    const Value& own = body->values[row];
    for (const Row extent : own.shape) {
        if (!expressions[extent].is_known)
            return refuse(problem, Code::Refused, "the extents of '", own.name, "', ", shape_words(*body, own.shape),
                          ", do not follow from the shapes of the inputs");
        if (expressions[extent].value < 0)
            return refuse(problem, Code::Refused, "'", own.name, "' would have the shape ",
                          extents_words(expressions, own.shape));
    }
    std::uint64_t bytes = 0;
    if (!known(own.bytes, "a tensor", bytes, problem))
        return false;
    return bytes <= address.bytes || refuse(problem, Code::Refused, "'", own.name, "' ",
                                            extents_words(expressions, own.shape), " does not fit into its memory");
}

bool Execution::begin_section(std::uint32_t number, Problem& problem) {
    m_sizes.evaluate();
    std::uint64_t bytes = 0;
    if (!m_sizes.check_requirements(problem) || !m_sizes.arena_bytes(number, bytes, problem))
        return false;
    const PlanSection& section = m_body->sections[number];
    HeldValue& arena = m_arenas[number];
    if (!arena.address.buffer || arena.address.bytes < bytes) { // tensors without elements have a place too
        m_backend.release(arena.address);
        arena = {};
        if (!m_backend.allocate(bytes, arena.address, problem))
            return problem.code == Code::Memory &&
                   refuse_arena(problem, bytes, largest_of(*m_plan, section, m_sizes.expressions), m_sizes.expressions);
    }
    for (Row row = 0; row < m_body->values.size(); ++row) {
        const Value& each = value(row);
        if (!is_of(each, section))
            continue;
        Address place = arena.address;
        std::uint64_t offset = 0;
        if (!m_sizes.known(each.offset, "an offset", offset, problem))
            return false;
        if (offset > place.bytes)
            return refuse(problem, Code::Refused, "'", each.name, "' ", extents_words(m_sizes.expressions, each.shape),
                          " does not fit into its memory");
        place.offset += offset;
        place.bytes -= offset;
        if (!m_sizes.fits(row, place, problem))
            return false;
        hold(row, place, false);
    }
    m_section = number;
    return true;
}

bool Execution::make(Row row, Address& address, Problem& problem) {
    const Value& own = value(row);
    const Row root = root_of(*m_body, row);
    HeldValue& held = m_held[root];
    if (lies_in_another(own.place))
        return make(root, address, problem) && m_sizes.fits(row, address, problem);
    if (own.place == Place::Constant) {
        address = m_weights[own.weight];
        return m_sizes.fits(row, address, problem);
    }
    if (!held.address.buffer) {
        if (own.place != Place::Output && own.place != Place::Host)
            return refuse(problem, Code::Refused, "'", own.name, "' is read before it is made");
        std::uint64_t bytes = 0;
        if (!m_sizes.known(own.bytes, "a tensor", bytes, problem))
            return false;
        if (!m_backend.allocate(bytes, address, problem))
            return problem.code != Code::Memory ? false
                                                : refuse(problem, Code::Memory, bytes, " bytes for '", own.name, "' ",
                                                         extents_words(m_sizes.expressions, own.shape));
        hold(row, address, true);
    }
    address = held.address;
    return m_sizes.fits(row, address, problem);
}

Address Execution::address(Row row) {
    const Row root = root_of(*m_body, row);
    Address address;
    Problem problem;
    if (value(root).place != Place::Constant && !m_held[root].address.buffer)
        return {};
    return make(row, address, problem) ? address : Address();
}

Address Execution::made(Row row, Problem& problem) {
    Address address;
    return make(row, address, problem) ? address : Address();
}

void Execution::hold(Row row, Address address, bool is_owned) {
    HeldValue& held = m_held[row];
    if (held.is_owned)
        m_backend.release(held.address);
    held = {address, is_owned};
}

// Results of host operators may have other extents the next time.
void Execution::forget_results() {
    for (Row row = 0; row < m_held.size(); ++row)
        if (m_held[row].is_owned || value(row).place != Place::Input)
            hold(row, {}, false);
}

} // namespace hidet::package
