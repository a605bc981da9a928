// SPDX-License-Identifier: Apache-2.0
// A local tensor whose layout is no plain stride formula, such as a tile of results spread over the threads of a block by
// local_layout, becomes the one-dimensional array of the slots that a thread holds. In unrolled code the slots are constants
// then, which is what keeps the array in registers.
//
// Only where every index is known to be within the shape: the layout would map an index outside to some slot inside, and the
// mistake would be lost. What is left keeps its shape and is checked when it runs.
//
// Needs: unrolled loops.
// Guarantees: the same storage, slot by slot, so addresses of elements keep their meaning.
// Why here: before lets are merged and moved, on both ways: the emulator profits as much as code generators do.
#include <set>

#include "compiler/ir/each_node.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"
#include "compiler/transform/slots.h"

namespace hidet::compiler {

using namespace ir;

namespace {

using TensorSet = std::set<const Var*>; // only asked for membership

bool is_spread(const DeclareStmt& stmt) {
    const auto* tensor = as<TensorType>(stmt.var->type);
    bool is_local = stmt.scope == Scope::Default || stmt.scope == Scope::Register;
    if (!tensor || !tensor->layout || !is_local || stmt.is_static)
        return false;
    return tensor->layout->kind != Kind::StridesLayout && constant_int(size_of(tensor->layout)).has_value();
}

// Looks without changing anything; a Rewriter because that is what knows ranges.
class BoundsChecker : public RangeRewriter {
public:
    BoundsChecker(const Uses& uses, const LaunchBounds* bounds, TensorSet& tensors)
        : RangeRewriter(0, uses, bounds), m_tensors(tensors) {}

protected:
    using RangeRewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        check(expr.base, expr.indices);
        return rebuild(expr);
    }
    StmtRef visit(const StoreStmt& stmt) override {
        check(stmt.base, stmt.indices);
        return rebuild(stmt);
    }

private:
    void check(const ExprRef& base, const ExprVec& indices) {
        const auto* var = as<Var>(base);
        if (!var || !m_tensors.contains(var))
            return;
        const TensorType* tensor = tensor_of(var->type);
        bool inside = indices.size() == tensor->shape.size();
        for (std::size_t d = 0; d < indices.size() && inside; ++d) {
            auto index = ranges.of(indices[d]);
            auto extent = ranges.of(tensor->shape[d]);
            inside = index && extent && index->lo >= 0 && index->hi < extent->lo;
        }
        if (!inside)
            m_tensors.erase(var);
    }
    TensorSet& m_tensors;
};

class RegisterFlattener : public SlotRewriter {
public:
    RegisterFlattener(PassId pass, const Uses& uses, const LaunchBounds* bounds, const TensorSet& tensors)
        : SlotRewriter(pass, uses, bounds), m_tensors(tensors) {}

protected:
    using SlotRewriter::visit;
    StmtRef visit(const DeclareStmt& stmt) override {
        if (!m_tensors.contains(stmt.var.get()))
            return SlotRewriter::visit(stmt);
        const TensorType& tensor = *tensor_of(stmt.var->type);
        VarRef array = make_var(stmt.var->name, tensor_type(tensor.element, {size_of(layout_of(tensor))}));
        set_origin(array, stmt.var->origin);
        replace(stmt.var, array);
        return make_declare(array, nullptr, stmt.scope, stmt.is_static);
    }
    ExprRef visit(const TensorElement& expr) override {
        if (!is_chosen(expr.base))
            return rebuild(expr);
        return make_element(rewrite(expr.base), {slot_in(*tensor_of(expr.base->type), rewrite(expr.indices))});
    }
    StmtRef visit(const StoreStmt& stmt) override {
        if (!is_chosen(stmt.base))
            return rebuild(stmt);
        ExprRef slot = slot_in(*tensor_of(stmt.base->type), rewrite(stmt.indices));
        return make_store(rewrite(stmt.base), {slot}, rewrite(stmt.value));
    }

private:
    bool is_chosen(const ExprRef& base) const {
        const auto* var = as<Var>(base);
        return var && m_tensors.contains(var);
    }
    const TensorSet& m_tensors;
};

} // namespace

ModuleRef flatten_register_tensor(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        TensorSet tensors;
        each_node(function->body, [&](const DeclareStmt& stmt) {
            if (is_spread(stmt))
                tensors.insert(stmt.var.get());
        });
        if (tensors.empty())
            return function;
        Uses uses = uses_in(*function, module.get());
        const LaunchBounds* launch = find_bounds(bounds, *function);
        BoundsChecker(uses, launch, tensors).rewrite(function->body);
        if (tensors.empty())
            return function;
        RegisterFlattener flattener(context.pass, uses, launch, tensors);
        return with_body(function, flattener.rewrite(function->body));
    });
}

} // namespace hidet::compiler
