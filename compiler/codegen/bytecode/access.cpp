// SPDX-License-Identifier: Apache-2.0
// From index expressions to the terms of an address. An index is split into a constant, a part that all threads share and
// a part that differs; the machine then checks and adds the shared parts once for all threads, and remembers what it
// learnt about the rest for as long as its register is not written again.
#include <algorithm>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/packing.h"

namespace hidet::compiler::bytecode {

namespace {

bool is_index_type(const ir::TypeRef& type) {
    auto dtype = ir::scalar_of(type);
    return dtype && (*dtype == ir::DType::I32 || *dtype == ir::DType::I64);
}

int element_bytes(const ir::TypeRef& type) {
    if (auto dtype = ir::scalar_of(type))
        return ir::bytes_of(*dtype);
    return static_cast<int>(std::max<std::int64_t>(1, ir::size_in_bytes(type)));
}

} // namespace

Split ValueGenerator::split_of(const Value& value) {
    Split split;
    if (value.kind == Value::Kind::Sum)
        return value.sum;
    if (value.is_constant()) {
        split.constant = value.integer();
        return split;
    }
    std::int32_t reg = operand(value);
    if (is_u(reg)) {
        split.u = reg;
    } else {
        split.v = reg;
        split.wide = artifact::scalar_words(value.type) == 2;
    }
    return split;
}

std::int32_t ValueGenerator::widen(std::int32_t v) {
    return m_builder.converted(v, Scalar::I32, Scalar::I64);
}

Split ValueGenerator::add(Split a, const Split& b, int sign) {
    Op op = sign > 0 ? Op::Add : Op::Sub;
    a.constant += sign * b.constant;
    if (b.u >= 0) {
        std::int32_t left = a.u >= 0 ? a.u : m_builder.constant(0);
        a.u = a.u < 0 && sign > 0 ? b.u : m_builder.emit_value(op, Scalar::I64, left, b.u);
    }
    if (b.v < 0)
        return a;
    if (a.v < 0 && sign > 0) {
        a.v = b.v, a.wide = b.wide;
        return a;
    }
    std::int32_t left = a.v >= 0 ? a.v : m_builder.constant(0);
    std::int32_t right = b.v;
    bool wide = b.wide || (a.v >= 0 && a.wide);
    if (wide && a.v >= 0 && !a.wide)
        left = widen(left);
    if (wide && !b.wide)
        right = widen(right);
    Scalar type = wide ? Scalar::I64 : Scalar::I32;
    a.v = m_builder.emit_value(op, type, left, right);
    a.wide = wide;
    return a;
}

Split ExprGenerator::gen_split(const ir::ExprRef& expr) {
    if (!is_index_type(expr->type))
        return split_of(gen(expr));
    if (const auto* cast = ir::as<ir::Cast>(expr);
        cast && is_index_type(cast->a->type) && ir::size_in_bytes(cast->a->type) <= ir::size_in_bytes(expr->type))
        return gen_split(cast->a);
    const auto* e = ir::as<ir::Binary>(expr);
    if (!e)
        return split_of(gen(expr));
    if (e->op == ir::BinOp::Add || e->op == ir::BinOp::Sub)
        return add(gen_split(e->a), gen_split(e->b), e->op == ir::BinOp::Add ? 1 : -1);
    if (e->op != ir::BinOp::Mul)
        return split_of(gen(expr));
    Split a = gen_split(e->a);
    Split b = gen_split(e->b);
    if (a.is_constant())
        std::swap(a, b);
    if (!b.is_constant()) {
        // Both differ or both are shared: multiply what they stand for.
        return split_of(gen(expr));
    }
    std::int64_t factor = b.constant;
    if (factor == 0)
        return {};
    a.constant *= factor;
    if (factor == 1)
        return a;
    std::int32_t by = m_builder.constant(factor);
    if (a.u >= 0)
        a.u = m_builder.emit_value(Op::Mul, Scalar::I64, a.u, by);
    if (a.v >= 0) {
        Scalar type = a.wide ? Scalar::I64 : Scalar::I32;
        a.v = m_builder.emit_value(Op::Mul, type, a.v, by);
    }
    return a;
}

namespace {

// An i32 sum or product that wraps before it is widened; the terms of an address do not wrap.
bool widens_a_sum(const ir::ExprRef& expr) {
    auto is_linear = [](const ir::Binary* e) {
        return e && (e->op == ir::BinOp::Add || e->op == ir::BinOp::Sub || e->op == ir::BinOp::Mul);
    };
    if (const auto* e = ir::as<ir::Binary>(expr); is_linear(e))
        return widens_a_sum(e->a) || widens_a_sum(e->b);
    const auto* cast = ir::as<ir::Cast>(expr);
    if (!cast || !is_index_type(cast->a->type))
        return false;
    return ir::scalar_of(cast->a->type) == ir::scalar_of(expr->type) ? widens_a_sum(cast->a)
                                                                     : is_linear(ir::as<ir::Binary>(cast->a));
}

} // namespace

// Sums of indices keep their parts, so that an access can check and add the part that all threads share on its own.
Value ExprGenerator::gen_named(const ir::ExprRef& expr) {
    const auto* e = ir::as<ir::Binary>(expr);
    bool linear = e && (e->op == ir::BinOp::Add || e->op == ir::BinOp::Sub || e->op == ir::BinOp::Mul);
    if (!linear || !is_index_type(expr->type) || widens_a_sum(expr))
        return gen(expr);
    Split split = gen_split(expr);
    Scalar type = scalar_of_type(expr->type);
    if (split.is_constant())
        return constant(split.constant, type);
    if (split.v < 0 || (split.wide && type == Scalar::I32))
        return split.constant == 0 && split.v < 0 ? in_register(split.u, type) : sum_value(split, type);
    if (split.u < 0 && split.constant == 0 && split.wide == (type == Scalar::I64))
        return in_register(split.v, type);
    return sum_value(split, type);
}

Value ValueGenerator::sum_value(const Split& split, Scalar type) {
    Value value{.kind = Value::Kind::Sum, .type = type};
    value.sum = split;
    return value;
}

// The sum in one register. Indices are computed in 64 bits where they are shared; the result wraps as its type does.
std::int32_t ValueGenerator::add_up(const Value& value) {
    const Split& s = value.sum;
    std::int32_t shared = s.u;
    if (s.constant)
        shared = s.u < 0 ? m_builder.constant(s.constant)
                         : m_builder.emit_value(Op::Add, value.type, s.u, m_builder.constant(s.constant));
    if (s.v < 0)
        return shared;
    std::int32_t lanes = s.v;
    if (s.wide != (value.type == Scalar::I64))
        lanes = m_builder.converted(s.v, s.wide ? Scalar::I64 : Scalar::I32, value.type);
    return shared < 0 ? lanes : m_builder.emit_value(Op::Add, value.type, lanes, shared);
}

std::shared_ptr<Place> ValueGenerator::place_of_value(const Value& value, const std::string& name) {
    auto place = std::make_shared<Place>();
    if (value.kind == Value::Kind::Pointer)
        *place = *value.place;
    else
        place->base = operand(value);
    if (!name.empty())
        place->name = name;
    return place;
}

std::shared_ptr<Place> ExprGenerator::place_of_variable(const ir::Var& var) {
    Variable& v = variable(var);
    auto place = std::make_shared<Place>();
    place->name = var.name;
    if (v.reference)
        return v.reference;
    if (v.shared >= 0) {
        place->space = Space::Shared;
        place->base = v.shared;
        return place;
    }
    if (v.array >= 0 && m_is_kernel) {
        place->space = Space::Local;
        place->base = v.array;
        return place;
    }
    if (v.array >= 0) {
        place->base = m_builder.new_u();
        m_builder.emit({.op = Op::LocalPointer, .type = Scalar::U64, .dst = place->base, .x = v.array});
        return place;
    }
    for (std::size_t g = 0; g < m_module.globals.size(); ++g)
        if (m_module.globals[g].get() == &var) {
            place->base = m_builder.new_u();
            m_builder.emit(
                {.op = Op::GlobalPointer, .type = Scalar::U64, .dst = place->base, .x = static_cast<int>(g)});
            return place;
        }
    return place_of_value(v.value, var.name);
}

std::shared_ptr<Place> ExprGenerator::place_of_pointer(const ir::ExprRef& pointer) {
    switch (ir::kind_of(*pointer)) {
    case ir::ExprKind::Var: {
        const auto& var = static_cast<const ir::Var&>(*pointer);
        if (ir::is_array(var.type))
            return place_of_variable(var);
        Value value = gen(pointer);
        bool named = ir::tensor_of(var.type) || value.kind != Value::Kind::Pointer || value.place->name.empty();
        return place_of_value(value, named ? var.name : std::string());
    }
    case ir::ExprKind::Cast: {
        const auto& e = static_cast<const ir::Cast&>(*pointer);
        if (ir::is_address(e.a->type))
            return place_of_pointer(e.a);
        return place_of_value(gen(pointer), "");
    }
    case ir::ExprKind::Binary: {
        const auto& e = static_cast<const ir::Binary&>(*pointer);
        if (e.op != ir::BinOp::Add && e.op != ir::BinOp::Sub)
            break;
        bool swap = ir::is_pointer(e.b->type);
        const ir::ExprRef& base = swap ? e.b : e.a;
        const ir::ExprRef& offset = swap ? e.a : e.b;
        auto place = std::make_shared<Place>(*place_of_pointer(base));
        if (auto dtype = ir::scalar_of(ir::element_of(base->type)); dtype && ir::is_subbyte(*dtype)) {
            place->terms.push_back(packed_offset(e.op == ir::BinOp::Sub ? ir::negate(offset) : offset, *dtype));
            return place;
        }
        std::int64_t bytes = std::max<std::int64_t>(1, ir::size_in_bytes(ir::element_of(base->type)));
        if (e.op == ir::BinOp::Sub)
            bytes = -bytes;
        Split split = gen_split(offset);
        place->offset += split.constant * bytes;
        split.constant = 0;
        if (!split.is_constant())
            place->terms.push_back({.index = split, .stride = bytes});
        return place;
    }
    case ir::ExprKind::Address: return place_of_lvalue(static_cast<const ir::Address&>(*pointer).place);
    case ir::ExprKind::Intrinsic: {
        const auto& e = static_cast<const ir::Intrinsic&>(*pointer);
        if (e.id != ir::IntrinsicId::DynamicSharedMemory)
            break;
        if (m_dynamic_shared < 0) {
            m_dynamic_shared = static_cast<std::int32_t>(m_out.shared.size());
            m_out.shared.push_back({.name = string("dynamic shared memory"), .bytes = -1, .element = Scalar::U8});
        }
        auto place = std::make_shared<Place>();
        place->space = Space::Shared;
        place->base = m_dynamic_shared;
        place->name = "dynamic shared memory";
        Split split = gen_split(e.args.at(0));
        place->offset = split.constant;
        split.constant = 0;
        if (!split.is_constant())
            place->terms.push_back({.index = split, .stride = 1});
        return place;
    }
    case HIDET_LEAF_EXPRS:
    case HIDET_MEMORY_EXPRS:
    case HIDET_SHORTHAND_EXPRS:
    case ir::ExprKind::Unary:
    case ir::ExprKind::Call:
    case ir::ExprKind::Select: break; // its value
    }
    return place_of_value(gen(pointer), "");
}

// Index terms are of the tensor that is accessed; those of the pointer it hangs on are part of the address only.
void ExprGenerator::index_tensor(Place& place, const ir::TensorType& tensor, const ir::ExprVec& indices, int bytes) {
    ir::LayoutRef layout = tensor.layout ? tensor.layout : ir::layout_of(tensor);
    const auto* strides = ir::as<ir::StridesLayout>(layout);
    HIDET_CHECK(indices.size() == tensor.shape.size(), "an element with the wrong number of indices");
    for (std::size_t d = 0; d < indices.size(); ++d) {
        Term term{.index = gen_split(indices[d]), .is_index = true};
        Split extent = gen_split(tensor.shape[d]);
        if (extent.is_constant())
            term.extent = extent.constant;
        else if (extent.v < 0)
            term.extent_u = extent.constant
                                ? add({.u = extent.u}, {.constant = 0, .u = m_builder.constant(extent.constant)}, 1).u
                                : extent.u;
        if (strides) {
            Split stride = gen_split(strides->strides[d]);
            if (stride.v >= 0)
                unsupported(*strides->strides[d], "a stride that differs between threads");
            term.stride = stride.is_constant() ? stride.constant * bytes : bytes;
            if (!stride.is_constant())
                term.stride_u = stride.constant ? m_builder.emit_value(Op::Add, Scalar::I64, stride.u,
                                                                       m_builder.constant(stride.constant))
                                                : stride.u;
        }
        place.terms.push_back(term);
    }
    if (!strides && !ir::as<ir::LocalLayout>(layout)) {
        Split slot = gen_split(ir::slot_of(layout, indices));
        place.terms.push_back({.index = slot, .stride = bytes});
    }
}

std::shared_ptr<Place> ExprGenerator::place_of_element(const ir::ExprRef& base, const ir::ExprVec& indices) {
    auto place = std::make_shared<Place>(*place_of_pointer(base));
    for (Term& term : place->terms)
        term.is_index = false;
    const ir::TypeRef element = ir::element_of(base->type);
    const auto dtype = ir::scalar_of(element);
    const bool is_subbyte = dtype && ir::is_subbyte(*dtype);
    if (is_subbyte && is_packed(*place)) {
        index_packed(*place, base->type, indices, *dtype);
        return place;
    }
    int bytes = is_subbyte ? 1 : element_bytes(element);
    if (const ir::TensorType* tensor = ir::tensor_of(base->type)) {
        index_tensor(*place, *tensor, indices, bytes);
        return place;
    }
    HIDET_CHECK(indices.size() == 1, "an element of a pointer with more than one index");
    Term term{.index = gen_split(indices[0]), .stride = bytes, .is_index = true};
    if (const auto* array = ir::as<ir::ArrayType>(base->type))
        term.extent = array->count;
    place->terms.push_back(term);
    return place;
}

std::shared_ptr<Place> ExprGenerator::place_of_lvalue(const ir::ExprRef& lvalue) {
    if (const auto* element = ir::as<ir::TensorElement>(lvalue))
        return place_of_element(element->base, element->indices);
    if (const auto* deref = ir::as<ir::Deref>(lvalue))
        return place_of_pointer(deref->pointer);
    if (const auto* var = ir::as<ir::Var>(lvalue))
        return place_of_variable(*var);
    unsupported(*lvalue, "the address of this expression");
}

std::int32_t ValueGenerator::access_row(const Place& place, Scalar element, std::int64_t offset, int align) {
    artifact::Access access;
    access.space = place.space;
    access.base = place.base;
    access.element = element;
    access.align = static_cast<std::uint8_t>(align);
    access.name = place.name.empty() ? -1 : string(place.name);
    access.offset = place.offset + offset;
    for (const Term& term : place.terms) {
        artifact::AccessDim dim;
        dim.u = term.index.u, dim.v = term.index.v, dim.wide = term.index.wide;
        dim.constant = term.index.constant;
        dim.extent = term.extent, dim.extent_u = term.extent_u;
        dim.stride = term.stride, dim.stride_u = term.stride_u;
        dim.is_index = term.is_index;
        access.dims.push_back(dim);
    }
    m_out.accesses.push_back(std::move(access));
    return static_cast<std::int32_t>(m_out.accesses.size()) - 1;
}

bool MemoryGenerator::place_is_lane(const Place& place) const {
    return place.space == Space::Local || (place.space == Space::Pointer && is_v(place.base)) ||
           std::ranges::any_of(place.terms, [](const Term& term) { return term.index.v >= 0; });
}

std::optional<MemoryGenerator::LocalElement> MemoryGenerator::local_element(const Place& place, Scalar element,
                                                                            std::int64_t offset) {
    if (place.space != Space::Local)
        return std::nullopt;
    const artifact::LocalArray& array = m_out.locals[static_cast<std::size_t>(place.base)];
    std::int64_t at = place.offset + offset;
    for (const Term& term : place.terms) {
        if (!term.index.is_constant() || term.stride_u >= 0)
            return std::nullopt;
        if (term.extent >= 0 && (term.index.constant < 0 || term.index.constant >= term.extent))
            return std::nullopt; // a finding when it is executed
        at += term.index.constant * term.stride;
    }
    int bytes = artifact::scalar_bytes(element);
    std::int64_t size = array.count * artifact::scalar_bytes(array.element);
    if (at < 0 || at + bytes > size || at % bytes != 0)
        return std::nullopt;
    LocalElement result;
    if (!array.packed) {
        if (element != array.element)
            return std::nullopt;
        int words = artifact::scalar_words(element);
        result.reg = m_builder.element(array.first, static_cast<int>(at / bytes) * words, words);
        return result;
    }
    if (bytes == 8)
        return std::nullopt;
    result.reg = m_builder.element(array.first, static_cast<int>(at / 4), 1);
    result.shift = static_cast<int>(at % 4) * 8;
    result.packed_part = bytes < 4;
    return result;
}

Value MemoryGenerator::load_scalar(const Place& place, Scalar element, std::int64_t offset, int align) {
    if (auto local = local_element(place, element, offset)) {
        if (!local->packed_part)
            return in_register(local->reg, element);
        std::int32_t word = local->reg;
        if (local->shift)
            word = m_builder.emit_value(Op::Shr, Scalar::U32, word, m_builder.constant(local->shift));
        return made(Op::Wrap, element, word);
    }
    std::int32_t row = access_row(place, element, offset, align);
    std::int32_t dst = place_is_lane(place) ? m_builder.new_v(element) : m_builder.new_u();
    m_builder.emit({.op = Op::Load, .type = element, .dst = dst, .x = row});
    return in_register(dst, element);
}

void MemoryGenerator::store_scalar(const Place& place, Scalar element, std::int64_t offset, int align,
                                   const Value& value) {
    if (auto local = local_element(place, element, offset)) {
        int declared = m_local_depth[static_cast<std::size_t>(place.base)];
        if (!local->packed_part) {
            assign_register(local->reg, declared, value);
            return;
        }
        bool half = artifact::scalar_bytes(element) == 2;
        std::uint32_t mask = (half ? 0xFFFFu : 0xFFu) << local->shift;
        std::int32_t kept = m_builder.emit_value(Op::BitAnd, Scalar::U32, local->reg, m_builder.constant(~mask));
        std::int32_t part =
            m_builder.emit_value(Op::BitAnd, Scalar::U32, operand(value), m_builder.constant(half ? 0xFFFFu : 0xFFu));
        if (local->shift)
            part = m_builder.emit_value(Op::Shl, Scalar::U32, part, m_builder.constant(local->shift));
        assign_register(local->reg, declared, made(Op::BitOr, Scalar::U32, kept, part));
        return;
    }
    std::int32_t row = access_row(place, element, offset, align);
    std::int32_t source = operand(value);
    m_builder.emit({.op = Op::Store, .type = element, .a = source, .x = row});
}

Value MemoryGenerator::load(const Place& place, const ir::TypeRef& type) {
    const auto dtype = ir::scalar_of(type);
    if (dtype && ir::has_lanes(*dtype))
        return load_lanes(place, *dtype);
    if (dtype && ir::is_subbyte(*dtype) && is_packed(place))
        return load_packed(place, *dtype);
    Scalar scalar = scalar_of_type(type);
    return load_scalar(place, scalar, 0, artifact::scalar_bytes(scalar));
}

void MemoryGenerator::store(const Place& place, const ir::TypeRef& type, const Value& value) {
    const auto dtype = ir::scalar_of(type);
    if (dtype && ir::has_lanes(*dtype))
        return store_lanes(place, *dtype, value);
    if (dtype && ir::is_subbyte(*dtype) && is_packed(place))
        return store_packed(place, *dtype, value);
    Scalar scalar = scalar_of_type(type);
    store_scalar(place, scalar, 0, artifact::scalar_bytes(scalar), value);
}

Value ValueGenerator::materialise(const Value& pointer) {
    const Place& place = *pointer.place;
    if (place.space == Space::Pointer && place.terms.empty() && place.offset == 0)
        return in_register(place.base, Scalar::U64);
    bool lanes = false;
    for (const Term& term : place.terms)
        lanes = lanes || term.index.v >= 0;
    lanes = lanes || (place.space == Space::Pointer && is_v(place.base));
    std::int32_t row = access_row(place, Scalar::U8, 0, 1);
    std::int32_t dst = lanes ? m_builder.new_v(Scalar::U64) : m_builder.new_u();
    m_builder.emit({.op = Op::Address, .type = Scalar::U64, .dst = dst, .x = row});
    return in_register(dst, Scalar::U64);
}

} // namespace hidet::compiler::bytecode
