// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/provenance.h"

#include "compiler/ir/rewrite.h"

namespace hidet::graph {

using namespace ir;

namespace {

// Callers first, so that a function's parameters are known when its own calls are looked at.
class ProvenanceWalker : public Walker {
public:
    ProvenanceWalker(const AnchorProgram& program, Provenance& provenance) : m_provenance(provenance) {
        for (const FunctionRef& function : program.functions)
            m_functions.emplace(function->name, function.get());
    }

protected:
    using Walker::visit;
    void visit(const Call& expr) override {
        if (!pass(expr.callee, expr.args))
            walk_children(expr);
    }
    void visit(const LaunchStmt& stmt) override {
        if (!pass(stmt.kernel, stmt.args))
            return walk_children(stmt);
        for (const ExprVec* dims : {&stmt.grid, &stmt.cluster, &stmt.block})
            for (const ExprRef& dim : *dims)
                walk(NodeRef(dim));
        walk(NodeRef(stmt.dynamic_smem_bytes));
    }
    void visit(const TensorElement& expr) override {
        for (const ExprRef& index : expr.indices)
            walk(NodeRef(index));
        if (TensorFacts* facts = facts_of(expr.base))
            facts->is_read = true;
        else
            walk(NodeRef(expr.base));
    }
    void visit(const StoreStmt& stmt) override {
        for (const ExprRef& index : stmt.indices)
            walk(NodeRef(index));
        walk(NodeRef(stmt.value));
        if (TensorFacts* facts = facts_of(stmt.base))
            facts->is_stored = true;
        else
            walk(NodeRef(stmt.base));
    }
    void visit(const Address& expr) override {
        walk_children(expr);
        if (const auto* element = as<TensorElement>(expr.place))
            if (TensorFacts* facts = facts_of(element->base))
                facts->escapes = true;
    }
    void visit(const Var& use) override {
        if (TensorFacts* facts = facts_of(self(use)))
            facts->escapes = true;
    }

private:
    TensorFacts* facts_of(const ExprRef& base) {
        const AnchorTensor* tensor = m_provenance.find(base);
        return tensor ? &m_provenance.facts[*tensor] : nullptr;
    }
    bool pass(const std::string& callee, const ExprVec& args) {
        const auto function = m_functions.find(callee);
        if (function == m_functions.end())
            return false;
        for (std::size_t i = 0; i < args.size(); ++i)
            pass(*function->second->params[i], args[i]);
        return true;
    }
    void pass(const Var& param, const ExprRef& arg) {
        const AnchorTensor* given = m_provenance.find(arg);
        const bool is_first = m_passed.insert(&param).second;
        const auto known = m_provenance.tensors.find(&param);
        if (given && is_first)
            m_provenance.tensors.emplace(&param, *given);
        const bool differs = !is_first && (given == nullptr) != (known == m_provenance.tensors.end());
        const bool clashes = !is_first && given && known != m_provenance.tensors.end() && *given != known->second;
        if (given && (differs || clashes))
            m_provenance.facts[*given].escapes = true;
        if (known != m_provenance.tensors.end() && (differs || clashes))
            m_provenance.facts[known->second].escapes = true;
        if (!given)
            walk(NodeRef(arg));
    }

    Provenance& m_provenance;
    std::unordered_map<std::string, const Function*> m_functions;
    std::set<const Var*> m_passed;
};

} // namespace

Provenance trace_tensors(const AnchorProgram& program) {
    Provenance provenance;
    const auto add = [&](const VarVec& variables, bool is_input) {
        for (std::size_t i = 0; i < variables.size(); ++i)
            if (variables[i])
                provenance.tensors.emplace(variables[i].get(), AnchorTensor{is_input, i});
    };
    add(program.inputs, true);
    add(program.outputs, false);
    ProvenanceWalker walker(program, provenance);
    walker.walk(NodeRef(program.launch));
    for (auto function = program.functions.rbegin(); function != program.functions.rend(); ++function)
        walker.walk(NodeRef((*function)->body));
    return provenance;
}

} // namespace hidet::graph
