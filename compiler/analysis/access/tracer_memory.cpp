// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/requests.h"
#include "compiler/analysis/access/tracer.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/packing.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

constexpr std::int64_t shared_alignment = 1024;

} // namespace

// ---- places -----------------------------------------------------------------------------------------------------------

// Dynamic shared memory, which no variable is, goes by null.
int TracedValues::object_of(const Var* var, Memory memory, std::int64_t bytes) {
    for (std::size_t i = 0; i < m_objects.size(); ++i)
        if (m_objects[i].var == var)
            return static_cast<int>(i);
    Object object;
    object.var = var;
    object.name = var ? var->name : "dynamic shared memory";
    if (memory == Memory::Shared) {
        object.begin = m_shared_bytes;
        m_shared_bytes += (bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
    }
    m_objects.push_back(std::move(object));
    return static_cast<int>(m_objects.size()) - 1;
}

Value TracedValues::address_of(const ExprRef& place, const Mask& mask) {
    if (const auto* element = as<TensorElement>(place))
        return address_of_element(element->base, element->indices, mask);
    if (const auto* deref = as<Deref>(place))
        return eval(deref->pointer, mask);
    const auto* var = as<Var>(place);
    if (!var)
        return Domain::data("an address", false);
    if (is_array(var->type))
        return read_variable(*var);
    Value out = Domain::constant(0);
    out.memory = Memory::Register;
    out.object = object_of(var, Memory::Register, 0);
    return out;
}

// The slots of an element, by the layout of what it is an element of.
Value TracedValues::slot(const ExprRef& base, const ExprVec& indices, const Mask& mask) {
    const TensorType* tensor = tensor_of(base->type);
    if (!tensor)
        return eval(indices.at(0), mask);
    LayoutRef layout = tensor->layout;
    if (!layout) {
        LayoutRef& known = m_layouts[tensor];
        if (!known)
            known = layout_of(*tensor);
        layout = known;
    }
    const auto* strides = as<StridesLayout>(layout);
    if (!strides) {
        ExprRef& known = m_slots[&indices];
        if (!known)
            known = slot_of(layout, indices);
        return eval(known, mask);
    }
    Value sum = Domain::constant(0);
    for (std::size_t d = 0; d < indices.size(); ++d)
        sum = m_domain.add(sum, m_domain.times(eval(indices[d], mask), eval(strides->strides[d], mask), DType::I64));
    return sum;
}

Value TracedValues::address_of_element(const ExprRef& base, const ExprVec& indices, const Mask& mask) {
    const Value from = eval(base, mask);
    Value at = slot(base, indices, mask);
    const TypeRef element = element_of(base->type);
    const auto dtype = scalar_of(element);
    if (dtype && is_subbyte(*dtype))
        at = m_domain.binary(BinOp::FloorDiv, at, Domain::constant(packing_of(*dtype).per_unit), DType::I64);
    Value out = m_domain.add(from, m_domain.scaled(at, bytes_of_element(element)));
    out.memory = from.memory, out.object = from.object;
    return out;
}

// ---- accesses ---------------------------------------------------------------------------------------------------------

Value TracedValues::load(const Expr& at, const Value& address, const TypeRef& type, const ExprRef& base,
                         const Mask& mask) {
    if (address.memory == Memory::Register) {
        const auto dtype = scalar_of(type);
        if (!dtype || !is_integer(*dtype))
            return Domain::data(floating_point, false);
        if (address.known && !address.terms.empty())
            m_domain.cut_all(address.terms);
        auto& slots = m_objects[static_cast<std::size_t>(address.object)].slots;
        const auto found = address.is_constant() ? slots.find(address.constant) : slots.end();
        return found == slots.end() ? Domain::data("an element of an array", false) : found->second;
    }
    touch(at, AccessKind::Load, address, static_cast<int>(bytes_of_element(type)), base, mask);
    const auto dtype = scalar_of(type);
    if (!proves() && dtype && is_integer(*dtype) && address.is_uniform())
        return m_domain.open(atom_of(at, "a number in memory", false));
    return Domain::data("a number in memory", address.is_uniform());
}

std::string TracedValues::name_of(const Value& address, const ExprRef& base) const {
    const std::string object = address.object >= 0 ? m_objects[static_cast<std::size_t>(address.object)].name : "";
    const auto* var = as<Var>(base);
    return var && (object.empty() || tensor_of(var->type)) ? var->name : object;
}

void TracedValues::touch(const Node& at, AccessKind kind, const Value& address, int bytes, const ExprRef& base,
                         const Mask& mask, const Value* lane_bytes, const CopySource* from) {
    if (m_counts && address.memory != Memory::Register && !m_stopped)
        touched(at, kind, address, bytes, base, mask, lane_bytes, from);
}

// Of each thread; of one that takes no part 0.
std::array<int, 1024> TracedValues::sizes_of(int bytes, const Mask& mask, const Value* lane_bytes) const {
    std::array<int, 1024> sizes{};
    for (std::size_t t = 0; t < m_domain.threads(); ++t)
        if (mask.has(t))
            sizes[t] = lane_bytes ? static_cast<int>(lane_bytes->base(t)) : bytes;
    return sizes;
}

void Tracer::store(const StoreStmt& stmt, const Mask& mask) {
    const Value value = eval(stmt.value, mask);
    write(stmt, stmt.base, address_of_element(stmt.base, stmt.indices, mask), value, mask);
}

// `base`: a pointer to elements of the type that is written.
void Tracer::write(const Stmt& stmt, const ExprRef& base, const Value& address, const Value& value, const Mask& mask) {
    const TypeRef element = element_of(base->type);
    if (address.memory != Memory::Register)
        return touch(stmt, AccessKind::Store, address, static_cast<int>(bytes_of_element(element)), base, mask);
    auto& slots = m_objects[static_cast<std::size_t>(address.object)].slots;
    const auto dtype = scalar_of(element);
    const bool is_tracked = dtype && is_integer(*dtype);
    if (is_tracked && address.known && !address.terms.empty())
        m_domain.cut_all(address.terms);
    if (!is_tracked || !address.is_constant())
        return slots.clear();
    const bool is_certain = m_guards == 0 && mask.holds(m_all.without(m_returned));
    slots[address.constant] = is_certain ? value : Domain::data("an element of an array", false);
}

// ---- copies and matrices ----------------------------------------------------------------------------------------------

void TracedValues::copy_async(const Intrinsic& expr, const Mask& mask) {
    const Value to = eval(expr.args[0], mask), from = eval(expr.args[1], mask);
    const int bytes = number_attribute(expr.attr, "cp_size");
    Value size = expr.args.size() > 2 ? eval(expr.args[2], mask) : Domain::constant(bytes);
    if (size.known && !size.terms.empty())
        m_domain.cut_all(size.terms);
    const CopySource source{from, sizes_of(bytes, mask, size.known ? &size : nullptr)};
    touch(expr, AccessKind::CopyAsync, to, bytes, expr.args[0], mask, nullptr, &source);
    if (!size.known) {
        const Value all = Domain::constant(bytes);
        return guard_on_data(size.why,
                             [&] { touch(expr, AccessKind::CopyAsync, from, bytes, expr.args[1], mask, &all); });
    }
    touch(expr, AccessKind::CopyAsync, from, bytes, expr.args[1], mask, &size);
}

// Eight lanes give the rows of each 8 x 8 matrix, and a warp does it together.
void TracedValues::move_matrices(const Intrinsic& expr, const Mask& mask) {
    const bool loads = expr.id == IntrinsicId::LdMatrix;
    const std::size_t matrices = expr.args.size() - 1;
    for (std::size_t i = 0; i < matrices; ++i)
        eval(expr.args[i], mask);
    const Value rows = eval(expr.args.back(), mask);
    Mask lanes;
    for (std::size_t w = 0; w < 32; ++w)
        if (mask.warps[w])
            lanes.warps[w] = matrices >= 4 ? ~std::uint32_t{0} : (std::uint32_t{1} << 8 * matrices) - 1;
    if (proves()) // those that do not come have no address
        lanes = lanes.both(mask);
    touch(expr, loads ? AccessKind::LoadMatrix : AccessKind::StoreMatrix, rows, 16, expr.args.back(), lanes);
}

// Which lane takes what of a tile is known to the instructions alone.
void TracedValues::move_tile(const Intrinsic& expr, const Mask& mask) {
    const bool is_store = expr.id == IntrinsicId::WmmaStore;
    const Value memory = eval(expr.args[is_store ? 0 : 1], mask);
    if (const auto* registers = as<Address>(expr.args[0]); registers && !is_store)
        forget(registers->place, info(expr.id).name);
    touch_elsewhere(expr, is_store ? AccessKind::Store : AccessKind::Load, "a tile of wmma",
                    memory.memory == Memory::Shared);
}

// Several registers of each lane at once, where the predicate holds; 256 and 512 bits are several accesses.
void TracedValues::access_wide(const Intrinsic& expr, const WideAccess& wide, const Mask& mask) {
    const auto registers = static_cast<std::size_t>(wide.registers());
    for (std::size_t i = 0; i < registers; ++i)
        if (const auto* place = as<Address>(expr.args[i]); place && wide.is_load)
            forget(place->place, info(expr.id).name);
    const Value address = eval(expr.args[registers], mask);
    const auto touch_all = [&](const Mask& lanes) {
        for (int at = 0; at < wide.bytes(); at += wide.bytes_at_once()) {
            Value part = address;
            part.constant += at;
            touch(expr, wide.is_load ? AccessKind::Load : AccessKind::Store, part, wide.bytes_at_once(),
                  expr.args[registers], lanes);
        }
    };
    if (wide.is_shared)
        return touch_all(mask);
    const Value predicate = eval(expr.args[registers + 1], mask);
    if (!predicate.known)
        return guard_on_data(predicate.why, [&] { touch_all(mask); });
    touch_all(where(predicate, mask));
}

} // namespace hidet::compiler::access
