// SPDX-License-Identifier: Apache-2.0
// How the variables of a function are used, from one walk.
#pragma once

#include <unordered_map>

#include "compiler/ir/func.h"

namespace hidet::compiler {

struct VarFacts {
    int reads = 0;          // places that read it, as a base of an element too
    int writes = 0;         // assignments, reference arguments, outputs of inline assembly; not its initialisation
    int assignments = 0;    // the writes that are assignments
    bool addressed = false; // somebody may hold a pointer to it
    int depth = 0;          // loops around its definition
    int deepest_read = 0;   // loops around the read that has most

    bool is_immutable() const { return writes == 0 && !addressed; }
};

class Uses {
public:
    const VarFacts& of(const ir::Var& var) const {
        auto found = m_facts.find(&var);
        return found == m_facts.end() ? m_none : found->second;
    }
    bool is_immutable(const ir::Var& var) const { return of(var).is_immutable(); }

private:
    friend class UseCounter;
    std::unordered_map<const ir::Var*, VarFacts> m_facts;
    VarFacts m_none{.addressed = true}; // of a variable that is not in the function: nothing may be concluded
};

// `module` tells which arguments are passed by reference; null: none of the callees matters.
Uses uses_in(const ir::Function& function, const ir::Module* module);

// Is the variable used anywhere in the node, its types included? Not in a null one.
bool mentions(const ir::NodeRef& node, const ir::Var& var);

// What evaluating an expression needs and does.
enum class Effect : std::uint8_t {
    None,  // the same value wherever it is evaluated: constants, immutable variables, pure operations
    Reads, // depends on memory or on variables that change
    Acts,  // writes, synchronises, prints, or calls something that may
};
Effect effect_of(const ir::ExprRef& expr, const Uses& uses);

} // namespace hidet::compiler
