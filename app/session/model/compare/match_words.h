// SPDX-License-Identifier: Apache-2.0
// What differs between two operators that are partners, in words.
#pragma once

#include "app/session/model/compare/graph_match.h"
#include "app/session/model/compare/match_side.h"

namespace hidet::session {

class MatchWords {
public:
    // Partners are by place, of the left side and of the right one.
    MatchWords(const MatchSide& left, const MatchSide& right, const std::vector<std::uint32_t>& of_left,
               const std::vector<std::uint32_t>& of_right)
        : m_left(left), m_right(right), m_of_left(of_left), m_of_right(of_right) {}

    // The state, whether it is inherited, and the words; the places have partners in each other.
    void fill(GraphPair& pair, std::uint32_t left, std::uint32_t right) const;

private:
    void say(GraphPair& pair, const std::string& what, const std::string& left, const std::string& right) const;
    void compare_attributes(GraphPair& pair, const GraphNode& left, const GraphNode& right) const;
    void compare_operands(GraphPair& pair, const MatchNode& left, const MatchNode& right) const;
    void compare_operand(GraphPair& pair, std::size_t port, const MatchNode& left, const MatchNode& right) const;
    void compare_spec(GraphPair& pair, const std::string& what, const GraphValue* left, const GraphValue* right) const;
    bool is_wired_alike(const MatchOperand& left, const MatchOperand& right) const;

    const MatchSide& m_left;
    const MatchSide& m_right;
    const std::vector<std::uint32_t>& m_of_left;
    const std::vector<std::uint32_t>& m_of_right;
};

} // namespace hidet::session
