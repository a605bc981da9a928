// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/functions.h"

#include "compiler/analysis/kinds.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"

namespace hidet::compiler {

using namespace ir;

ModuleRef with_functions(const ModuleRef& module, std::vector<FunctionRef> functions) {
    Module copy = *module;
    copy.functions = std::move(functions);
    return make<Module>(std::move(copy));
}

ModuleRef map_functions(const ModuleRef& module, const std::function<FunctionRef(const FunctionRef&)>& map) {
    std::vector<FunctionRef> functions;
    bool changed = false;
    for (const FunctionRef& function : module->functions) {
        FunctionRef mapped = map(function);
        changed = changed || mapped != function;
        if (mapped)
            functions.push_back(std::move(mapped));
    }
    return changed ? with_functions(module, std::move(functions)) : module;
}

FunctionRef with_body(const FunctionRef& function, StmtRef body) {
    if (function->body == body)
        return function;
    Function copy = *function;
    copy.body = body ? std::move(body) : make_seq({});
    return make<Function>(std::move(copy));
}

StmtVec statements_of(const StmtRef& body) {
    if (!body)
        return {};
    const auto* seq = as<SeqStmt>(body);
    return seq ? seq->stmts : StmtVec{body};
}

namespace {

bool may_fail_itself(const Node& node) {
    if (node.kind == Kind::Address) // of an element that may not be there
        return true;
    if (node.kind != Kind::Binary)
        return false;
    const auto& expr = static_cast<const Binary&>(node);
    const bool divides = is_division(expr.op);
    if (!divides && expr.op != BinOp::Shl && expr.op != BinOp::Shr)
        return false;
    auto by = constant_int(expr.b);
    if (by && (divides ? *by > 0 : *by >= 0 && *by < 8))
        return false;
    auto dtype = scalar_of(expr.type);
    return !dtype || !is_float(*dtype);
}

class LoadFinder : public Walker {
public:
    bool found = false;

protected:
    using Walker::visit;
    void visit(const Var&) override {}
    void visit(const TensorElement&) override { found = true; }
    void visit(const Deref&) override { found = true; }
    void visit(const Address& expr) override {
        if (const auto* element = as<TensorElement>(expr.place)) // an address is no load, its indices may be
            for (const ExprRef& index : element->indices)
                walk(NodeRef(index));
    }
};

} // namespace

bool can_forget(const ExprRef& expr) {
    if (!can_drop(expr))
        return false;
    LoadFinder finder;
    finder.walk(NodeRef(expr));
    return !finder.found;
}

bool may_fail(const ExprRef& expr) {
    return any_node(*expr, may_fail_itself);
}

ExprRef evaluated_once(const ExprRef& what, const Uses& uses, const std::string& name, StmtVec& stmts) {
    if (effect_of(what, uses) == Effect::None && !kinds_in(*what).has(Kind::Let)) // a let is defined once
        return what;
    VarRef var = make_var(name, what->type);
    stmts.push_back(make_let_stmt(var, what));
    return var;
}

} // namespace hidet::compiler
