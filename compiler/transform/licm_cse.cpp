// SPDX-License-Identifier: Apache-2.0
// Loop-invariant code motion (LICM) and common subexpression elimination (CSE): index arithmetic that a loop does not change moves
// before the loop, and lets of the same value become one. Unrolled and nested mapping loops are full of both: every copy of a
// body divides the thread index the same way.
//
// A let moves if its value is the same wherever it is evaluated, costs a division or more (an addition is cheaper than a
// register that lives through the loop), and cannot fail: the loop might not have run it. Lets that passes made become the
// earlier let of the same value; a name of the script stays as a second name, unless that is the name already.
//
// Needs: lets are immutable; loops that only the loop steers.
// Guarantees: loads, calls and synchronisation stay where they are.
// Why here: after the last unrolling.
#include <vector>

#include "compiler/analysis/same.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

// The loops that must be around a value, and whether it is worth moving.
struct ValueInfo {
    ValueInfo(const ExprRef& value, const std::unordered_map<const Var*, int>& depths) {
        each_node(
            value,
            [&](const Var& var) {
                auto found = depths.find(&var);
                depth = std::max(depth, found == depths.end() ? 0 : found->second);
            },
            [&](const Binary& expr) { is_costly = is_costly || is_division(expr.op); },
            [&](const Intrinsic&) { is_costly = true; });
    }
    int depth = 0;
    bool is_costly = false;
};

class Hoister : public Rewriter {
public:
    Hoister(PassId pass, const Uses& uses) : Rewriter(pass), m_uses(uses) {}

    StmtRef run(const StmtRef& body) {
        m_levels.emplace_back();
        StmtRef result = rewrite(body);
        return with_hoisted(m_levels.back(), std::move(result));
    }

protected:
    using Rewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        StmtRef rebuilt = rebuild(stmt);
        const auto* declare = as<DeclareStmt>(rebuilt);
        if (!declare->is_let || effect_of(declare->init, m_uses) != Effect::None)
            return defined(*declare->var, rebuilt);
        const ValueInfo info(declare->init, m_depths);
        if (const VarRef* same = find_same(declare->init))
            return as_other_name(*declare, *same, rebuilt);
        int depth = static_cast<int>(m_levels.size()) - 1;
        bool moves = info.is_costly && info.depth < depth && !may_fail(declare->init);
        int target = moves ? info.depth : depth;
        m_depths[declare->var.get()] = target;
        // A let that stays is known until the end of its block, one that moves until the end of the block it moves to.
        remember(declare->init, declare->var, target);
        if (!moves)
            return rebuilt;
        m_levels[static_cast<std::size_t>(target) + 1].before.push_back(std::move(rebuilt));
        return nullptr;
    }
    StmtRef visit(const ForStmt& stmt) override {
        ExprRef extent = rewrite(stmt.extent);
        return in_loop([&] {
            m_depths[stmt.var.get()] = static_cast<int>(m_levels.size()) - 1;
            StmtRef body = rewrite(stmt.body);
            bool same = extent == stmt.extent && body == stmt.body;
            return same ? self(stmt) : StmtRef(make_for(stmt.var, extent, stmt.attr, std::move(body)));
        });
    }
    StmtRef visit(const WhileStmt& stmt) override {
        return in_loop([&] { return StmtRef(rebuild(stmt)); });
    }
    StmtRef visit(const SeqStmt& stmt) override {
        return in_block([&] { return StmtRef(rebuild(stmt)); });
    }
    StmtRef visit(const IfStmt& stmt) override {
        ExprRef condition = rewrite(stmt.condition);
        auto branch = [&](const StmtRef& body) { return in_block([&] { return rewrite(body); }); };
        StmtRef then_body = branch(stmt.then_body);
        StmtRef else_body = branch(stmt.else_body);
        if (condition == stmt.condition && then_body == stmt.then_body && else_body == stmt.else_body)
            return self(stmt);
        return make_if(condition, std::move(then_body), std::move(else_body));
    }
    TypeRef visit(const TensorType& type) override { return self(type); }
    TypeRef visit(const TensorPointerType& type) override { return self(type); }

private:
    struct Known {
        std::size_t hash;
        ExprRef value;
        VarRef var;
        int depth; // of the level whose end forgets it
    };
    struct Level {      // a loop, or the function
        StmtVec before; // what goes before the loop
    };

    StmtRef defined(const Var& var, StmtRef stmt) {
        m_depths[&var] = static_cast<int>(m_levels.size()) - 1;
        return stmt;
    }

    const VarRef* find_same(const ExprRef& value) const {
        std::size_t hash = hash_expr(value);
        for (const Known& known : m_known)
            if (known.hash == hash && same_expr(known.value, value))
                return &known.var;
        return nullptr;
    }
    void remember(const ExprRef& value, const VarRef& var, int depth) {
        m_known.push_back({hash_expr(value), value, var, depth});
    }

    StmtRef as_other_name(const DeclareStmt& declare, const VarRef& same, const StmtRef& rebuilt) {
        bool is_own_name =
            declare.var->origin.known() && declare.var->origin.pass == 0 && declare.var->name != same->name;
        if (!same_type(declare.var->type, same->type))
            return defined(*declare.var, rebuilt);
        if (is_own_name) // stands here, wherever the other one is: what moves out of a loop cannot use it
            return defined(*declare.var, make_let_stmt(declare.var, same));
        m_depths[declare.var.get()] = m_depths[same.get()];
        replace(declare.var, same);
        return nullptr;
    }

    // What is learnt inside of a block is forgotten at its end, but for what moved out of the loops around it.
    template <class F>
    StmtRef in_block(F&& f) {
        std::size_t mark = m_known.size();
        StmtRef result = f();
        int depth = static_cast<int>(m_levels.size()) - 1;
        std::vector<Known> kept;
        for (std::size_t i = mark; i < m_known.size(); ++i)
            if (m_known[i].depth < depth)
                kept.push_back(std::move(m_known[i]));
        m_known.resize(mark);
        m_known.insert(m_known.end(), kept.begin(), kept.end());
        return result;
    }
    template <class F>
    StmtRef in_loop(F&& f) {
        m_levels.emplace_back();
        StmtRef loop = in_block(f);
        Level level = std::move(m_levels.back());
        m_levels.pop_back();
        return with_hoisted(level, std::move(loop));
    }
    static StmtRef with_hoisted(Level& level, StmtRef stmt) {
        if (level.before.empty())
            return stmt;
        level.before.push_back(std::move(stmt));
        return make_seq(std::move(level.before));
    }

    const Uses& m_uses;
    std::vector<Level> m_levels;
    std::vector<Known> m_known;
    std::unordered_map<const Var*, int> m_depths;
};

} // namespace

ModuleRef licm_cse(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        Uses uses = uses_in(*function, module.get());
        Hoister hoister(context.pass, uses);
        return with_body(function, hoister.run(function->body));
    });
}

} // namespace hidet::compiler
