// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/functions.h"

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

ExprRef evaluated_once(const ExprRef& what, const Uses& uses, const std::string& name, StmtVec& stmts) {
    if (effect_of(what, uses) == Effect::None)
        return what;
    VarRef var = make_var(name, what->type);
    stmts.push_back(make_let_stmt(var, what));
    return var;
}

} // namespace hidet::compiler
