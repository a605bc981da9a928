// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/cpu_numbers.h"

#include <algorithm>

#include "app/session/execute/cpu_part.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

namespace {

bool is_extent(const ir::Var& number, const ir::Function& function) {
    return std::ranges::any_of(function.params, [&](const ir::VarRef& param) {
        const ir::TensorType* tensor = ir::tensor_of(param->type);
        return tensor && std::ranges::any_of(tensor->shape, [&](const ir::ExprRef& extent) {
                   return ir::as<ir::Var>(extent) == &number;
               });
    });
}

bool returns_number(const ir::Function& function) {
    return function.ret && ir::scalar_of(function.ret);
}

ir::VarRef memory_of(const std::string& name, const ir::TypeRef& number) {
    return ir::make_var(name, ir::tensor_pointer_type(ir::tensor_type(number, {ir::int_constant(1)})));
}

class ReturnsToMemory : public ir::Rewriter {
public:
    ReturnsToMemory(ir::VarRef to, ir::TypeRef type) : m_to(std::move(to)), m_type(std::move(type)) {}

protected:
    using Rewriter::visit;
    ir::StmtRef visit(const ir::ReturnStmt& statement) override {
        if (!statement.value)
            return rebuild(statement);
        return ir::make_seq(
            {ir::make_store(m_to, {ir::int_constant(0)}, ir::convert(statement.value, m_type)), ir::make_return()});
    }

private:
    const ir::VarRef m_to;
    const ir::TypeRef m_type;
};

std::string free_name(std::string name, const ir::Function& function) {
    while (std::ranges::any_of(function.params, [&](const ir::VarRef& param) { return param->name == name; }))
        name += "_";
    return name;
}

} // namespace

std::vector<ParameterRole> roles_of(const ir::Function& function) {
    std::vector<ParameterRole> roles;
    for (const ir::VarRef& param : function.params)
        roles.push_back(!ir::scalar_of(param->type)   ? ParameterRole::Tensor
                        : is_extent(*param, function) ? ParameterRole::Extent
                                                      : ParameterRole::Number);
    return roles;
}

bool has_numbers(const PlannedFunction& function) {
    return returns_number(*function.callable.function) ||
           std::ranges::find(function.roles, ParameterRole::Number) != function.roles.end();
}

PlannedFunction with_numbers_in_memory(const PlannedFunction& function) {
    const Callable& callable = function.callable;
    ir::Function changed = *callable.function;
    PlannedFunction out = function;
    ir::StmtVec body;
    for (std::size_t i = 0; i < changed.params.size(); ++i) {
        if (function.roles[i] != ParameterRole::Number)
            continue;
        const ir::VarRef number = changed.params[i];
        changed.params[i] = memory_of(number->name, number->type);
        body.push_back(ir::make_declare(number, ir::make_element(changed.params[i], {ir::int_constant(0)})));
    }
    if (returns_number(changed)) {
        const ir::VarRef result = memory_of(free_name("result", changed), changed.ret);
        changed.body = ReturnsToMemory(result, changed.ret).rewrite(changed.body);
        changed.params.push_back(result);
        changed.ret = ir::void_type();
        out.roles.push_back(ParameterRole::Result);
    }
    body.push_back(changed.body);
    changed.body = ir::make_seq(std::move(body));

    ir::Module part = *reached_part(callable.module, {callable.function->name});
    for (ir::FunctionRef& each : part.functions)
        if (each.get() == callable.function)
            each = ir::make<ir::Function>(changed);
    out.callable.module = ir::make<ir::Module>(std::move(part));
    out.callable.function = ir::find_function(*out.callable.module, callable.function->name);
    return out;
}

} // namespace hidet::session
