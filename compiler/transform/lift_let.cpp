// SPDX-License-Identifier: Apache-2.0
// `(let v = e in body)` becomes a let statement before the statement that has it. Where it stands behind a condition, and its
// value could fail or read memory, the condition becomes a branch. An index that acts becomes one too, because layouts copy
// indices.
//
// Needs: nothing.
// Guarantees: no Let expression and no call in an index of a tensor from here on, so an expression defines nothing and may be
// copied.
// Why here: after the last pass that makes them (lower-protected-access), before those that copy index expressions.
#include <algorithm>

#include "compiler/analysis/kinds.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/lifter.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

bool does_act(const Node& node) {
    return node.kind == Kind::Call ||
           (node.kind == Kind::Intrinsic && ir::acts(static_cast<const Intrinsic&>(node).id));
}

bool is_acting_index(const ExprRef& base, const ExprRef& index) {
    return tensor_of(base->type) && any_node(*index, does_act);
}

bool has_acting_index(const Node& node) {
    auto is_acting = [](const auto& place) {
        return std::any_of(place.indices.begin(), place.indices.end(),
                           [&](const ExprRef& index) { return is_acting_index(place.base, index); });
    };
    if (node.kind == Kind::TensorElement)
        return is_acting(static_cast<const TensorElement&>(node));
    return node.kind == Kind::StoreStmt && is_acting(static_cast<const StoreStmt&>(node));
}

class LetLifter : public Lifter {
public:
    using Lifter::Lifter;

protected:
    using Lifter::visit;
    ExprRef visit(const Let& expr) override { return lifted(expr); }
    ExprRef final_index(const ExprRef& base, const ExprRef& index) override {
        if (!is_acting_index(base, index))
            return index;
        VarRef var = make_var("index", index->type);
        add_own(*var);
        lift(make_let_stmt(var, index));
        return var;
    }
};

} // namespace

ModuleRef lift_let(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::Let) && !any_node(*function->body, has_acting_index))
            return function;
        Uses uses = uses_in(*function, module.get());
        LetLifter lifter(context.pass, *module, uses);
        return with_body(function, lifter.rewrite(function->body));
    });
}

} // namespace hidet::compiler
