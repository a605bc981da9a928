// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/launchers.h"

#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

namespace {

ir::TypeRef type_of(const artifact::Parameter& parameter) {
    if (parameter.is_pointer)
        return ir::pointer_type(ir::data_type(ir::DType::U8));
    return ir::data_type(*ir::find_dtype(artifact::scalar_name(parameter.type)));
}

ir::FunctionRef launcher_of(const ir::Function& kernel) {
    ir::Function launcher;
    launcher.name = launcher_name(kernel.name);
    launcher.func_kind = ir::FuncKind::Public;
    launcher.ret = ir::void_type();
    ir::LaunchStmt launch;
    launch.kernel = kernel.name;
    const auto pass_on = [&](const std::string& name, ir::TypeRef type) {
        launcher.params.push_back(ir::make_var(name, std::move(type)));
        return launcher.params.back();
    };
    for (const ir::VarRef& parameter : kernel.params) // the extents of a tensor may be other parameters
        launch.args.push_back(pass_on(parameter->name, ir::scalar_of(parameter->type)
                                                           ? parameter->type
                                                           : ir::pointer_type(ir::data_type(ir::DType::U8))));
    for (ir::ExprVec* extents : {&launch.grid, &launch.block, &launch.cluster})
        for (const char* axis : {"x", "y", "z"})
            extents->push_back(pass_on(axis, ir::data_type(ir::DType::I64)));
    launch.dynamic_smem_bytes = pass_on("dynamic_shared", ir::data_type(ir::DType::I64));
    launcher.body = make<ir::LaunchStmt>(std::move(launch));
    return ir::make<ir::Function>(std::move(launcher));
}

} // namespace

std::string launcher_name(const std::string& kernel) {
    return "launch." + kernel;
}

ir::ModuleRef with_launchers(const ir::ModuleRef& module) {
    ir::Module out = *module;
    for (const ir::FunctionRef& function : module->functions)
        if (function->func_kind == ir::FuncKind::CudaKernel)
            out.functions.push_back(launcher_of(*function));
    return ir::make<ir::Module>(std::move(out));
}

ir::ModuleRef declared_kernels(const std::vector<artifact::EntryPoint>& kernels) {
    ir::Module out;
    out.level = ir::Level::Kernel;
    for (const artifact::EntryPoint& entry : kernels) {
        ir::Function kernel;
        kernel.name = entry.name;
        kernel.func_kind = ir::FuncKind::CudaKernel;
        kernel.ret = ir::void_type();
        kernel.body = ir::make_seq({});
        for (const artifact::Parameter& parameter : entry.params)
            kernel.params.push_back(ir::make_var(parameter.name, type_of(parameter)));
        out.functions.push_back(ir::make<ir::Function>(std::move(kernel)));
    }
    return ir::make<ir::Module>(std::move(out));
}

} // namespace hidet::session
