// SPDX-License-Identifier: Apache-2.0
// Values of less than a byte, and values side by side. In a register each is by itself, a value of less than a byte as the byte
// that carries it. In memory they are packed: an element is some bits of a unit, and a store of it leaves the other bits alone.
#include <utility>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/packing.h"

namespace hidet::compiler::bytecode {

using ir::BinOp;
using ir::DType;

bool is_packed_vector(DType dtype) {
    return ir::is_vector(dtype) && ir::is_subbyte(ir::info(dtype).lane);
}

// Whose bits are those of the vector.
Scalar unit_of_packed(DType vector) {
    return ir::bytes_of(vector) == 1 ? Scalar::U8 : Scalar::U32;
}

Stored stored(const ir::TypeRef& element, std::int64_t count) {
    const auto dtype = ir::scalar_of(element);
    if (dtype && ir::is_subbyte(*dtype)) {
        const Scalar unit = scalar_of_dtype(ir::packing_of(*dtype).unit);
        return {unit, ir::packed_bytes(*dtype, count) / artifact::scalar_bytes(unit)};
    }
    if (dtype && is_packed_vector(*dtype))
        return {unit_of_packed(*dtype), count};
    if (dtype && ir::has_lanes(*dtype))
        return {scalar_of_dtype(ir::info(*dtype).lane), count * ir::lanes_of(*dtype)};
    return {scalar_of_type(element), count};
}

// An array of a thread of a kernel that nobody has a pointer to has an element in each register.
bool MemoryGenerator::is_packed(const Place& place) const {
    return place.space != Space::Local || m_out.locals[static_cast<std::size_t>(place.base)].packed;
}

// The checks want the indices, the address the slot.
void ExprGenerator::index_packed(Place& place, const ir::TypeRef& base, const ir::ExprVec& written, DType dtype) {
    ir::ExprVec indices;
    for (const ir::ExprRef& index : written) {
        if (index->kind == ir::Kind::Var || index->kind == ir::Kind::Constant) {
            indices.push_back(index);
            continue;
        }
        const ir::VarRef& name = m_names.emplace_back(ir::make_var("index", index->type));
        bind(name, frozen(gen_named(index)));
        indices.push_back(name);
    }
    const ir::TensorType* tensor = ir::tensor_of(base);
    if (tensor) {
        index_tensor(place, *tensor, indices, 0);
    } else {
        Term term{.index = gen_split(indices[0]), .stride = 0, .is_index = true};
        if (const auto* array = ir::as<ir::ArrayType>(base))
            term.extent = array->count;
        place.terms.push_back(term);
    }
    const ir::ExprRef slot = tensor ? ir::slot_of(ir::layout_of(*tensor), indices) : indices[0];
    const ir::Packing packing = ir::packing_of(dtype);
    const ir::ExprRef per_unit = ir::int_constant(packing.per_unit);
    place.terms.push_back({.index = gen_split(ir::floor_div(slot, per_unit)), .stride = ir::bytes_of(packing.unit)});
    place.shift = gen_split(ir::mul(ir::floor_mod(slot, per_unit), ir::int_constant(packing.bits)));
}

// The bytes that k elements behind a pointer take.
Term ExprGenerator::packed_offset(const ir::ExprRef& count, DType dtype) {
    const ir::Packing packing = ir::packing_of(dtype);
    return {.index = gen_split(ir::floor_div(count, ir::int_constant(packing.per_unit))),
            .stride = ir::bytes_of(packing.unit)};
}

// An address is that of a unit, and an element that does not begin one has none.
void ExprGenerator::check_whole(const ir::Expr& where, Place& place) {
    const Split shift = std::exchange(place.shift, {});
    if (shift.is_constant() && shift.constant == 0)
        return;
    const std::string what = "takes the address of an element that does not begin a unit of packed memory";
    if (shift.is_constant())
        unsupported(where, "the address of an element that does not begin a unit of packed memory");
    const Value begins = arithmetic_scalar(BinOp::Eq, sum_value(shift, Scalar::I32), constant(0, Scalar::I32));
    m_builder.emit({.op = Op::Assert, .type = Scalar::Bool, .a = operand(begins), .x = string(what)});
}

Value MemoryGenerator::shift_of(const Place& place) {
    return place.shift.is_constant() ? constant(place.shift.constant, Scalar::I32)
                                     : sum_value(place.shift, Scalar::I32);
}

Value ValueGenerator::low_bits(const Value& value, DType dtype) {
    const int bits = ir::info(dtype).bits;
    Value out = value.is_constant() ? constant(ir::wrap_to(value.integer(), dtype), value.type) : widened(value);
    const Value unused = constant(32 - bits, Scalar::I32);
    if (!value.is_constant())
        out = ir::is_signed(dtype) ? arithmetic_scalar(BinOp::Shr, arithmetic_scalar(BinOp::Shl, out, unused), unused)
                                   : arithmetic_scalar(BinOp::BitAnd, out, constant((1 << bits) - 1, Scalar::I32));
    out.type = scalar_of_dtype(dtype);
    return out;
}

Value ValueGenerator::bits_at(const Value& word, const Value& shift, DType dtype) {
    return low_bits(arithmetic_scalar(BinOp::Shr, convert(word, Scalar::I32), shift), dtype);
}

// Other threads may write the other bits meanwhile, so no order is asked for.
Value MemoryGenerator::load_packed(const Place& place, DType dtype) {
    const Scalar unit = scalar_of_dtype(ir::packing_of(dtype).unit);
    const std::size_t first = m_builder.items.size();
    const Value word = load_scalar(place, unit, 0, artifact::scalar_bytes(unit));
    if (m_is_kernel && place.space != Space::Local)
        make_strong(first);
    return bits_at(word, shift_of(place), dtype);
}

void MemoryGenerator::store_bits(const Place& place, Scalar unit, const Value& shift, int bits, const Value& value) {
    const int bytes = artifact::scalar_bytes(unit);
    const Value ones = constant((1 << bits) - 1, Scalar::I32);
    const Value mask = arithmetic_scalar(BinOp::Shl, ones, shift);
    const Value low = arithmetic_scalar(BinOp::BitAnd, convert(value, Scalar::I32), ones);
    const Value part = arithmetic_scalar(BinOp::Shl, low, shift);
    if (m_is_kernel && place.space != Space::Local) {
        const std::int32_t a = operand(part), b = operand(mask);
        const std::int32_t row = access_row(place, unit, 0, bytes), old = m_builder.new_v(unit);
        m_builder.emit({.op = Op::AtomicBits, .type = unit, .dst = old, .a = a, .b = b, .x = row});
        m_out.needs_order = m_out.needs_order || place.space != Space::Shared;
        return;
    }
    const Value word = convert(load_scalar(place, unit, 0, bytes), Scalar::I32);
    const Value kept = arithmetic_scalar(BinOp::BitAnd, word, gen_unary(ir::UnOp::BitNot, mask));
    store_scalar(place, unit, 0, bytes, convert(arithmetic_scalar(BinOp::BitOr, kept, part), unit));
}

void MemoryGenerator::store_packed(const Place& place, DType dtype, const Value& value) {
    const ir::Packing packing = ir::packing_of(dtype);
    store_bits(place, scalar_of_dtype(packing.unit), shift_of(place), packing.bits, value);
}

Value ValueGenerator::convert_to(const Value& value, DType dtype) {
    const Value whole = convert(value, scalar_of_dtype(dtype));
    return ir::is_subbyte(dtype) ? low_bits(whole, dtype) : whole;
}

Value ValueGenerator::lanes_of_word(const Value& word, DType vector) {
    const DType lane = ir::info(vector).lane;
    Value out{.kind = Value::Kind::Vector};
    for (int i = 0; i < ir::lanes_of(vector); ++i)
        out.lanes.push_back(bits_at(word, constant(i * ir::info(lane).bits, Scalar::I32), lane));
    return out;
}

Value ValueGenerator::word_of_lanes(const Value& lanes, DType vector) {
    const int bits = ir::info(ir::info(vector).lane).bits;
    Value word = constant(0, Scalar::I32);
    for (std::size_t i = 0; i < lanes.lanes.size(); ++i) {
        const Value low = arithmetic_scalar(BinOp::BitAnd, convert(lanes.lanes[i], Scalar::I32),
                                            constant((1 << bits) - 1, Scalar::I32));
        const Value part =
            arithmetic_scalar(BinOp::Shl, low, constant(static_cast<std::int64_t>(i) * bits, Scalar::I32));
        word = arithmetic_scalar(BinOp::BitOr, word, part);
    }
    return convert(word, unit_of_packed(vector));
}

Value MemoryGenerator::load_lanes(const Place& place, DType dtype) {
    if (is_packed_vector(dtype))
        return lanes_of_word(load_scalar(place, unit_of_packed(dtype), 0, ir::bytes_of(dtype)), dtype);
    const Scalar lane = scalar_of_dtype(ir::info(dtype).lane);
    Value out{.kind = Value::Kind::Vector};
    for (int i = 0; i < ir::lanes_of(dtype); ++i)
        out.lanes.push_back(load_scalar(place, lane, i * artifact::scalar_bytes(lane), i ? 1 : ir::bytes_of(dtype)));
    return out;
}

void MemoryGenerator::store_lanes(const Place& place, DType dtype, const Value& value) {
    if (is_packed_vector(dtype))
        return store_scalar(place, unit_of_packed(dtype), 0, ir::bytes_of(dtype), word_of_lanes(value, dtype));
    const Scalar lane = scalar_of_dtype(ir::info(dtype).lane);
    for (int i = 0; i < ir::lanes_of(dtype); ++i)
        store_scalar(place, lane, i * artifact::scalar_bytes(lane), i ? 1 : ir::bytes_of(dtype),
                     value.lanes.empty() ? value : value.lanes.at(static_cast<std::size_t>(i)));
}

Value ValueGenerator::new_value(const ir::TypeRef& type, bool varying) {
    const auto dtype = ir::scalar_of(type);
    if (!dtype || !ir::has_lanes(*dtype))
        return new_variable(scalar_of_type(type), varying);
    Value out{.kind = Value::Kind::Vector};
    for (int i = 0; i < ir::lanes_of(*dtype); ++i)
        out.lanes.push_back(new_variable(scalar_of_dtype(ir::info(*dtype).lane), varying));
    return out;
}

void ValueGenerator::touch(const Value& variable) {
    if (variable.lanes.empty())
        m_builder.touch(variable.reg);
    for (const Value& lane : variable.lanes)
        m_builder.touch(lane.reg);
}

void ValueGenerator::assign_value(const Value& variable, int declared_depth, const Value& value) {
    if (variable.lanes.empty())
        assign_register(variable.reg, declared_depth, value);
    for (std::size_t i = 0; i < variable.lanes.size(); ++i)
        assign_register(variable.lanes[i].reg, declared_depth, value.lanes.empty() ? value : value.lanes.at(i));
}

} // namespace hidet::compiler::bytecode
