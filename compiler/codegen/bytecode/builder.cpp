// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/builder.h"

#include "lang/base/check.h"

namespace hidet::compiler::bytecode {

using artifact::is_u;
using artifact::is_v;
using artifact::no_operand;
using artifact::register_of;
using artifact::u_operand;

std::int32_t Builder::new_u(bool variable) {
    u.push_back({.words = 1, .is_variable = variable});
    return u_operand(static_cast<int>(u.size()) - 1);
}

std::int32_t Builder::new_v(Scalar type, bool variable) {
    int words = artifact::scalar_words(type);
    v.push_back({.words = words, .is_variable = variable, .is_wide = words == 2});
    return static_cast<int>(v.size()) - 1;
}

std::int32_t Builder::new_array(int words, ArrayKind kind) {
    v.push_back({.words = words, .is_variable = true, .is_array = true, .is_wide = kind == ArrayKind::Wide});
    return static_cast<int>(v.size()) - 1;
}

std::int32_t Builder::element(std::int32_t array, int offset, int words) {
    auto [it, is_new] = m_elements.try_emplace({array, offset}, static_cast<std::int32_t>(v.size()));
    if (is_new)
        v.push_back({.words = words, .is_variable = true, .alias = array, .offset = offset});
    return it->second;
}

std::int32_t Builder::parameter() {
    u.push_back({.words = 1, .is_fixed = true});
    return u_operand(static_cast<int>(u.size()) - 1);
}

void Builder::name(std::int32_t reg) {
    if (reg < 0)
        return;
    (is_u(reg) ? u[static_cast<std::size_t>(register_of(reg))] : v[static_cast<std::size_t>(reg)]).is_named = true;
}

void Builder::touch(std::int32_t variable) {
    items.push_back({.instr = {.a = variable}, .mark = Mark::Touch});
}

void Builder::know(artifact::NamedValue value) {
    if (!notes)
        return;
    value.outer = known;
    known = static_cast<std::int32_t>(notes->values.size());
    notes->values.push_back(std::move(value));
}

void Builder::undefine(std::int32_t variable, std::int32_t name) {
    emit({.op = Op::Undefine,
          .type = Scalar::U32,
          .dst = variable,
          .c = is_v(variable) ? v[static_cast<std::size_t>(variable)].words : 1,
          .x = name});
}

std::int32_t Builder::constant_of_bits(std::uint64_t bits) {
    auto [it, is_new] = m_constants.try_emplace(bits, no_operand);
    if (is_new) {
        u.push_back({.words = 1, .is_fixed = true});
        it->second = u_operand(static_cast<int>(u.size()) - 1);
        m_function.constants.push_back(bits);
    }
    return it->second;
}

void Builder::emit(Instr instr) {
    items.push_back({.instr = instr, .origin = m_origin, .known = known});
}

std::int32_t Builder::emit_value(Op op, Scalar type, Scalar result, std::int32_t a, std::int32_t b, std::int32_t c,
                                 std::int32_t x) {
    bool lanes = is_v(a) || is_v(b) || is_v(c);
    std::int32_t dst = lanes ? new_v(result) : new_u();
    emit({.op = op, .type = type, .dst = dst, .a = a, .b = b, .c = c, .x = x});
    return dst;
}

void Builder::start_loop() {
    m_open_loops.push_back(m_loops);
    items.push_back({.instr = {.x = m_loops++}, .mark = Mark::LoopStart});
}

void Builder::stop_loop() {
    items.push_back({.instr = {.x = m_open_loops.back()}, .mark = Mark::LoopStop});
    m_open_loops.pop_back();
}

Instr* Builder::last_definition(std::int32_t value) {
    if (items.empty() || items.back().mark != Mark::None || value < 0)
        return nullptr;
    Instr& last = items.back().instr;
    if (last.dst != value || artifact::info(last.op).operands[0] == '_')
        return nullptr;
    const VirtualRegister& reg =
        is_u(value) ? u[static_cast<std::size_t>(register_of(value))] : v[static_cast<std::size_t>(value)];
    return reg.is_variable || reg.is_fixed || reg.is_named ? nullptr : &last;
}

void Builder::optimise() {
    eliminate_common(*this);
    hoist_invariants(*this);
    eliminate_common(*this);
    fuse_multiply_add(*this);
    remove_dead(*this);
    gather_multiply_add(*this);
}

// Drops marks and dead instructions, and turns labels into instruction numbers.
void Builder::finish() {
    allocate_registers(*this);
    std::vector<std::int32_t> places(static_cast<std::size_t>(m_labels), -1);
    std::int32_t count = 0;
    for (const Item& item : items) {
        if (item.mark == Mark::Label)
            places[static_cast<std::size_t>(item.instr.x)] = count;
        else if (item.mark == Mark::None && !item.dead)
            ++count;
    }
    for (const Item& item : items) {
        if (item.mark != Mark::None || item.dead)
            continue;
        Instr instr = item.instr;
        if (artifact::info(instr.op).operands[8] == 't') {
            instr.x = places[static_cast<std::size_t>(instr.x)];
            HIDET_CHECK(instr.x >= 0, "a jump to a label that was never placed");
        }
        m_function.code.push_back(instr);
        m_function.origins.push_back(notes && item.is_moved ? Origin{} : item.origin);
        if (notes)
            notes->innermost.push_back(item.known);
    }
}

} // namespace hidet::compiler::bytecode
