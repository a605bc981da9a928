// SPDX-License-Identifier: Apache-2.0
// Statements of a script by their depth, and the text without some of them.
#pragma once

#include <cstddef>
#include <vector>

#include "app/session/reduce/script_text.h"

namespace hidet::session {

struct CutStatement {
    const lang::ast::Stmt* statement = nullptr;
    std::size_t block = 0; // the same for those that stand in one block
};

class StatementLevels {
public:
    explicit StatementLevels(const ScriptText& script);

    std::size_t depth() const { return m_levels.size(); }
    std::size_t count(std::size_t level) const { return m_levels[level].size(); }
    // The text without these statements of one level. A block that would be empty holds `pass`.
    Cut without(std::size_t level, const std::vector<bool>& is_removed) const;

private:
    void add(lang::ast::Block block, std::size_t level);
    void remove(const lang::ast::Stmt& statement, Cut& cut) const;

    const ScriptText& m_script;
    std::vector<std::vector<CutStatement>> m_levels;
    std::vector<std::size_t> m_sizes; // of blocks; 0: it may be empty
};

// The blocks right below a statement.
std::vector<lang::ast::Block> blocks_of(const lang::ast::Stmt& statement);

} // namespace hidet::session
