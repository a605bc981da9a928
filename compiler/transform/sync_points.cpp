// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/sync_points.h"

#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/exits.h"
#include "compiler/transform/lifter.h"

namespace hidet::compiler {

using namespace ir;

SyncPoint sync_point_of(const Intrinsic& call) {
    switch (info(call.id).does) {
    case Does::Exchanges:
    case Does::JoinsWarp: return SyncPoint::Warp;
    case Does::JoinsBlock: return SyncPoint::Block;
    default: return SyncPoint::None;
    }
}

// ---- what only a GPU has ----------------------------------------------------------------------------------------------

namespace {

bool has_cpu_barrier(IntrinsicId id) {
    switch (id) {
    case IntrinsicId::SyncThreads:
    case IntrinsicId::SyncThreadsCount:
    case IntrinsicId::SyncThreadsAnd:
    case IntrinsicId::SyncThreadsOr:
    case IntrinsicId::GridWait:
    case IntrinsicId::GridLaunchDependents: return true;
    default: return false;
    }
}

bool has_cpu_exchange(IntrinsicId id) {
    switch (id) {
    case IntrinsicId::ReadClock:
    case IntrinsicId::ReadTimer:
    case IntrinsicId::MatchAnySync:
    case IntrinsicId::MatchAllSync:
    case IntrinsicId::ReduxSync: return false;
    default: return true;
    }
}

bool has_cpu_code(const Intrinsic& e) {
    switch (info(e.id).category) {
    case IntrinsicCategory::Math:
    case IntrinsicCategory::Bits:
    case IntrinsicCategory::Control:
    case IntrinsicCategory::Atomic: return true;
    case IntrinsicCategory::Warp: return has_cpu_exchange(e.id);
    case IntrinsicCategory::Block: return has_cpu_barrier(e.id);
    case IntrinsicCategory::Memory: return e.id != IntrinsicId::CvtaToShared;
    case IntrinsicCategory::Words:
    case IntrinsicCategory::Mbarrier:
    case IntrinsicCategory::AsyncCopy:
    case IntrinsicCategory::Matrix: return false;
    case IntrinsicCategory::Runtime:
    case IntrinsicCategory::Vectors: return true;
    }
    return false;
}

class GpuFinder : public Walker {
public:
    explicit GpuFinder(const Module& module) : m_module(module) {}
    std::optional<NeedsGpu> found;

protected:
    using Walker::visit;
    void visit(const Var&) override {}
    void visit(const AsmStmt& s) override { report(s, "has inline assembly of a GPU"); }
    void visit(const DeclareStmt& s) override {
        if (s.is_static)
            report(s, cat("has the static variable '", s.var->name, "'"));
        if (is_tensor_map(s.var->type))
            report(s, "uses a tensor map");
        if (s.init)
            walk(*s.init);
    }
    void visit(const WhileStmt& s) override {
        if (any_node(*s.condition, waits))
            report(*s.condition, "waits for what other threads write");
        walk_children(s);
    }
    void visit(const Intrinsic& e) override {
        if (!has_cpu_code(e))
            report(e, cat("calls '", info(e.id).name, "', which only a GPU has"));
        walk_children(e);
    }
    void visit(const Call& e) override {
        const Function* callee = find_function(m_module, e.callee);
        if (!callee)
            report(e, cat("calls '", e.callee, "', which is CUDA's"));
        if (callee && runs_on_gpu(callee->func_kind) && any_node(*callee->body, is_of_threads))
            report(e, cat("calls '", e.callee, "', which cannot be inlined and asks for its thread"));
        walk_children(e);
    }

private:
    static bool waits(const Node& node) {
        return node.kind == Kind::Intrinsic && static_cast<const Intrinsic&>(node).id == IntrinsicId::LoadAcquire;
    }
    static bool is_of_threads(const Node& node) {
        if (node.kind == Kind::Intrinsic && sync_point_of(static_cast<const Intrinsic&>(node)) != SyncPoint::None)
            return true;
        return node.kind == Kind::BuiltinVar ||
               (node.kind == Kind::DeclareStmt && static_cast<const DeclareStmt&>(node).scope == Scope::Shared);
    }
    void report(const Node& node, std::string why) {
        if (!found)
            found = NeedsGpu{std::move(why), node.origin.span};
    }
    const Module& m_module;
};

} // namespace

std::optional<NeedsGpu> what_needs_gpu(const Function& function, const Module& module) {
    for (const ExprRef& extent : function.cluster_dim)
        if (!is_constant(extent, 1))
            return NeedsGpu{"runs in clusters of blocks", function.origin.span};
    for (const VarRef& param : function.params)
        if (is_tensor_map(param->type))
            return NeedsGpu{cat("takes the tensor map '", param->name, "'"), param->origin.span};
    GpuFinder finder(module);
    finder.walk(NodeRef(function.body));
    return finder.found;
}

// ---- sync points as statements ---------------------------------------------------------------------------------------------

namespace {

class JointLifter : public Lifter {
public:
    using Lifter::Lifter;
    std::unordered_map<const Var*, VarRef> results;

protected:
    using Lifter::visit;
    ExprRef visit(const Intrinsic& e) override {
        const SyncPoint point = sync_point_of(e);
        if (point == SyncPoint::None)
            return Lifter::visit(e);
        if (e.type->kind == Kind::VoidType) {
            lift_from(e, make_evaluate(Lifter::visit(e)));
            return nothing();
        }
        ExprVec args = in_order(e.args);
        VarRef given = make_var("given", given_type(e, args));
        lift_from(e, make_declare(given, given_value(e, args)));
        const IntrinsicId barrier = point == SyncPoint::Block ? IntrinsicId::SyncThreads : IntrinsicId::SyncWarp;
        lift_from(e, make_evaluate(make_intrinsic(barrier, {}, void_type())));
        VarRef result = make_var(std::string(info(e.id).short_name()), e.type);
        lift_from(e, make_let_stmt(result, make_intrinsic(e.attr, std::move(args), e.type)));
        add_own(*result);
        results[result.get()] = given;
        return result;
    }

private:
    // What others take: the value that is shuffled, or the predicate of a vote.
    static ExprRef* operand(const Intrinsic& e, ExprVec& args) {
        switch (e.id) {
        case IntrinsicId::ActiveMask:
        case IntrinsicId::ElectSync: return nullptr;
        case IntrinsicId::SyncThreadsCount:
        case IntrinsicId::SyncThreadsAnd:
        case IntrinsicId::SyncThreadsOr: return &args.at(0);
        default: return &args.at(1);
        }
    }
    static TypeRef given_type(const Intrinsic& e, ExprVec& args) {
        const ExprRef* value = operand(e, args);
        return value ? value_type((*value)->type) : data_type(DType::Bool);
    }
    static ExprRef given_value(const Intrinsic& e, ExprVec& args) {
        const ExprRef* value = operand(e, args);
        return value ? *value : bool_constant(true);
    }
    void lift_from(const Intrinsic& e, StmtRef stmt) {
        set_origin(stmt, {e.origin.span, pass()});
        lift(std::move(stmt));
    }
};

} // namespace

Separated with_sync_points_apart(const FunctionRef& kernel, const Module& module, PassId pass) {
    Uses uses = uses_in(*kernel, &module);
    JointLifter lifter(pass, module, uses);
    FunctionRef lifted = with_body(kernel, lifter.rewrite(kernel->body));
    return {std::move(lifted), std::move(lifter.results)};
}

// ---- returns ----------------------------------------------------------------------------------------------------------

namespace {

class ReturnRewriter : public Rewriter {
public:
    explicit ReturnRewriter(PassId pass) : Rewriter(pass), left(make_var("left", data_type(DType::Bool))) {}
    const VarRef left; // the thread has returned, from a loop
    bool uses_left = false;

protected:
    using Rewriter::visit;
    StmtRef visit(const ReturnStmt&) override {
        if (m_loops == 0)
            return make_break();
        m_has_left = uses_left = true;
        return make_seq({make_assign(left, bool_constant(true)), make_break()});
    }
    StmtRef visit(const ForStmt& s) override { return loop(s); }
    StmtRef visit(const WhileStmt& s) override { return loop(s); }
    TypeRef visit(const TensorType& type) override { return self(type); }
    TypeRef visit(const TensorPointerType& type) override { return self(type); }

private:
    template <class T>
    StmtRef loop(const T& s) {
        const bool outer = std::exchange(m_has_left, false);
        ++m_loops;
        StmtRef result = rebuild(s);
        --m_loops;
        if (m_has_left)
            result = make_seq({result, make_if(left, make_break())});
        m_has_left = m_has_left || outer;
        return result;
    }
    int m_loops = 0;
    bool m_has_left = false; // from the loop
};

} // namespace

WithoutReturns without_returns(const StmtRef& body, PassId pass) {
    WithoutReturns result;
    each_node(body, [&](const IfStmt& s) { result.written.emplace(&s, self(s)); });
    ReturnRewriter rewriter(pass);
    result.body = run_once(rewriter.rewrite(body));
    if (!result.body)
        result.body = make_seq({});
    if (!rewriter.uses_left)
        return result;
    StmtRef declare = make_declare(rewriter.left, bool_constant(false));
    set_origin(declare, {body->origin.span, pass});
    result.body = make_seq({declare, result.body});
    return result;
}

} // namespace hidet::compiler
