// SPDX-License-Identifier: Apache-2.0
// A graph as it is matched with another: operators, inputs and outputs in one order, texts as numbers that both graphs share.
#pragma once

#include <string_view>

#include "app/session/model/view/model_view.h"

namespace hidet::session {

class MatchTexts {
public:
    std::uint32_t of(std::string_view text); // the same number for the same text

private:
    std::unordered_map<std::string, std::uint32_t> m_numbers;
};

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

struct MatchOperand {
    std::uint32_t producer = no_id; // place; none: a constant, or an operand that is left out
    std::uint32_t output = 0;       // of the producer
};
struct MatchUse {
    std::uint32_t consumer = no_id; // place
    std::uint32_t port = 0;         // 0 where the order of operands does not matter
    std::uint32_t output = 0;       // which result
};

struct MatchNode {
    const GraphNode* node = nullptr;   // null: an input or an output of the model
    const GraphValue* value = nullptr; // that input or output
    std::uint32_t op = 0, name = 0, key = 0;
    std::uint32_t scope = 0;   // 0: its name has none
    std::uint64_t label = 0;   // operator, attributes, shapes of constants
    std::uint64_t results = 0; // types and shapes
    bool commutes = false;     // its operands can change places
    std::vector<MatchOperand> operands;
    std::vector<MatchUse> uses;
};

struct MatchSide {
    std::vector<MatchNode> nodes; // inputs, operators with producers first, outputs
    std::size_t first_node = 0, first_output = 0;
    std::unordered_map<std::uint32_t, const GraphValue*> values; // by id
    const GraphValue* value(std::uint32_t id) const {
        const auto at = values.find(id);
        return at == values.end() ? nullptr : at->second;
    }
};
// Of a constant that says what the operator does: numbers of another type than weights have, or one alone. Else empty.
std::string_view setting_of(const GraphValue& constant);

MatchSide match_side(const ModelGraph& graph, MatchTexts& texts);

} // namespace hidet::session
