// SPDX-License-Identifier: Apache-2.0
// The variables of a kernel's threads that several regions know, and how a region reads and writes them.
#pragma once

#include <functional>
#include <map>

#include "compiler/ir/rewrite.h"
#include "compiler/transform/regions.h"

namespace hidet::compiler {

struct KeptVariable {
    ir::VarRef array;           // over the threads of the block, or the lanes of a warp
    bool of_warp = false;       // the latter
    bool in_place = false;      // used where it lies; else a region has a copy
    bool is_pointed_at = false; // an array that somebody may point into
};

class KeptVariables {
public:
    // `threads`: for how many threads of a block there is an element.
    KeptVariables(const Plan& plan, const Uses& uses, std::int64_t threads);
    const KeptVariable* find(const ir::Var& var) const {
        const auto found = m_kept.find(&var);
        return found == m_kept.end() ? nullptr : &found->second;
    }

private:
    friend class KeptFinder;
    std::unordered_map<const ir::Var*, KeptVariable> m_kept;
};

// Writes what one thread does, or what all do together, said of one of them.
class KeptRewriter : public ir::Rewriter {
public:
    KeptRewriter(PassId pass, const KeptVariables& kept, const Plan& plan)
        : Rewriter(pass), m_kept(kept), m_plan(plan) {}

    // The thread: its number in the block and its lane, which may be null; what stands for threadIdx and its like.
    ir::ExprRef linear, lane;
    std::map<ir::Builtin, ir::ExprRef> builtins{};
    std::function<ir::VarRef()> dynamic_memory;
    // Where arrays are declared that it needs.
    ir::StmtVec* of_block = nullptr;
    ir::StmtVec* of_warp = nullptr;
    ir::StmtVec shared; // declarations of shared tensors that were met

    // The cheap lets that a node needs, as statements.
    void bring_lets(const ir::Node& node, ir::StmtVec& stmts);
    void write(const Region& region, ir::StmtVec& stmts);

protected:
    using Rewriter::visit;
    ir::ExprRef visit(const ir::Var& var) override;
    ir::ExprRef visit(const ir::BuiltinVar& expr) override { return builtins.at(expr.which); }
    ir::ExprRef visit(const ir::TensorElement& expr) override;
    ir::ExprRef visit(const ir::Intrinsic& expr) override;
    ir::StmtRef visit(const ir::EvaluateStmt& stmt) override;
    ir::StmtRef visit(const ir::StoreStmt& stmt) override;
    ir::StmtRef visit(const ir::AssignStmt& stmt) override;
    ir::StmtRef visit(const ir::DeclareStmt& stmt) override;
    ir::StmtRef visit(const ir::ForStmt& stmt) override;
    ir::TypeRef visit(const ir::TensorType& type) override { return ir::self(type); }
    ir::TypeRef visit(const ir::TensorPointerType& type) override { return ir::self(type); }
    ir::TypeRef visit(const ir::PointerType& type) override { return ir::self(type); }

private:
    ir::ExprRef index_of(const KeptVariable& kept) const { return kept.of_warp ? lane : linear; }
    ir::ExprRef element_of_thread(const KeptVariable& kept);
    ir::ExprRef array_of(const KeptVariable& kept);
    const KeptVariable* without_copy(const ir::ExprRef& base) const;
    void take_array(const ir::Var& var, const KeptVariable& kept, bool is_declared, bool is_written, ir::StmtVec& stmts,
                    ir::StmtVec& after);
    void take_value(const ir::Var& var, const KeptVariable& kept, bool is_declared, bool is_written, ir::StmtVec& stmts,
                    ir::StmtVec& after);
    ir::ExprVec indices_in(const KeptVariable& kept, const ir::Var& var, const ir::ExprVec& indices);
    ir::ExprRef taken_from(const ir::VarRef& given, const ir::Intrinsic& shuffle);
    ir::StmtRef copied(const ir::Var& var, const KeptVariable& kept, const ir::VarRef& local, bool out);

    const KeptVariables& m_kept;
    const Plan& m_plan;
    std::unordered_set<const ir::Var*> m_brought;
    std::unordered_map<const ir::Var*, ir::VarRef> m_copies; // in the region
    std::unordered_set<const ir::Var*> m_array_indices;
    std::int64_t m_unrolled = 0; // what unrolled loops before this one come to, of the loop around it
};

} // namespace hidet::compiler
