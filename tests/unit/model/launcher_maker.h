// SPDX-License-Identifier: Apache-2.0
// The host functions that launchers.h names, made for the kernels of a module: the emulator launches by them what a GPU's driver
// launches by itself.
#pragma once

#include <algorithm>
#include <set>

#include "app/session/execute/launchers.h"
#include "compiler/ir/func.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"

namespace hidet::test {

using namespace hidet::session;

inline ir::TypeRef bytes_pointer() {
    return ir::pointer_type(ir::data_type(ir::DType::U8));
}

// How many numbers describe a tensor of such a map.
inline std::size_t count_of_numbers(const ir::IntrinsicAttr& attr) {
    const auto rank = static_cast<std::size_t>(ir::number_attribute(attr, "rank"));
    const std::size_t box = attr.id == ir::IntrinsicId::CreateIm2colMap ? 2 * (rank - 2) + 2 : rank;
    return rank + rank - 1 + box + rank;
}

class LauncherMaker {
public:
    LauncherMaker(const ir::Function& kernel, const Launcher& launcher) : m_kernel(kernel), m_launcher(launcher) {}

    ir::FunctionRef run() {
        m_out.name = name_of(m_launcher);
        m_out.func_kind = ir::FuncKind::Public;
        m_out.ret = ir::void_type();
        ir::LaunchStmt launch;
        launch.kernel = m_kernel.name;
        auto map = m_launcher.maps.begin();
        for (const ir::VarRef& parameter : m_kernel.params) // the extents of a tensor may be other parameters
            launch.args.push_back(ir::is_tensor_map(parameter->type) ? made_map(*map++, *parameter)
                                  : ir::scalar_of(parameter->type)   ? taken(parameter->name, parameter->type)
                                                                     : taken(parameter->name, bytes_pointer()));
        for (ir::ExprVec* extents : {&launch.grid, &launch.block, &launch.cluster})
            for (const char* axis : {"x", "y", "z"})
                extents->push_back(taken_number(axis));
        launch.dynamic_smem_bytes = taken_number("dynamic_shared");
        m_body.push_back(ir::make<ir::LaunchStmt>(std::move(launch)));
        m_out.body = ir::make_seq(std::move(m_body));
        return ir::make<ir::Function>(std::move(m_out));
    }

private:
    ir::VarRef taken(const std::string& name, ir::TypeRef type) {
        m_out.params.push_back(ir::make_var(name, std::move(type)));
        return m_out.params.back();
    }
    ir::VarRef taken_number(const std::string& name) { return taken(name, ir::data_type(ir::DType::I64)); }
    ir::ExprRef made_map(const ir::IntrinsicAttr& attr, const ir::Var& parameter) {
        const ir::VarRef map = ir::make_var(parameter.name, ir::opaque_type(ir::tensor_map_type, {}));
        m_body.push_back(ir::make_declare(map));
        ir::ExprVec operands{ir::make_address(map), taken(parameter.name, bytes_pointer())};
        for (std::size_t i = 0; i < count_of_numbers(attr); ++i)
            operands.push_back(taken_number(cat(parameter.name, "_", i)));
        m_body.push_back(ir::make_evaluate(ir::make_intrinsic(attr, std::move(operands), nullptr)));
        return map;
    }

    const ir::Function& m_kernel;
    const Launcher& m_launcher;
    ir::Function m_out;
    std::vector<ir::StmtRef> m_body;
};

// Those that the steps need that launch kernels of some modules.
inline std::vector<Launcher> launchers_of(const artifact::LaunchPlan& plan, const std::set<artifact::Row>& modules) {
    std::vector<Launcher> out;
    const auto add = [&](const artifact::PlanBody& body) {
        for (const artifact::PlanStep& step : body.steps) {
            if (step.kind != artifact::StepKind::Launch || !modules.contains(plan.functions[step.function].module))
                continue;
            Launcher launcher = launcher_of(plan, body, step);
            if (std::ranges::find(out, launcher) == out.end())
                out.push_back(std::move(launcher));
        }
    };
    add(plan);
    for (const artifact::PlanBody& body : plan.bodies)
        add(body);
    return out;
}

inline ir::ModuleRef with_launchers(const ir::ModuleRef& module, const std::vector<Launcher>& launchers) {
    ir::Module out = *module;
    for (const Launcher& launcher : launchers) {
        const ir::Function* kernel = ir::find_function(*module, launcher.kernel);
        HIDET_CHECK(kernel, launcher.kernel);
        out.functions.push_back(LauncherMaker(*kernel, launcher).run());
    }
    return ir::make<ir::Module>(std::move(out));
}

} // namespace hidet::test
