// SPDX-License-Identifier: Apache-2.0
// Whether an index lies inside of its extent, for all sizes that a call may bring: by ranges of numbers, by a loop that is as
// long, or by a condition that compares the two.
#pragma once

#include <string>
#include <unordered_map>

#include "compiler/analysis/ranges.h"
#include "compiler/analysis/uses.h"
#include "compiler/ir/stmt.h"

namespace hidet::compiler {

class InsideProof {
public:
    // `ranges` knows what holds at the place that is asked about.
    InsideProof(const Uses& uses, const Ranges& ranges) : m_uses(uses), m_ranges(ranges) {}

    void learn(const ir::ForStmt& loop);
    void learn(const ir::DeclareStmt& stmt); // of a variable that stands for a dynamic dimension
    bool is_inside(const ir::ExprRef& index, const ir::ExprRef& extent) const;

private:
    bool is_same(const ir::ExprRef& count, const ir::ExprRef& extent) const;
    std::string symbol_of(const ir::ExprRef& expr) const;

    const Uses& m_uses;
    const Ranges& m_ranges;
    std::unordered_map<const ir::Var*, ir::ExprRef> m_counts;  // loop variables, and what they count to
    std::unordered_map<const ir::Var*, std::string> m_symbols; // that variables stand for
};

} // namespace hidet::compiler
