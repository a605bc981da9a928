// SPDX-License-Identifier: Apache-2.0
// `(let v = e in body)` becomes a let statement before the statement that has it. Where it stands behind a condition, and its
// value could fail or read memory, the condition becomes a branch.
//
// Needs: nothing.
// Guarantees: no Let expression from here on, so an expression defines nothing and may be copied.
// Why here: after the last pass that makes them (lower-protected-access), before those that copy index expressions.
#include "compiler/analysis/kinds.h"
#include "compiler/transform/lifter.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

class LetLifter : public Lifter {
public:
    using Lifter::Lifter;

protected:
    using Lifter::visit;
    ExprRef visit(const Let& expr) override { return lifted(expr); }
};

} // namespace

ModuleRef lift_let(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::Let))
            return function;
        Uses uses = uses_in(*function, module.get());
        LetLifter lifter(context.pass, *module, uses);
        return with_body(function, lifter.rewrite(function->body));
    });
}

} // namespace hidet::compiler
