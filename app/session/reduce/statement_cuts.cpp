// SPDX-License-Identifier: Apache-2.0
#include "app/session/reduce/statement_cuts.h"

#include <algorithm>

namespace hidet::session {

using namespace lang;

std::vector<ast::Block> blocks_of(const ast::Stmt& statement) {
    std::vector<ast::Block> blocks;
    ast::visit(statement, [&](const auto& node) {
        if constexpr (requires { node.body; })
            blocks.push_back(node.body);
        if constexpr (requires { node.handlers; })
            for (const ast::Handler& handler : node.handlers)
                blocks.push_back(handler.body);
        if constexpr (requires { node.cases; })
            for (const ast::MatchCase& each : node.cases)
                blocks.push_back(each.body);
        if constexpr (requires { node.else_body; })
            blocks.push_back(node.else_body);
        if constexpr (requires { node.finally_body; })
            blocks.push_back(node.finally_body);
    });
    std::erase_if(blocks, [](const ast::Block& block) { return block.empty(); });
    return blocks;
}

StatementLevels::StatementLevels(const ScriptText& script) : m_script(script) {
    add(script.tree().body, 0);
    if (!m_sizes.empty())
        m_sizes.front() = 0;
}

void StatementLevels::add(ast::Block block, std::size_t level) {
    const bool is_elif = block.size() == 1 && m_script.text_of(block[0]->span).starts_with("elif");
    const std::size_t number = m_sizes.size();
    m_sizes.push_back(block.size());
    if (m_levels.size() <= level)
        m_levels.resize(level + 1);
    for (const ast::Stmt* statement : block) {
        const bool says_nothing = block.size() == 1 && statement->kind == ast::Kind::Pass;
        if (!is_elif && !says_nothing)
            m_levels[level].push_back({statement, number});
        for (const ast::Block& below : blocks_of(*statement))
            add(below, level + 1);
    }
}

void StatementLevels::remove(const ast::Stmt& statement, Cut& cut) const {
    const std::string& text = m_script.text();
    const std::uint32_t begin = m_script.begin_of(statement), end = statement.span.end;
    const std::uint32_t line = m_script.line_begin(begin), last = m_script.line_end(end);
    const bool begins_line = m_script.is_blank(line, begin);
    const bool ends_line = m_script.is_blank(end, last) || text[text.find_first_not_of(" \t", end)] == '#';
    if (begins_line && ends_line) {
        cut.push_back({line, std::min(last + 1, static_cast<std::uint32_t>(text.size())), ""});
        return;
    }
    const std::size_t next = text.find_first_not_of(" \t", end);
    const std::size_t before = begin == 0 ? std::string::npos : text.find_last_not_of(" \t", begin - 1);
    if (next < last && text[next] == ';' && !m_script.is_blank(static_cast<std::uint32_t>(next + 1), last))
        cut.push_back({begin, static_cast<std::uint32_t>(text.find_first_not_of(" \t", next + 1)), ""});
    else if (before != std::string::npos && text[before] == ';')
        cut.push_back({static_cast<std::uint32_t>(before), end, ""});
    else
        cut.push_back({begin, end, "pass"});
}

Cut StatementLevels::without(std::size_t level, const std::vector<bool>& is_removed) const {
    const std::vector<CutStatement>& statements = m_levels[level];
    std::vector<std::size_t> left = m_sizes;
    for (std::size_t i = 0; i < statements.size(); ++i)
        left[statements[i].block] -= is_removed[i] && left[statements[i].block] > 0;
    Cut cut;
    std::size_t filled = m_sizes.size(); // the block that has its `pass`
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (!is_removed[i])
            continue;
        const CutStatement& each = statements[i];
        const bool is_emptied = m_sizes[each.block] > 0 && left[each.block] == 0;
        if (!is_emptied || filled == each.block)
            remove(*each.statement, cut);
        else
            cut.push_back({m_script.begin_of(*each.statement), each.statement->span.end, "pass"});
        filled = is_emptied ? each.block : filled;
    }
    return cut;
}

} // namespace hidet::session
