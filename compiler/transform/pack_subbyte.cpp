// SPDX-License-Identifier: Apache-2.0
// Values of less than a byte, in terms of whole ones. A value becomes the byte that holds it (`i8` or `u8`), a tensor of values
// the units that they are packed in (`dtype.h`), an element some bits of a unit.
//
// Stores. A unit has values of other threads beside the one that is meant, so memory that threads share is written by
// `store_bits`, which changes those bits and no others. An array of a thread of a GPU is zeros to begin with, and is
// read, changed and written back.
//
// Needs: one index an element.
// Guarantees: no types of less than a byte, but as lanes of vectors.
// Why here: right behind flattening, so that the arithmetic of units is simplified with that of layouts; the emulator, which has
// taken the module before, knows packed memory itself.
#include <optional>
#include <set>

#include "compiler/analysis/uses.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

std::optional<DType> subbyte_in(const TypeRef& type) {
    const auto dtype = type ? scalar_of(type) : std::nullopt;
    return dtype && is_subbyte(*dtype) ? dtype : std::nullopt;
}

struct BitPlace {
    ExprRef unit;  // which one
    ExprRef shift; // its bits from this one on
};

BitPlace place_in(const Packing& packing, const ExprRef& slot) {
    const ExprRef part = floor_mod(slot, int_constant(packing.per_unit));
    return {floor_div(slot, int_constant(packing.per_unit)),
            cast_to(mul(part, int_constant(packing.bits)), DType::I32)};
}

// What is left of a number in the type, as its byte.
ExprRef low_bits(const ExprRef& number, DType dtype) {
    const int bits = info(dtype).bits;
    const ExprRef word = cast_to(number, DType::I32);
    if (!is_signed(dtype))
        return cast_to(bit_and(word, int_constant((1 << bits) - 1)), carrier_of(dtype));
    const ExprRef unused = int_constant(32 - bits);
    return cast_to(shift_right(shift_left(word, unused), unused), carrier_of(dtype));
}

ExprRef bits_of(const ExprRef& word, const ExprRef& shift, DType dtype) {
    const int bits = info(dtype).bits;
    const ExprRef wide = cast_to(word, DType::I32);
    if (!is_signed(dtype))
        return cast_to(bit_and(shift_right(wide, shift), int_constant((1 << bits) - 1)), carrier_of(dtype));
    const ExprRef raised = shift_left(wide, sub(int_constant(32 - bits), shift));
    return cast_to(shift_right(raised, int_constant(32 - bits)), carrier_of(dtype));
}

ExprRef with_bits(const ExprRef& word, const BitPlace& place, const ExprRef& value, DType dtype) {
    const ExprRef mask = int_constant((1 << info(dtype).bits) - 1);
    const ExprRef kept = bit_and(cast_to(word, DType::I32), bit_not(shift_left(mask, place.shift)));
    const ExprRef part = shift_left(bit_and(cast_to(value, DType::I32), mask), place.shift);
    return cast_to(bit_or(kept, part), packing_of(dtype).unit);
}

class Packer : public Rewriter {
public:
    Packer(PassId pass, const Module& module) : Rewriter(pass), m_module(module) {}

protected:
    using Rewriter::visit;

    // ---- types ----

    TypeRef visit(const DataType& type) override {
        return is_subbyte(type.dtype) ? data_type(carrier_of(type.dtype)) : self(type);
    }
    TypeRef visit(const PointerType& type) override {
        const auto dtype = subbyte_in(type.base);
        return dtype ? pointer_type(data_type(packing_of(*dtype).unit)) : Rewriter::visit(type);
    }
    TypeRef visit(const TensorType& type) override {
        const auto dtype = subbyte_in(type.element);
        if (!dtype)
            return Rewriter::visit(type);
        const Packing packing = packing_of(*dtype);
        const ExprRef more = add(rewrite(type.shape.at(0)), int_constant(packing.per_unit - 1));
        return tensor_type(data_type(packing.unit), {div(more, int_constant(packing.per_unit))});
    }
    TypeRef visit(const ArrayType& type) override {
        const auto dtype = subbyte_in(type.base);
        if (!dtype)
            return Rewriter::visit(type);
        const Packing packing = packing_of(*dtype);
        return array_type(data_type(packing.unit), (type.count + packing.per_unit - 1) / packing.per_unit);
    }

    // ---- values ----

    ExprRef visit(const Constant& e) override {
        const auto dtype = subbyte_in(e.type);
        return dtype ? int_constant(std::get<std::int64_t>(e.value), carrier_of(*dtype)) : Rewriter::visit(e);
    }
    ExprRef visit(const Cast& e) override {
        const ExprRef value = rewrite(e.a);
        if (const auto to = subbyte_in(e.type))
            return low_bits(value, *to);
        const TypeRef type = rewrite(e.type);
        if (subbyte_in(e.a->type))
            return cast_to(value, type);
        if (value == e.a && type == e.type)
            return self(e);
        return same_type(value->type, type) ? value : make_cast(value, type);
    }
    ExprRef visit(const TensorElement& e) override {
        const auto dtype = subbyte_in(element_of(e.base->type));
        return dtype ? element(rewrite(e.base), e.indices.at(0), *dtype) : Rewriter::visit(e);
    }
    ExprRef visit(const Deref& e) override {
        const auto dtype = subbyte_in(e.type);
        return dtype ? element(rewrite(e.pointer), int_constant(0), *dtype) : Rewriter::visit(e);
    }
    ExprRef visit(const Address& e) override {
        const auto* inner = as<TensorElement>(e.place);
        const auto dtype = inner ? subbyte_in(element_of(inner->base->type)) : std::nullopt;
        if (!dtype)
            return Rewriter::visit(e);
        const ExprRef slot = rewrite(inner->indices.at(0));
        return make_address(make_element(rewrite(inner->base), {place_in(packing_of(*dtype), slot).unit}));
    }
    ExprRef visit(const Binary& e) override {
        const bool is_offset = is_pointer(e.a->type);
        const auto dtype = is_offset ? subbyte_in(element_of(e.a->type)) : std::nullopt;
        if (!dtype || is_comparison(e.op))
            return Rewriter::visit(e);
        const Packing packing = packing_of(*dtype);
        const ExprRef a = rewrite(e.a), b = rewrite(e.b);
        if (is_pointer(e.b->type))
            return mul(make_binary(e.op, a, b), int_constant(packing.per_unit));
        return add(a, place_in(packing, e.op == BinOp::Sub ? negate(b) : b).unit);
    }

    // ---- statements ----

    StmtRef visit(const DeclareStmt& s) override {
        const bool is_own = s.scope == Scope::Default || s.scope == Scope::Register;
        if (m_is_on_gpu && is_own && !s.is_static && is_array(s.var->type) && subbyte_in(element_of(s.var->type)))
            m_private.insert(s.var.get());
        const StmtRef declared = Rewriter::visit(s);
        return m_private.contains(s.var.get()) ? make_seq({declared, cleared(as<DeclareStmt>(declared)->var)})
                                               : declared;
    }
    StmtRef visit(const StoreStmt& s) override {
        const auto dtype = subbyte_in(element_of(s.base->type));
        if (!dtype)
            return Rewriter::visit(s);
        StmtVec stmts;
        ExprRef value = rewrite(s.value);
        ExprRef slot = rewrite(s.indices.at(0));
        if (effect_of(s.indices[0], *m_uses) == Effect::Acts) {
            value = named("value", value, stmts);
            slot = named("slot", slot, stmts);
        }
        const auto* var = as<Var>(s.base);
        stmts.push_back(var && m_private.contains(var) ? own_store(rewrite(s.base), slot, value, *dtype)
                                                       : shared_store(rewrite(s.base), slot, value, *dtype));
        return stmts.size() == 1 ? stmts[0] : make_seq(std::move(stmts));
    }
    FunctionRef visit(const Function& function) override {
        m_uses.emplace(uses_in(function, &m_module));
        m_is_on_gpu = runs_on_gpu(function.func_kind);
        return Rewriter::visit(function);
    }

private:
    ExprRef element(const ExprRef& base, const ExprRef& index, DType dtype) {
        const bool acts = effect_of(index, *m_uses) == Effect::Acts;
        const ExprRef slot = rewrite(index);
        const VarRef name = acts ? make_var("slot", slot->type) : nullptr;
        const BitPlace place = place_in(packing_of(dtype), acts ? ExprRef(name) : slot);
        const ExprRef value = bits_of(make_element(base, {place.unit}), place.shift, dtype);
        return acts ? make_let(name, slot, value) : value;
    }
    // The first value of a unit is put beside bits that nobody wrote; no target likes to read those.
    static StmtRef cleared(const VarRef& array) {
        const auto* plain = as<ArrayType>(array->type);
        const ExprRef count = plain ? int_constant(plain->count) : tensor_of(array->type)->shape.at(0);
        const VarRef unit = make_var("unit", data_type(DType::I32));
        const ExprRef zero = int_constant(0, *scalar_of(element_of(array->type)));
        return make_for(unit, count, {.what = LoopAttr::What::Unroll}, make_store(array, {unit}, zero));
    }
    static ExprRef named(const char* name, const ExprRef& value, StmtVec& stmts) {
        const VarRef var = make_var(name, value->type);
        stmts.push_back(make_let_stmt(var, value));
        return var;
    }
    static StmtRef own_store(const ExprRef& base, const ExprRef& slot, const ExprRef& value, DType dtype) {
        const BitPlace place = place_in(packing_of(dtype), slot);
        return make_store(base, {place.unit}, with_bits(make_element(base, {place.unit}), place, value, dtype));
    }
    static StmtRef shared_store(const ExprRef& base, const ExprRef& slot, const ExprRef& value, DType dtype) {
        const Packing packing = packing_of(dtype);
        const BitPlace place = place_in(packing, slot);
        ExprVec args{make_address(make_element(base, {place.unit})), place.shift, cast_to(value, packing.unit),
                     int_constant(packing.bits)};
        return make_evaluate(make_intrinsic(IntrinsicId::StoreBits, std::move(args), void_type()));
    }

    const Module& m_module;
    std::optional<Uses> m_uses; // of the function
    bool m_is_on_gpu = false;
    std::set<const Var*> m_private; // arrays of a thread; only asked for membership
};

} // namespace

ModuleRef pack_subbyte(const ModuleRef& module, PassContext& context) {
    const bool has_subbyte = any_of_nodes(module, [](const DataType& type) { return is_subbyte(type.dtype); });
    return has_subbyte ? Packer(context.pass, *module).rewrite(module) : module;
}

} // namespace hidet::compiler
