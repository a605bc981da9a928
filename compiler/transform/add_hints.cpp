// SPDX-License-Identifier: Apache-2.0
// Tells the compiler of the generated code what the launch dimensions say about thread and block indices: an `assume` for
// each index that the kernel uses, at its start.
//
// Needs: nothing.
// Guarantees: level Kernel, what code generators take.
// Why here: last, so that no other pass meets hints.
#include "compiler/analysis/launch_bounds.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

StmtRef hint(Builtin index, Wide extent) {
    ExprRef condition = less(make_builtin(index), int_constant(static_cast<std::int64_t>(extent)));
    return make_evaluate(make_intrinsic(IntrinsicId::Assume, {condition}, void_type()));
}

} // namespace

ModuleRef add_hints(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) -> FunctionRef {
        if (function->func_kind != FuncKind::CudaKernel)
            return function;
        bool used[16] = {};
        each_node(function->body, [&](const BuiltinVar& expr) { used[static_cast<std::size_t>(expr.which)] = true; });
        const LaunchBounds& known = bounds[function->name];
        StmtVec stmts;
        for (int axis = 0; axis < 3; ++axis) {
            auto thread = static_cast<Builtin>(static_cast<int>(Builtin::ThreadIdxX) + axis);
            auto block = static_cast<Builtin>(static_cast<int>(Builtin::BlockIdxX) + axis);
            if (known.block[axis] && used[static_cast<std::size_t>(thread)])
                stmts.push_back(hint(thread, known.block[axis]->hi));
            if (known.grid[axis] && used[static_cast<std::size_t>(block)])
                stmts.push_back(hint(block, known.grid[axis]->hi));
        }
        if (stmts.empty())
            return function;
        for (const StmtRef& stmt : stmts)
            set_origin(stmt, {function->origin.span, context.pass});
        stmts.push_back(function->body);
        return with_body(function, make_seq(std::move(stmts)));
    });
}

} // namespace hidet::compiler
