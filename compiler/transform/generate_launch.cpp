// SPDX-License-Identifier: Apache-2.0
// The launch rules of the language: a module with exactly one kernel and no public function whose name starts with
// `launch` gets one, with the parameters of the kernel. What is constant about the dimensions is checked at compile time
// by check-launch; what is not is left to the launch, which names the kernel and the numbers that no device takes. An empty
// grid or block launches nothing.
//
// Needs: nothing.
// Guarantees: a module with a kernel has a public function, or the user has been told to write one.
// Why here: before functions are inlined or dropped.
#include <algorithm>

#include "compiler/ir/function_renamer.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

// The name `launch` is for the generated function, whatever else has it.
ModuleRef without_name_launch(const ModuleRef& module) {
    if (!find_function(*module, "launch"))
        return module;
    std::string name = "launch_kernel";
    while (find_function(*module, name))
        name += "_";
    FunctionRenamer renamer({{"launch", name}});
    return map_functions(module, [&](const FunctionRef& function) { return renamer.rewrite(function); });
}

class LaunchBuilder {
public:
    explicit LaunchBuilder(const Function& kernel) : m_kernel(kernel) {
        for (const VarRef& param : kernel.params) {
            VarRef copy = make_var(param->name, param->type);
            copy->origin = param->origin;
            m_params.push_back(copy);
            m_args.push_back(copy);
            m_substitution.replace(param, copy);
        }
    }

    FunctionRef build() {
        if (m_kernel.func_kind == FuncKind::CpuKernel)
            call_it();
        else
            launch_it();
        Function launch;
        launch.name = "launch";
        launch.func_kind = FuncKind::Public;
        launch.params = m_params;
        launch.ret = m_kernel.ret;
        launch.body = make_seq(std::move(m_body));
        return make<Function>(std::move(launch));
    }

private:
    void call_it() {
        ExprRef call = make_call(m_kernel.name, m_args, m_kernel.ret);
        m_body.push_back(m_kernel.ret->kind == Kind::VoidType ? make_evaluate(call) : make_return(call));
    }
    void launch_it() {
        LaunchStmt launch;
        launch.kernel = m_kernel.name;
        launch.args = m_args;
        launch.grid = dims(m_kernel.grid_dim, "grid");
        launch.cluster = dims(m_kernel.cluster_dim, "cluster");
        launch.block = dims(m_kernel.block_dim, "block");
        launch.dynamic_smem_bytes =
            m_kernel.dynamic_smem_bytes ? m_substitution.rewrite(m_kernel.dynamic_smem_bytes) : int_constant(0);
        ExprRef is_something = not_empty(launch);
        StmtRef run = make<LaunchStmt>(std::move(launch));
        m_body.push_back(is_something ? make_if(is_something, run) : run);
    }

    // A dimension that is no constant gets a name, because it is used several times.
    ExprVec dims(const ExprVec& exprs, const std::string& what) {
        ExprVec result;
        for (std::size_t i = 0; i < 3; ++i) {
            ExprRef dim = i < exprs.size() ? m_substitution.rewrite(exprs[i]) : int_constant(1);
            bool is_simple = dim->kind == Kind::Constant || dim->kind == Kind::Var || dim->kind == Kind::SymbolVar;
            if (!is_simple) {
                VarRef name = make_var(cat(what, "_", axis_names[i]), dim->type);
                m_body.push_back(make_let_stmt(name, dim));
                dim = name;
            }
            result.push_back(dim);
        }
        return result;
    }

    static ExprRef not_empty(const LaunchStmt& launch) {
        ExprRef result;
        for (const ExprVec* extents : {&launch.grid, &launch.block})
            for (const ExprRef& extent : *extents) {
                if (constant_int(extent))
                    continue;
                ExprRef is_some = not_equal(extent, int_constant(0));
                result = result ? logical_and(result, is_some) : is_some;
            }
        return result;
    }

    const Function& m_kernel;
    VarVec m_params;
    ExprVec m_args;
    Rewriter m_substitution;
    StmtVec m_body;
};

bool is_kernel(const Function& function) {
    return function.func_kind == FuncKind::CudaKernel || function.func_kind == FuncKind::CpuKernel;
}

} // namespace

std::optional<Diagnostic> missing_launch(const Module& module) {
    std::vector<FunctionRef> kernels;
    for (const FunctionRef& function : module.functions) {
        if (function->func_kind == FuncKind::Public)
            return {};
        if (is_kernel(*function))
            kernels.push_back(function);
    }
    if (kernels.size() < 2)
        return {};
    Diagnostic diagnostic = Diagnostic::make(DiagId::LowerNoLaunch, kernels[1]->origin.span, kernels.size());
    for (const FunctionRef& kernel : kernels)
        if (kernel->origin.known() && kernel != kernels[1])
            diagnostic.notes.push_back({kernel->origin.span, cat("kernel '", kernel->name, "'")});
    return diagnostic;
}

ModuleRef generate_launch(const ModuleRef& module, PassContext& context) {
    if (auto missing = missing_launch(*module)) {
        if (context.launch_rule == LaunchRule::NotAsked)
            return module;
        context.diagnostics.report(std::move(*missing));
        return nullptr;
    }
    std::vector<FunctionRef> kernels;
    for (const FunctionRef& function : module->functions) {
        if (function->func_kind == FuncKind::Public && function->name.starts_with("launch"))
            return module;
        if (is_kernel(*function))
            kernels.push_back(function);
    }
    if (kernels.size() != 1)
        return module;
    ModuleRef renamed = without_name_launch(module);
    const Function* kernel = nullptr;
    for (const FunctionRef& function : renamed->functions)
        if (function->func_kind == kernels[0]->func_kind)
            kernel = function.get();
    FunctionRef launch = LaunchBuilder(*kernel).build();
    set_origin(launch, {kernel->origin.span, context.pass});
    std::vector<FunctionRef> functions = renamed->functions;
    functions.push_back(std::move(launch));
    return with_functions(renamed, std::move(functions));
}

} // namespace hidet::compiler
