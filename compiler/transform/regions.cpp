// SPDX-License-Identifier: Apache-2.0
// A statement with a sync point of the block stands outside of the loop over threads, one with a sync point of the warp inside of a loop
// over warps and outside of one over lanes, all others inside. So the conditions and extents of the first must be the same in
// all threads of the block, of the second in all threads of the warp. A branch in a warp that is not is taken by all: the
// condition is kept for each thread, and says which of them run what is in the branch.
#include "compiler/transform/regions.h"

#include <algorithm>

#include "compiler/ir/family.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/functions.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::uint32_t cheap_size = 48; // nodes

enum class Reach : std::uint8_t { Warp, Block }; // what regions are of

class Planner {
public:
    Planner(const Separated& separated, const WithoutReturns& body, const Uniformity& uniformity, const Uses& uses)
        : m_separated(separated), m_body(body), m_uniformity(uniformity), m_uses(uses) {}

    Plan run() {
        m_plan.regions = list(statements_of(m_body.body), Reach::Block, nullptr);
        return std::move(m_plan);
    }

private:
    // ---- where sync points are ----

    bool is_result(const StmtRef& stmt) const {
        const auto* declare = as<DeclareStmt>(stmt);
        return declare && m_separated.results.contains(declare->var.get()) && as<Intrinsic>(declare->init);
    }
    static SyncPoint barrier(const StmtRef& stmt) {
        const auto* evaluate = as<EvaluateStmt>(stmt);
        const auto* call = evaluate ? as<Intrinsic>(evaluate->value) : nullptr;
        return call ? sync_point_of(*call) : SyncPoint::None;
    }
    // The widest in the statement.
    SyncPoint sync_point_in(const StmtRef& stmt) {
        if (!stmt)
            return SyncPoint::None;
        auto [known, is_new] = m_sync_points.emplace(stmt.get(), SyncPoint::None);
        if (!is_new)
            return known->second;
        SyncPoint widest = barrier(stmt);
        for_each_child(*stmt, [&](const Node* child) {
            if (child && is_stmt(*child))
                widest = std::max(widest, sync_point_in(StmtRef(static_cast<const Stmt*>(child))));
        });
        return m_sync_points[stmt.get()] = widest;
    }
    // It leaves a loop around it.
    static bool leaves(const StmtRef& stmt) {
        if (!stmt)
            return false;
        switch (kind_of(*stmt)) {
        case HIDET_EXIT_STMTS: return true;
        case HIDET_LOOP_STMTS:
        case HIDET_PLAIN_STMTS: return false;
        case StmtKind::SeqStmt:
        case StmtKind::IfStmt: break;
        }
        bool found = false;
        for_each_child(*stmt, [&](const Node* child) {
            found = found || (child && is_stmt(*child) && leaves(StmtRef(static_cast<const Stmt*>(child))));
        });
        return found;
    }
    bool stands_outside(const StmtRef& stmt, Reach reach) {
        return leaves(stmt) || sync_point_in(stmt) >= (reach == Reach::Block ? SyncPoint::Block : SyncPoint::Warp);
    }

    // ---- lists of statements ----

    std::vector<Region> list(const StmtVec& stmts, Reach reach, const VarRef& guard) {
        std::vector<Region> regions;
        StmtVec together; // what the threads do until the next sync point
        const auto cut = [&] {
            if (together.empty())
                return;
            const bool has_warps =
                reach == Reach::Block && std::any_of(together.begin(), together.end(), [&](const StmtRef& each) {
                    return sync_point_in(each) == SyncPoint::Warp || is_result(each);
                });
            Region region{.kind = has_warps ? Region::Kind::Warps : Region::Kind::Threads, .guard = guard};
            if (has_warps)
                region.body = list(together, Reach::Warp, guard);
            else
                region.stmts = std::move(together);
            regions.push_back(std::move(region));
            together.clear();
        };
        for (const StmtRef& stmt : stmts) {
            if (barrier(stmt) == (reach == Reach::Block ? SyncPoint::Block : SyncPoint::Warp)) {
                cut();
            } else if (is_result(stmt) && belongs_here(stmt, reach)) {
                cut();
                result(*as<DeclareStmt>(stmt), guard, regions, together);
            } else if (stands_outside(stmt, reach)) {
                cut();
                outside(stmt, reach, guard, regions);
            } else if (const auto* let = cheap_let(stmt)) {
                const Varies varies = m_uniformity.of(ExprRef(let->var));
                if (varies == Varies::Not || (varies == Varies::BetweenWarps && reach == Reach::Warp))
                    regions.push_back({.kind = Region::Kind::Once, .stmt = stmt});
                else
                    m_plan.cheap.push_back(let);
            } else if (const auto* declare = as<DeclareStmt>(stmt); declare && declare->scope == Scope::Shared) {
                m_plan.shared.push_back(stmt);
            } else {
                stay_in_threads(stmt, together);
            }
        }
        cut();
        return regions;
    }
    void stay_in_threads(const StmtRef& stmt, StmtVec& together) {
        if (const auto* declare = as<DeclareStmt>(stmt))
            m_in_threads.insert(declare->var.get());
        together.push_back(stmt);
    }

    // ---- lets ----

    // The same whenever it is evaluated, wherever its variables are known, and for about as much as a load.
    const DeclareStmt* cheap_let(const StmtRef& stmt) const {
        const auto* let = as<DeclareStmt>(stmt);
        if (!let || !let->is_let || let->init->size > cheap_size || is_result(stmt) || is_array(let->var->type))
            return nullptr;
        const bool is_plain = !any_node(*let->init, [&](const Node& node) {
            switch (node.kind) {
            case Kind::TensorElement:
            case Kind::Deref:
            case Kind::Call:
            case Kind::Let:
            case Kind::Address: return true;
            case Kind::Intrinsic: return static_cast<const Intrinsic&>(node).id != IntrinsicId::DynamicSharedMemory;
            case Kind::Var: return !is_settled(static_cast<const Var&>(node));
            default: return false;
            }
        });
        return is_plain && effect_of(let->init, m_uses) == Effect::None && !may_fail(let->init) ? let : nullptr;
    }
    // Known wherever the let is: a parameter, the variable of a loop around regions, or such a let.
    bool is_settled(const Var& var) const { return !is_array(var.type) && !m_in_threads.contains(&var); }

    // ---- results of what threads do together ----

    bool belongs_here(const StmtRef& stmt, Reach reach) const {
        const auto& call = *as<Intrinsic>(as<DeclareStmt>(stmt)->init);
        return (sync_point_of(call) == SyncPoint::Block) == (reach == Reach::Block);
    }
    void result(const DeclareStmt& let, const VarRef& guard, std::vector<Region>& regions, StmtVec& together) {
        const auto& call = *as<Intrinsic>(let.init);
        const VarRef& given = m_separated.results.at(let.var.get());
        if (call.id == IntrinsicId::ElectSync)
            return put(let, lowest_of(call.args.at(0)), together);
        if (info(call.id).does == Does::Exchanges && !is_vote(call.id)) {
            m_plan.given[let.var.get()] = given;
            m_plan.kept.insert(given.get());
            return stay_in_threads(self(let), together);
        }
        m_plan.kept.insert(given.get());
        const bool is_of_block = sync_point_of(call) == SyncPoint::Block;
        VarRef tally = make_var("tally", data_type(is_of_block ? DType::I32 : DType::U32));
        set_origin(tally, let.origin);
        regions.push_back({.kind = Region::Kind::Tally,
                           .stmt = self(let),
                           .guard = guard,
                           .var = tally,
                           .given = given,
                           .vote = &call});
        put(let, outcome(call, tally), together);
    }
    static bool is_vote(IntrinsicId id) {
        return id == IntrinsicId::BallotSync || id == IntrinsicId::AnySync || id == IntrinsicId::AllSync ||
               id == IntrinsicId::ActiveMask;
    }
    void put(const DeclareStmt& let, const ExprRef& value, StmtVec& together) {
        StmtRef stmt = make_let_stmt(let.var, value);
        set_origin(stmt, let.origin);
        stay_in_threads(stmt, together);
    }
    // Of what the tally has: the lanes that say yes (of AllSync: no), the threads of the block that do.
    static ExprRef outcome(const Intrinsic& call, const VarRef& tally) {
        const auto asked = [&] { return bit_and(tally, cast_to(call.args.at(0), DType::U32)); };
        const auto flag = [](const ExprRef& condition) { return cast_to(condition, DType::I32); };
        switch (call.id) {
        case IntrinsicId::BallotSync: return asked();
        case IntrinsicId::AnySync: return flag(not_equal(asked(), int_constant(0, DType::U32)));
        case IntrinsicId::AllSync: return flag(equal(asked(), int_constant(0, DType::U32)));
        case IntrinsicId::SyncThreadsAnd: return flag(equal(tally, int_constant(0)));
        case IntrinsicId::SyncThreadsOr: return flag(not_equal(tally, int_constant(0)));
        default: return tally; // a count, or the lanes that are here
        }
    }
    static ExprRef lowest_of(const ExprRef& mask) {
        const ExprRef bits = cast_to(mask, DType::U32);
        const ExprRef lane = bit_and(make_builtin(Builtin::ClusterThreadRank), int_constant(warp_threads - 1));
        const ExprRef lowest = bit_and(bits, negate(bits));
        return equal(lowest, shift_left(int_constant(1, DType::U32), cast_to(lane, DType::U32)));
    }

    // ---- loops and branches around sync points ----

    void outside(const StmtRef& stmt, Reach reach, const VarRef& guard, std::vector<Region>& regions) {
        const Varies most = reach == Reach::Block ? Varies::Not : Varies::BetweenWarps;
        if (const auto* loop = as<ForStmt>(stmt)) {
            if (m_uniformity.trips_of(*loop) > most)
                return refuse(*stmt, "waits in a loop that not all threads leave at the same time");
            regions.push_back(
                {.kind = Region::Kind::For, .stmt = stmt, .body = list(statements_of(loop->body), reach, guard)});
        } else if (const auto* repeat = as<WhileStmt>(stmt)) {
            if (m_uniformity.trips_of(*repeat) > most)
                return refuse(*stmt, "waits in a loop that not all threads leave at the same time");
            regions.push_back(
                {.kind = Region::Kind::While, .stmt = stmt, .body = list(statements_of(repeat->body), reach, guard)});
        } else if (const auto* branch = as<IfStmt>(stmt)) {
            if (m_uniformity.of(branch->condition) > most)
                return guarded(*branch, reach, guard, regions);
            regions.push_back({.kind = Region::Kind::If,
                               .stmt = stmt,
                               .body = list(statements_of(branch->then_body), reach, guard),
                               .otherwise = list(statements_of(branch->else_body), reach, guard)});
        } else {
            regions.push_back({.kind = Region::Kind::Once, .stmt = stmt});
        }
    }

    // if c: A else: B. Threads of a block that have returned are not waited for; the others have to be there.
    void guarded(const IfStmt& branch, Reach reach, const VarRef& guard, std::vector<Region>& regions) {
        if (reach == Reach::Block && !m_body.is_guard(branch))
            return refuse(branch, "waits in a branch that not all threads take");
        VarRef taken = keep("taken", guard ? logical_and(guard, branch.condition) : branch.condition, branch, regions);
        VarRef not_taken;
        if (branch.else_body) {
            const ExprRef other = logical_not(taken);
            not_taken = keep("not_taken", guard ? logical_and(guard, other) : other, branch, regions);
        }
        for (const auto& [body, of] : {std::pair{branch.then_body, taken}, std::pair{branch.else_body, not_taken}}) {
            if (!body)
                continue;
            for (Region& region : list(statements_of(body), reach, of))
                regions.push_back(std::move(region));
        }
    }
    VarRef keep(const char* name, const ExprRef& condition, const Stmt& branch, std::vector<Region>& regions) {
        VarRef var = make_var(name, data_type(DType::Bool));
        set_origin(var, branch.origin);
        StmtRef declare = make_declare(var, condition);
        set_origin(declare, branch.origin);
        m_plan.kept.insert(var.get());
        regions.push_back({.kind = Region::Kind::Threads, .stmts = {declare}});
        return var;
    }
    void refuse(const Stmt& stmt, const char* why) {
        if (!m_plan.refusal)
            m_plan.refusal = NeedsGpu{why, stmt.origin.span};
    }

    const Separated& m_separated;
    const WithoutReturns& m_body;
    const Uniformity& m_uniformity;
    const Uses& m_uses;
    Plan m_plan;
    std::unordered_map<const Stmt*, SyncPoint> m_sync_points;
    std::unordered_set<const Var*> m_in_threads;
};

} // namespace

Plan regions_of(const Separated& separated, const WithoutReturns& body, const Uniformity& uniformity,
                const Uses& uses) {
    return Planner(separated, body, uniformity, uses).run();
}

} // namespace hidet::compiler
