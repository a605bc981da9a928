// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/early_launch.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/each_node.h"
#include "compiler/ir/grid_wait.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"

namespace hidet::graph {

using namespace ir;

namespace {

StmtRef call_of(IntrinsicId id) {
    return make_evaluate(make_intrinsic(id, {}, void_type()));
}

bool is_call_of(IntrinsicId id, const EvaluateStmt& stmt) {
    const auto* call = as<Intrinsic>(stmt.value);
    return call && call->id == id;
}

FunctionRef launched_early(const Function& kernel) {
    Function out = kernel;
    out.body = make_seq({call_of(IntrinsicId::GridLaunchDependents), call_of(IntrinsicId::GridWait), kernel.body});
    return make<Function>(std::move(out));
}

// The statement takes the place of each wait, and of what lets the next kernel begin; null: waits go, and that stays.
class OtherWaits : public Rewriter {
public:
    explicit OtherWaits(StmtRef instead) : m_instead(std::move(instead)) {}

protected:
    using Rewriter::visit;
    StmtRef visit(const EvaluateStmt& stmt) override {
        if (is_call_of(IntrinsicId::GridWait, stmt))
            return m_instead;
        if (m_instead && is_call_of(IntrinsicId::GridLaunchDependents, stmt))
            return nullptr;
        return rebuild(stmt);
    }

private:
    StmtRef m_instead;
};

bool is_kernel(const FunctionRef& function) {
    return function->func_kind == FuncKind::CudaKernel;
}

bool branches(const StmtRef& body) {
    return any_of_nodes(
        body, [](const IfStmt&) { return true; }, [](const ForStmt&) { return true; },
        [](const WhileStmt&) { return true; });
}

// Of a program that launches it once, whatever the extents; else null.
const Function* only_kernel(const Module& module) {
    std::size_t launches = 0;
    for (const FunctionRef& function : module.functions) {
        each_node(function->body, [&](const LaunchStmt&) { ++launches; });
        if (!runs_on_gpu(function->func_kind) && branches(function->body))
            return nullptr;
    }
    if (launches != 1 || std::ranges::count_if(module.functions, is_kernel) != 1)
        return nullptr;
    return std::ranges::find_if(module.functions, is_kernel)->get();
}

// With variables of its own: a plan may have both programs, and all of a plan's are one module in the end.
ModuleRef with_kernel(const Module& module, const Function& kernel, StmtRef body) {
    Function changed = kernel;
    changed.body = std::move(body);
    Module out = module;
    for (FunctionRef& each : out.functions)
        if (each.get() == &kernel)
            each = make<Function>(std::move(changed));
    return Rewriter(0, Rewriter::Definitions::Copy).rewrite(make<Module>(std::move(out)));
}

using Ages = std::unordered_map<const Var*, Age>;

// Follows parameters of the launch function into the kernel. What the host's code names together, such as a tensor map and what it
// is of, is as late as the latest of it.
class AgesInKernel : public Walker {
public:
    AgesInKernel(const Module& module, const std::vector<Age>& given) : m_module(module) {
        const VarVec& params = module.functions.back()->params;
        for (std::size_t i = 0; i < params.size(); ++i)
            m_ages[params[i].get()] = i < given.size() ? given[i] : Age::Late;
        for (auto caller = module.functions.rbegin(); caller != module.functions.rend(); ++caller)
            if (!runs_on_gpu((*caller)->func_kind))
                walk(NodeRef((*caller)->body));
    }
    Ages take() { return std::move(m_ages); }

protected:
    using Walker::visit;
    void visit(const LaunchStmt& launch) override { pass(*find_function(m_module, launch.kernel), launch.args); }
    void visit(const EvaluateStmt& stmt) override {
        const auto* call = as<Call>(stmt.value);
        const Function* callee = call ? find_function(m_module, call->callee) : nullptr;
        callee ? pass(*callee, call->args) : join(stmt);
    }
    void visit(const DeclareStmt& stmt) override { join(stmt); }
    void visit(const AssignStmt& stmt) override { join(stmt); }
    void visit(const StoreStmt& stmt) override { join(stmt); }

private:
    void pass(const Function& callee, const ExprVec& args) {
        for (std::size_t i = 0; i < args.size(); ++i)
            m_ages[callee.params[i].get()] = age_of(*args[i]);
    }
    void join(const Stmt& stmt) {
        const Age age = age_of(stmt);
        for_each_child(stmt, [&](const ir::Node* child) {
            if (child)
                each_node(NodeRef(child), [&](const Var& var) { m_ages[&var] = age; });
        });
    }
    Age age_of(const ir::Node& node) const {
        Age age = Age::Constant;
        each_node(NodeRef(&node), [&](const Var& var) {
            if (const auto found = m_ages.find(&var); found != m_ages.end())
                age = std::max(age, found->second);
        });
        return age;
    }

    const Module& m_module;
    Ages m_ages;
};

bool touches(const StmtRef& stmt, const Ages& ages, Age age) {
    return any_of_nodes(stmt, [&](const Var& use) {
        const auto found = ages.find(&use);
        return found != ages.end() && found->second == age;
    });
}

bool is_unrolled(const LoopAttr& attr) {
    return attr.what == LoopAttr::What::UnrollExplicit || (attr.what == LoopAttr::What::Unroll && attr.count == 0);
}

bool repeats_work(const StmtRef& stmt) {
    return any_of_nodes(
        stmt, [](const ForStmt& loop) { return !is_unrolled(loop.attr); }, [](const WhileStmt&) { return true; });
}

} // namespace

bool launches_early(const artifact::TargetSpec& target) {
    return target.is_cuda() && target.arch.provides(info(IntrinsicId::GridWait).needs);
}

ModuleRef with_early_launches(ModuleRef module, const artifact::TargetSpec& target) {
    if (!launches_early(target))
        return module;
    Module out = *module;
    for (FunctionRef& function : out.functions)
        if (function->func_kind == FuncKind::CudaKernel && !waits_for_grid(*function))
            function = launched_early(*function);
    return make<Module>(std::move(out));
}

ModuleRef released_late(const Module& module) {
    const Function* kernel = only_kernel(module);
    if (!kernel || !waits_for_grid(*kernel))
        return nullptr;
    OtherWaits rewriter(make_seq({call_of(IntrinsicId::GridWait), call_of(IntrinsicId::GridLaunchDependents)}));
    return with_kernel(module, *kernel, rewriter.rewrite(kernel->body));
}

ModuleRef waiting_late(const Module& module, const std::vector<Age>& ages) {
    const Function* kernel = only_kernel(module);
    const auto* body = kernel ? as<SeqStmt>(kernel->body) : nullptr;
    if (!body || !module.globals.empty() || any_of_nodes(kernel->body, [](const ReturnStmt&) { return true; }))
        return nullptr;
    const Ages in_kernel = AgesInKernel(module, ages).take();
    const auto late =
        std::ranges::find_if(body->stmts, [&](const StmtRef& stmt) { return touches(stmt, in_kernel, Age::Late); });
    const StmtVec early(body->stmts.begin(), late), rest(late, body->stmts.end());
    const auto reads = [&](const StmtRef& stmt) { return touches(stmt, in_kernel, Age::Older); };
    if (rest.empty() || std::ranges::none_of(early, reads) || std::ranges::none_of(early, repeats_work) ||
        std::ranges::any_of(rest, repeats_work))
        return nullptr;
    OtherWaits rewriter(nullptr);
    StmtVec out;
    for (const StmtRef& stmt : early)
        out.push_back(rewriter.rewrite(stmt));
    out.push_back(call_of(IntrinsicId::GridWait));
    for (const StmtRef& stmt : rest)
        out.push_back(rewriter.rewrite(stmt));
    return with_kernel(module, *kernel, make_seq(std::move(out)));
}

} // namespace hidet::graph
