// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/early_launch.h"

#include "compiler/ir/grid_wait.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"

namespace hidet::graph {

using namespace ir;

namespace {

StmtRef call_of(IntrinsicId id) {
    return make_evaluate(make_intrinsic(id, {}, void_type()));
}

FunctionRef launched_early(const Function& kernel) {
    Function out = kernel;
    out.body = make_seq({call_of(IntrinsicId::GridLaunchDependents), call_of(IntrinsicId::GridWait), kernel.body});
    return make<Function>(std::move(out));
}

} // namespace

ModuleRef with_early_launches(ModuleRef module, const artifact::TargetSpec& target) {
    if (!target.is_cuda() || !target.arch.provides(info(IntrinsicId::GridWait).needs))
        return module;
    Module out = *module;
    for (FunctionRef& function : out.functions)
        if (function->func_kind == FuncKind::CudaKernel && !waits_for_grid(*function))
            function = launched_early(*function);
    return make<Module>(std::move(out));
}

} // namespace hidet::graph
