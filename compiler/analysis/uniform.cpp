// SPDX-License-Identifier: Apache-2.0
// A fixed point over the assignments of variables: a variable varies as its values do, and as the conditions do under which it
// is assigned. A loop varies as its extent does, and as the conditions under which it is left.
#include "compiler/analysis/uniform.h"

#include <algorithm>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"

namespace hidet::compiler {

using namespace ir;

namespace {

bool is_warps(const ExprRef& expr) { // a constant number of whole warps
    const auto value = constant_int(expr);
    return value && *value > 0 && *value % warp_threads == 0;
}

bool is_local_array(const DeclareStmt& s) {
    return is_array(s.var->type) && s.scope != Scope::Shared && s.scope != Scope::Global;
}

} // namespace

Uniformity::Uniformity(const Function& kernel, const Uses& uses,
                       const std::array<std::optional<std::int64_t>, 3>& block)
    : m_uses(uses), m_block(block) {
    do {
        m_changed = false;
        walk(kernel.body);
    } while (m_changed);
}

void Uniformity::raise(Varies& known, Varies to) {
    if (to <= known)
        return;
    known = to;
    m_changed = true;
}

void Uniformity::define(const Var& var, Varies value) {
    const VarFacts& facts = m_uses.of(var);
    if (facts.addressed || facts.writes > facts.assignments) // by reference, or through an address
        value = Varies::BetweenThreads;
    raise(m_vars[&var], std::max(value, m_control));
}

// ---- expressions ----------------------------------------------------------------------------------------------------

// Each warp has threads with one y and one z: those of a row are whole warps.
bool Uniformity::is_row_of_warps() const {
    const bool is_row = m_block[1] == 1 && m_block[2] == 1;
    return is_row || (m_block[0] && *m_block[0] % warp_threads == 0);
}

// In the threads of a warp: a multiple of 32, and the number of the lane.
bool Uniformity::follows_lane(const ExprRef& expr) const {
    if (const auto* builtin = as<BuiltinVar>(expr))
        return builtin->which == Builtin::ThreadIdxX && is_row_of_warps();
    if (const auto* var = as<Var>(expr)) {
        const auto let = m_lets.find(var);
        return let != m_lets.end() && follows_lane(let->second);
    }
    const auto* b = as<Binary>(expr);
    if (!b || !follows_lane(b->a))
        return false;
    switch (b->op) {
    case BinOp::Mod:
    case BinOp::FloorMod:
    case BinOp::Add:
    case BinOp::Sub: return is_warps(b->b);
    case BinOp::BitAnd: return constant_int(b->b) && (*constant_int(b->b) & 31) == 31;
    default: return false;
    }
}

Varies Uniformity::of_operator(const Binary& e) const {
    if (follows_lane(e.a)) {
        const auto number = constant_int(e.b);
        const bool divides = e.op == BinOp::FloorDiv || e.op == BinOp::Div || e.op == BinOp::Lt;
        const bool keeps_high = e.op == BinOp::BitAnd && number && (*number & 31) == 0;
        const bool shifts = e.op == BinOp::Shr && number && *number >= 5;
        const bool is_last = e.op == BinOp::Le && number && *number >= 0 && *number % warp_threads == 31;
        if ((divides && is_warps(e.b)) || keeps_high || shifts || is_last)
            return Varies::BetweenWarps;
    }
    return std::max(of(e.a), of(e.b));
}

Varies Uniformity::of_intrinsic(const Intrinsic& e) const {
    Varies operands = Varies::Not;
    for (const ExprRef& arg : e.args)
        operands = std::max(operands, of(arg));
    switch (e.id) {
    case IntrinsicId::SyncThreadsCount:
    case IntrinsicId::SyncThreadsAnd:
    case IntrinsicId::SyncThreadsOr: return Varies::Not;
    case IntrinsicId::BallotSync:
    case IntrinsicId::AnySync:
    case IntrinsicId::AllSync:
    case IntrinsicId::MatchAllSync:
    case IntrinsicId::ReduxSync: return std::max(of(e.args.at(0)), Varies::BetweenWarps);
    case IntrinsicId::ActiveMask: return Varies::BetweenWarps;
    case IntrinsicId::ShflSync:
        if (is_constant(e.args.at(3), warp_threads))
            return std::max(of(e.args.at(2)), Varies::BetweenWarps);
        break;
    default: break;
    }
    return acts(e.id) ? Varies::BetweenThreads : operands;
}

Varies Uniformity::of(const ExprRef& expr) const {
    if (!expr)
        return Varies::Not;
    switch (kind_of(*expr)) {
    case ExprKind::Var: {
        const auto* var = as<Var>(expr);
        if (m_local_arrays.contains(var))
            return Varies::BetweenThreads;
        const auto found = m_vars.find(var);
        return found == m_vars.end() ? Varies::Not : found->second;
    }
    case ExprKind::BuiltinVar:
        switch (as<BuiltinVar>(expr)->which) {
        case Builtin::ThreadIdxX:
        case Builtin::ClusterThreadRank: return Varies::BetweenThreads;
        case Builtin::ThreadIdxY:
        case Builtin::ThreadIdxZ: return is_row_of_warps() ? Varies::BetweenWarps : Varies::BetweenThreads;
        default: return Varies::Not;
        }
    case ExprKind::Binary: return of_operator(*as<Binary>(expr));
    case ExprKind::Intrinsic: return of_intrinsic(*as<Intrinsic>(expr));
    case ExprKind::Call: return Varies::BetweenThreads;
    case ExprKind::SymbolVar:
    case ExprKind::Constant:
    case HIDET_MEMORY_EXPRS:
    case HIDET_SHORTHAND_EXPRS:
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::Select:
    case ExprKind::Address: break;
    }
    Varies result = Varies::Not;
    for_each_child(*expr, [&](const Node* child) {
        if (child && is_expr(*child))
            result = std::max(result, of(ExprRef(static_cast<const Expr*>(child))));
    });
    return result;
}

// ---- statements -----------------------------------------------------------------------------------------------------

Varies Uniformity::trips_of(const Stmt& loop) const {
    const auto found = m_trips.find(&loop);
    return found == m_trips.end() ? Varies::BetweenThreads : found->second;
}

void Uniformity::under(Varies control, const StmtRef& body) {
    const Varies outer = m_control;
    m_control = std::max(outer, control);
    walk(body);
    m_control = outer;
}

void Uniformity::walk_loop(const Stmt& loop, Varies trips, const Var* var, const StmtRef& body) {
    Varies& known = m_trips[&loop];
    raise(known, trips);
    const Varies outer = m_control;
    m_control = std::max(outer, known);
    if (var)
        define(*var, known);
    m_loops.push_back(&loop);
    walk(body);
    m_loops.pop_back();
    m_control = outer;
}

void Uniformity::walk(const StmtRef& stmt) {
    if (!stmt)
        return;
    switch (kind_of(*stmt)) {
    case StmtKind::SeqStmt:
        for (const StmtRef& inner : as<SeqStmt>(stmt)->stmts)
            walk(inner);
        return;
    case StmtKind::DeclareStmt: {
        const auto& s = *as<DeclareStmt>(stmt);
        if (is_local_array(s))
            m_local_arrays.insert(s.var.get());
        if (s.is_let)
            m_lets[s.var.get()] = s.init;
        return define(*s.var, of(s.init));
    }
    case StmtKind::AssignStmt: return define(*as<AssignStmt>(stmt)->var, of(as<AssignStmt>(stmt)->value));
    case StmtKind::IfStmt: {
        const auto& s = *as<IfStmt>(stmt);
        under(of(s.condition), s.then_body);
        return under(of(s.condition), s.else_body);
    }
    case StmtKind::ForStmt: {
        const auto& s = *as<ForStmt>(stmt);
        return walk_loop(s, of(s.extent), s.var.get(), s.body);
    }
    case StmtKind::WhileStmt:
        return walk_loop(*stmt, of(as<WhileStmt>(stmt)->condition), nullptr, as<WhileStmt>(stmt)->body);
    case StmtKind::BreakStmt:
    case StmtKind::ContinueStmt:
        if (!m_loops.empty())
            raise(m_trips[m_loops.back()], m_control);
        return;
    case StmtKind::EvaluateStmt:
    case StmtKind::ForMappingStmt:
    case StmtKind::StoreStmt:
    case StmtKind::ReturnStmt:
    case StmtKind::AssertStmt:
    case StmtKind::AsmStmt:
    case StmtKind::CommentStmt:
    case StmtKind::LaunchStmt: return;
    }
}

} // namespace hidet::compiler
