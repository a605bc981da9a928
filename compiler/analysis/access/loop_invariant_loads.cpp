// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/loop_invariant_loads.h"

#include <unordered_set>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

constexpr std::int64_t most_held_registers = 32; // of a thread, for one load

using Variables = std::unordered_set<const Var*>;

struct LoopFacts {
    bool writes_shared = false, writes_global = false;
    bool acts = false; // what another thread writes may show: barriers, atomics, calls, assembly; or it may end early
    Variables changed; // in its turns
    std::int64_t trips = 0;
};
using Loops = std::unordered_map<const Stmt*, LoopFacts>;

// What each loop does, its inner loops included.
class FactsOfLoops : public Walker {
public:
    explicit FactsOfLoops(const Function& kernel) {
        for (const VarRef& param : kernel.params)
            m_params.insert(param.get());
        walk(kernel.body);
    }
    Loops loops;

protected:
    using Walker::visit;
    void visit(const ForStmt& loop) override {
        LoopFacts& facts = loops[&loop];
        const auto extent = constant_int(loop.extent);
        facts.trips = extent.value_or(0);
        m_around.push_back(&loop);
        change(*loop.var);
        walk_children(loop);
        m_around.pop_back();
    }
    void visit(const WhileStmt& loop) override {
        loops[&loop];
        m_around.push_back(&loop);
        act();
        walk_children(loop);
        m_around.pop_back();
    }
    void visit(const DeclareStmt& stmt) override {
        if (stmt.scope == Scope::Shared)
            m_shared.insert(stmt.var.get());
        else if (is_array(stmt.var->type))
            m_registers.insert(stmt.var.get());
        change(*stmt.var);
        walk_children(stmt);
    }
    void visit(const AssignStmt& stmt) override {
        change(*stmt.var);
        walk_children(stmt);
    }
    void visit(const StoreStmt& stmt) override {
        const auto* base = as<Var>(stmt.base);
        const bool is_register = base && m_registers.contains(base);
        const bool is_shared = base && m_shared.contains(base), is_global = base && m_params.contains(base);
        for (const Stmt* loop : m_around) {
            LoopFacts& facts = loops[loop];
            facts.writes_shared = facts.writes_shared || (!is_register && !is_global);
            facts.writes_global = facts.writes_global || (!is_register && !is_shared);
        }
        walk_children(stmt);
    }
    void visit(const Address& expr) override { // through which it may be changed
        if (const auto* var = as<Var>(expr.place))
            change(*var);
        walk_children(expr);
    }
    void visit(const Intrinsic& expr) override {
        if (info(expr.id).effect != IntrinsicEffect::Pure)
            act();
        walk_children(expr);
    }
    void visit(const Call& expr) override {
        act();
        walk_children(expr);
    }
    void visit(const AsmStmt& stmt) override {
        act();
        walk_children(stmt);
    }
    void visit(const BreakStmt&) override { act(); }
    void visit(const ContinueStmt&) override { act(); }
    void visit(const ReturnStmt& stmt) override {
        act();
        walk_children(stmt);
    }
    void visit(const AssertStmt& stmt) override {
        act();
        walk_children(stmt);
    }

private:
    void act() {
        for (const Stmt* loop : m_around)
            loops[loop].acts = true;
    }
    void change(const Var& var) {
        for (const Stmt* loop : m_around)
            loops[loop].changed.insert(&var);
    }
    std::vector<const Stmt*> m_around;
    Variables m_params, m_shared, m_registers;
};

// Whether a condition may be another one in another turn.
bool may_change(const ExprRef& condition, const Variables& changed) {
    return any_of_nodes(
        condition, [&](const Var& var) { return changed.contains(&var); }, [](const TensorElement&) { return true; },
        [](const Deref&) { return true; }, [](const Call&) { return true; },
        [](const Intrinsic& expr) { return info(expr.id).effect != IntrinsicEffect::Pure; });
}

class LoadsInLoops : public Walker {
public:
    LoadsInLoops(const Function& kernel, Loops loops) : m_loops(std::move(loops)) { walk(kernel.body); }
    LoopInvariantLoads loads;

protected:
    using Walker::visit;
    void visit(const ForStmt& loop) override { enter(loop); }
    void visit(const WhileStmt& loop) override { enter(loop); }
    void visit(const IfStmt& branch) override {
        walk(branch.condition);
        under(branch.condition, [&] {
            walk(branch.then_body);
            walk(branch.else_body);
        });
    }
    void visit(const Select& expr) override {
        walk(expr.condition);
        under(expr.condition, [&] {
            walk(expr.a);
            walk(expr.b);
        });
    }
    void visit(const Binary& expr) override {
        if (expr.op != BinOp::And && expr.op != BinOp::Or)
            return walk_children(expr);
        walk(expr.a);
        under(expr.a, [&] { walk(expr.b); });
    }
    void visit(const TensorElement& expr) override { load(expr); }
    void visit(const Deref& expr) override { load(expr); }

private:
    struct Around {
        const LoopFacts* facts = nullptr;
        bool is_varied = false; // a condition between it and this place may differ from turn to turn
    };

    void enter(const Stmt& loop) {
        m_around.push_back({&m_loops[&loop], false});
        walk_children(loop);
        m_around.pop_back();
    }
    template <class F>
    void under(const ExprRef& condition, F&& body) {
        const std::vector<Around> before = m_around;
        for (Around& each : m_around)
            each.is_varied = each.is_varied || may_change(condition, each.facts->changed);
        body();
        m_around = before;
    }
    void load(const Expr& expr) {
        HeldOver shared, global;
        // An inner loop that runs another number of times in another turn of an outer one is none that is held over.
        bool are_constant = true;
        for (std::size_t i = m_around.size(); i-- > 0;) {
            const LoopFacts& facts = *m_around[i].facts;
            are_constant = are_constant && facts.trips > 0;
            const bool may = are_constant && !facts.acts && !m_around[i].is_varied;
            shared.loops.insert(shared.loops.begin(), {may && !facts.writes_shared, facts.trips});
            global.loops.insert(global.loops.begin(), {may && !facts.writes_global, facts.trips});
        }
        add(loads.of_shared, expr, std::move(shared));
        add(loads.of_global, expr, std::move(global));
        walk_children(expr);
    }
    // An expression that stands in several places is held in none.
    static void add(std::unordered_map<const Node*, HeldOver>& to, const Expr& expr, HeldOver over) {
        const auto [at, is_new] = to.try_emplace(&expr, std::move(over));
        if (!is_new)
            at->second = {};
    }
    Loops m_loops;
    std::vector<Around> m_around;
};

} // namespace

// A loop in whose turns the address differs leaves a register for each; what is around it has to hold all of them.
void hold(Access& access, const HeldOver& over) {
    if (access.kind != AccessKind::Load || access.counted != Counted::Exact || access.form == Form::Unknown ||
        access.is_of_data || access.around.size() < over.loops.size())
        return;
    const std::size_t first = access.around.size() - over.loops.size();
    std::int64_t registers = (access.lane_bytes + 3) / 4;
    double times = 1;
    for (std::size_t i = over.loops.size(); i-- > 0 && over.loops[i].trips == access.around[first + i].trips;) {
        const Around& around = access.around[first + i];
        const bool is_same = !around.matters && around.by.value_or(0) == 0;
        if (!is_same)
            registers *= around.trips;
        if (registers > most_held_registers || (is_same && !over.loops[i].may_hold))
            break;
        if (is_same && around.trips > 1)
            times *= static_cast<double>(around.trips),
                access.held_over.insert(access.held_over.begin(), around.variable);
    }
    access.held = access.sums;
    for (double* each : {&access.held.requests, &access.held.bytes, &access.held.units, &access.held.least})
        *each /= times;
}

LoopInvariantLoads held_loads(const Function& kernel) {
    return std::move(LoadsInLoops(kernel, FactsOfLoops(kernel).loops).loads);
}

} // namespace hidet::compiler::access
