// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/equation.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/graph/core/shape.h"

namespace hidet::graph {

namespace {

std::string compact(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 3, "...") == 0) {
            result += dots;
            i += 2;
        } else if (text[i] != ' ') {
            result += text[i];
        }
    }
    return result;
}

std::string implied_result(const std::vector<std::string>& terms) {
    std::map<char, int> counts;
    for (const std::string& term : terms)
        for (char c : term)
            ++counts[c];
    std::string result = counts.contains(dots) ? std::string(1, dots) : "";
    for (const auto& [letter, count] : counts)
        if (letter != dots && count == 1)
            result += letter;
    return result;
}

} // namespace

Equation parse_equation(const std::string& given) {
    const auto fail = [&](const std::string& why) {
        throw OpError("einsum cannot read the equation '", given, "': ", why);
    };
    const std::string text = compact(given);
    Equation equation;
    equation.terms.emplace_back();
    const std::size_t arrow = text.find("->");
    for (char c : text.substr(0, arrow))
        if (c == ',')
            equation.terms.emplace_back();
        else
            equation.terms.back() += c;
    equation.result = arrow == std::string::npos ? implied_result(equation.terms) : text.substr(arrow + 2);
    std::vector<std::string> all = equation.terms;
    all.push_back(equation.result);
    for (const std::string& term : all) {
        if (std::ranges::count(term, dots) > 1)
            fail("a term has '...' twice");
        for (char c : term)
            if (!std::isalpha(static_cast<unsigned char>(c)) && c != dots)
                fail("'" + std::string(1, c) + "' is not an index");
    }
    for (char c : equation.result) {
        const auto has = [&](const std::string& term) { return term.find(c) != std::string::npos; };
        if (c != dots && std::ranges::none_of(equation.terms, has))
            fail("no operand has index '" + std::string(1, c) + "'");
        if (std::ranges::count(equation.result, c) > 1)
            fail("the result has index '" + std::string(1, c) + "' twice");
    }
    return equation;
}

} // namespace hidet::graph
