// SPDX-License-Identifier: Apache-2.0
// A protected read gives 0 outside of the tensor, a protected write does nothing there: the bounds become conditions.
// Conditions that are always true are left to simplify.
//
// Needs: no slices (flatten-tensor-slice), so that the bounds are those of the memory.
// Guarantees: no protected elements and stores. An index with effects is evaluated once.
// Why here: before simplify, which decides most of the conditions from the ranges of the indices.
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

using namespace ir;

namespace {

bool has_protected_access(const Function& function) {
    return any_of_nodes(
        function.body, [](const TensorElement& expr) { return expr.is_protected; },
        [](const StoreStmt& stmt) { return stmt.is_protected; });
}

ExprRef zero_of(const TypeRef& type) {
    auto dtype = scalar_of(type);
    if (dtype && is_vector(*dtype)) {
        ExprVec lanes(static_cast<std::size_t>(info(*dtype).lanes), zero_of(data_type(info(*dtype).lane)));
        return make_intrinsic(IntrinsicId::MakeVector, std::move(lanes), type);
    }
    if (dtype && is_float(*dtype))
        return float_constant(0.0, *dtype);
    if (dtype && (is_integer(*dtype) || is_subbyte(*dtype)))
        return int_constant(0, *dtype);
    return make_cast(int_constant(0, dtype ? DType::I32 : DType::U64), type);
}

class Protector : public Rewriter {
public:
    Protector(PassContext& context, const Uses& uses) : Rewriter(context.pass), m_context(context), m_uses(uses) {}

protected:
    using Rewriter::visit;

    ExprRef visit(const TensorElement& expr) override {
        auto rebuilt = rebuild(expr);
        const auto* element = as<TensorElement>(rebuilt);
        if (!expr.is_protected)
            return rebuilt;
        StmtVec lets;
        ExprVec indices = once(element->indices, lets);
        ExprRef condition = within(expr.origin.span, element->base, indices);
        ExprRef read = make_element(element->base, indices);
        ExprRef result = condition ? make_select(condition, read, zero_of(read->type)) : read;
        for (auto let = lets.rbegin(); let != lets.rend(); ++let)
            result = make_let(as<DeclareStmt>(*let)->var, as<DeclareStmt>(*let)->init, result);
        return result;
    }
    StmtRef visit(const StoreStmt& stmt) override {
        auto rebuilt = rebuild(stmt);
        const auto* store = as<StoreStmt>(rebuilt);
        if (!stmt.is_protected)
            return rebuilt;
        StmtVec stmts;
        // What a value does besides being a value happens outside of the bounds too.
        ExprRef value = store->value;
        if (effect_of(value, m_uses) == Effect::Acts)
            value = evaluated_once(value, m_uses, "value", stmts);
        ExprVec indices = once(store->indices, stmts);
        ExprRef condition = within(stmt.origin.span, store->base, indices);
        StmtRef write = make_store(store->base, indices, value);
        stmts.push_back(condition ? make_if(condition, write) : write);
        return make_seq(std::move(stmts));
    }

private:
    ExprVec once(const ExprVec& indices, StmtVec& lets) const {
        return transformed(indices, [&](const ExprRef& index) { return evaluated_once(index, m_uses, "index", lets); });
    }

    ExprRef within(Span span, const ExprRef& base, const ExprVec& indices) {
        const TensorType* tensor = tensor_of(base->type);
        if (!tensor || tensor->shape.size() != indices.size()) {
            m_context.diagnostics.report(DiagId::LowerProtectedShape, span, to_string(NodeRef(base)));
            return nullptr;
        }
        ExprRef condition;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            ExprRef inside = logical_and(less_equal(int_constant(0), indices[i]), less(indices[i], tensor->shape[i]));
            condition = condition ? logical_and(condition, inside) : inside;
        }
        return condition;
    }

    PassContext& m_context;
    const Uses& m_uses;
};

} // namespace

ModuleRef lower_protected_access(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!has_protected_access(*function))
            return function;
        Uses uses = uses_in(*function, module.get());
        return Protector(context, uses).rewrite(function);
    });
}

} // namespace hidet::compiler
