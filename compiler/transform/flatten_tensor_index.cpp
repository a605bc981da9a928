// SPDX-License-Identifier: Apache-2.0
// Storage in one dimension: a tensor becomes the array of its slots, a tensor pointer a pointer to its elements, and `x[i, j]`
// the element at the slot that the layout gives to (i, j).
//
// Where accesses shall be checked (LowerOptions::checks_bounds) this is the last place that knows a tensor's indices and
// extents: the slot of an access that is not proven to lie inside is handed through `inside`, which knows them too. What is
// proven: ranges of numbers, and, whatever the dimension is at the call, the variable of a loop that is as long, or an index that a
// condition compares with it. An address that is taken is no access.
//
// A check and a layout may name an index several times: one that acts is computed before, into a variable.
//
// Needs: no slices, no protected access, no mappings.
// Guarantees: level Flat; an element has one index.
// Why here: the last common step of all code generators; the emulator has taken the module before, with its indices.
#include <algorithm>
#include <utility>

#include "compiler/analysis/inside.h"
#include "compiler/analysis/kinds.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/simplify/expr_simplifier.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"
#include "compiler/transform/slots.h"

namespace hidet::compiler {

using namespace ir;

namespace {

class IndexFlattener : public SlotRewriter {
public:
    IndexFlattener(const PassContext& context, const Uses& uses, const LaunchBounds* bounds)
        : SlotRewriter(context.pass, uses, bounds), m_checks(context.checks_bounds), m_proof(this->uses, ranges) {}

protected:
    using SlotRewriter::visit;

    // A fresh variable for each whose type changes; its uses follow.
    TypeRef visit(const TensorType& type) override {
        return tensor_type(rewrite(type.element), {simplified(size_of(layout_of(type)), ranges)});
    }
    TypeRef visit(const TensorPointerType& type) override { return pointer_type(rewrite(type.tensor->element)); }
    TypeRef visit(const PointerType& type) override { return cast<Type>(rewrite_children(type)); }

    ExprRef visit(const TensorElement& expr) override {
        ExprVec indices = rewrite(expr.indices);
        const TensorType* tensor = tensor_of(expr.base->type);
        Lets lets;
        if (tensor) {
            lets = computed_once(*tensor, expr.indices, indices);
            indices = {slot_of_access(*tensor, expr.base, indices, {false, expr.origin.span})};
        }
        ExprRef base = rewrite(expr.base);
        if (base == expr.base && indices == expr.indices)
            return self(expr);
        return within(lets, make_element(base, std::move(indices)));
    }
    StmtRef visit(const StoreStmt& stmt) override {
        ExprVec indices = rewrite(stmt.indices);
        ExprRef value = rewrite(stmt.value);
        const TensorType* tensor = tensor_of(stmt.base->type);
        Lets lets;
        if (tensor) {
            lets = computed_once(*tensor, stmt.indices, indices);
            indices = {slot_of_access(*tensor, stmt.base, indices, {true, stmt.origin.span})};
        }
        if (!lets.empty() && effect_of(stmt.value, uses) != Effect::None) // which comes first
            lets.insert(lets.begin(), bind(value, "value"));
        ExprRef base = rewrite(stmt.base);
        if (base == stmt.base && value == stmt.value && indices == stmt.indices)
            return self(stmt);
        StmtVec body;
        for (const auto& [var, init] : lets)
            body.push_back(make_let_stmt(var, init));
        body.push_back(make_store(base, std::move(indices), value));
        return body.size() == 1 ? body[0] : make_seq(std::move(body));
    }
    ExprRef visit(const Address& expr) override {
        const auto* element = as<TensorElement>(expr.place);
        const TensorType* tensor = element ? tensor_of(element->base->type) : nullptr;
        if (!tensor)
            return SlotRewriter::visit(expr);
        ExprVec indices = rewrite(element->indices);
        const Lets lets = computed_once(*tensor, element->indices, indices);
        return within(lets, make_address(make_element(rewrite(element->base), {slot_in(*tensor, indices)})));
    }
    StmtRef visit(const ForStmt& stmt) override {
        if (m_checks)
            m_proof.learn(stmt);
        return SlotRewriter::visit(stmt);
    }
    StmtRef visit(const DeclareStmt& stmt) override {
        if (m_checks)
            m_proof.learn(stmt);
        return SlotRewriter::visit(stmt);
    }

private:
    using Lets = std::vector<std::pair<VarRef, ExprRef>>;
    static std::pair<VarRef, ExprRef> bind(ExprRef& expr, const char* name) {
        const VarRef var = make_var(name, expr->type);
        return {var, std::exchange(expr, ExprRef(var))};
    }
    // All that depend on anything, in their order, where one of them acts.
    Lets computed_once(const TensorType& tensor, const ExprVec& written, ExprVec& indices) const {
        const bool is_named_once = !m_checks && layout_of(tensor)->kind == Kind::StridesLayout;
        const auto acts = [&](const ExprRef& index) { return effect_of(index, uses) == Effect::Acts; };
        Lets lets;
        if (is_named_once || std::none_of(written.begin(), written.end(), acts))
            return lets;
        for (std::size_t i = 0; i < indices.size(); ++i)
            if (effect_of(written[i], uses) != Effect::None)
                lets.push_back(bind(indices[i], "index"));
        return lets;
    }
    static ExprRef within(const Lets& lets, ExprRef body) {
        for (auto let = lets.rbegin(); let != lets.rend(); ++let)
            body = make_let(let->first, let->second, body);
        return body;
    }
    struct Access {
        bool is_store;
        Span span;
    };
    ExprRef slot_of_access(const TensorType& tensor, const ExprRef& base, const ExprVec& indices,
                           const Access& access) {
        ExprRef slot = slot_in(tensor, indices);
        std::int64_t mask = 0;
        for (std::size_t i = 0; m_checks && i < indices.size() && i < most_dimensions; ++i)
            if (!m_proof.is_inside(indices[i], tensor.shape[i]))
                mask |= std::int64_t{1} << i;
        if (mask == 0)
            return slot;
        const auto* var = as<Var>(base);
        ExprVec args{slot, string_constant(var ? var->name : "an address"), int_constant(access.is_store),
                     int_constant(mask)};
        for (const ExprVec* list : {&indices, &tensor.shape})
            for (const ExprRef& each : *list)
                args.push_back(convert(each, data_type(DType::I64)));
        const TypeRef type = slot->type;
        ExprRef checked = make_intrinsic(IntrinsicId::Inside, std::move(args), type);
        set_origin(checked, {access.span, pass()});
        return checked;
    }
    static constexpr std::size_t most_dimensions = 30; // bits of a mask
    const bool m_checks;
    InsideProof m_proof;
};

} // namespace

ModuleRef flatten_tensor_index(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        Uses uses = uses_in(*function, module.get());
        IndexFlattener flattener(context, uses, find_bounds(bounds, *function));
        return flattener.rewrite(function);
    });
}

} // namespace hidet::compiler
