// SPDX-License-Identifier: Apache-2.0
// Storage in one dimension: a tensor becomes the array of its slots, a tensor pointer a pointer to its elements, and `x[i, j]`
// the element at the slot that the layout gives to (i, j).
//
// Needs: no slices, no protected access, no mappings.
// Guarantees: level Flat; an element has one index.
// Why here: the last common step of all code generators; the emulator has taken the module before, with its indices.
#include "compiler/analysis/kinds.h"
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
    using SlotRewriter::SlotRewriter;

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
        if (const TensorType* tensor = tensor_of(expr.base->type))
            indices = {slot_in(*tensor, indices)};
        ExprRef base = rewrite(expr.base);
        return base == expr.base && indices == expr.indices ? self(expr) : make_element(base, std::move(indices));
    }
    StmtRef visit(const StoreStmt& stmt) override {
        ExprVec indices = rewrite(stmt.indices);
        if (const TensorType* tensor = tensor_of(stmt.base->type))
            indices = {slot_in(*tensor, indices)};
        ExprRef base = rewrite(stmt.base);
        ExprRef value = rewrite(stmt.value);
        bool same = base == stmt.base && value == stmt.value && indices == stmt.indices;
        return same ? self(stmt) : make_store(base, std::move(indices), value);
    }
};

} // namespace

ModuleRef flatten_tensor_index(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        Uses uses = uses_in(*function, module.get());
        auto known = bounds.find(function->name);
        IndexFlattener flattener(context.pass, uses, known == bounds.end() ? nullptr : &known->second);
        return flattener.rewrite(function);
    });
}

} // namespace hidet::compiler
