// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/exits.h"

#include "compiler/analysis/range_rewriter.h"
#include "compiler/ir/family.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/functions.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

using namespace ir;

static void find_exits(const Stmt& stmt, LoopExits& exits) {
    switch (kind_of(stmt)) {
    case StmtKind::BreakStmt: exits.breaks = true; return;
    case StmtKind::ContinueStmt: exits.continues = true; return;
    case StmtKind::SeqStmt:
        for (const StmtRef& inner : static_cast<const SeqStmt&>(stmt).stmts)
            find_exits(*inner, exits);
        return;
    case StmtKind::IfStmt: {
        const auto& branch = static_cast<const IfStmt&>(stmt);
        find_exits(*branch.then_body, exits);
        if (branch.else_body)
            find_exits(*branch.else_body, exits);
        return;
    }
    case HIDET_PLAIN_STMTS:
    case HIDET_LOOP_STMTS:
    case StmtKind::ReturnStmt: return;
    }
}

LoopExits exits_of(const StmtRef& body) {
    LoopExits exits;
    if (body)
        find_exits(*body, exits);
    return exits;
}

StmtRef before_breaks(const StmtRef& stmt, const StmtRef& what) {
    if (!exits_of(stmt).breaks)
        return stmt;
    StmtRef result;
    if (stmt->kind == Kind::BreakStmt) {
        result = make_seq({what, stmt});
    } else if (const auto* seq = as<SeqStmt>(stmt)) {
        StmtVec stmts = transformed(seq->stmts, [&](const StmtRef& inner) { return before_breaks(inner, what); });
        result = make_seq(std::move(stmts));
    } else {
        const auto* branch = as<IfStmt>(stmt);
        HIDET_CHECK(branch, "only branches and sequences hold the breaks of a loop");
        result =
            make_if(branch->condition, before_breaks(branch->then_body, what), before_breaks(branch->else_body, what));
    }
    set_origin(result, stmt->origin);
    return result;
}

namespace {

// Each exit nests what follows one level deeper.
constexpr int max_branches = 8;

class Straightener {
public:
    bool failed = false;

    // What runs from `stmts[from]` on.
    StmtRef run(const StmtVec& stmts, std::size_t from) {
        StmtVec result;
        for (std::size_t i = from; i < stmts.size() && !failed; ++i) {
            const StmtRef& stmt = stmts[i];
            if (stmt->kind == Kind::BreakStmt || stmt->kind == Kind::ContinueStmt)
                break;
            if (!exits_of(stmt).any()) {
                result.push_back(stmt);
                continue;
            }
            result.push_back(branch(*as<IfStmt>(stmt), stmts, i + 1));
            break; // the rest is inside of the branch
        }
        return result.empty() ? nullptr : make_seq(std::move(result));
    }

private:
    StmtRef branch(const IfStmt& stmt, const StmtVec& stmts, std::size_t next) {
        bool then_leaves = always_leaves(*stmt.then_body);
        bool else_leaves = stmt.else_body && always_leaves(*stmt.else_body);
        bool then_exits = exits_of(stmt.then_body).any();
        bool else_exits = exits_of(stmt.else_body).any();
        bool is_last = next == stmts.size() || (then_leaves && else_leaves);
        StmtVec then_stmts = statements_of(stmt.then_body);
        StmtVec else_stmts = statements_of(stmt.else_body);
        bool needs_copies = !is_last && !(then_leaves && !else_exits) && !(else_leaves && !then_exits);
        if (needs_copies || ++m_branches > max_branches) {
            failed = true;
            return nullptr;
        }
        if (!is_last) { // the side that goes on takes the rest along
            StmtVec& going_on = then_leaves ? else_stmts : then_stmts;
            going_on.insert(going_on.end(), stmts.begin() + static_cast<std::ptrdiff_t>(next), stmts.end());
        }
        StmtRef result = make_branch(stmt.condition, run(then_stmts, 0), run(else_stmts, 0));
        set_origin(result, stmt.origin);
        return result;
    }

    static StmtRef make_branch(const ExprRef& condition, StmtRef then_body, StmtRef else_body) {
        if (!then_body && else_body)
            return make_if(logical_not(condition), std::move(else_body));
        return make_if(condition, std::move(then_body), std::move(else_body));
    }

    int m_branches = 0;
};

} // namespace

Straightened without_exits(const StmtRef& body) {
    Straightener straightener;
    StmtRef result = straightener.run(statements_of(body), 0);
    if (straightener.failed)
        return {};
    return {true, std::move(result)};
}

StmtRef run_once(const StmtRef& body) {
    if (!exits_of(body).any())
        return body;
    Straightened straight = without_exits(body);
    if (straight.done)
        return straight.body;
    return make_for(make_var("once", data_type(DType::I32)), int_constant(1), {}, body);
}

} // namespace hidet::compiler
