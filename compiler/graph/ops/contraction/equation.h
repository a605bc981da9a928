// SPDX-License-Identifier: Apache-2.0
// Einstein's convention: a letter of the equation is an index; those that the result lacks are summed over. "..." stands for
// leading dimensions, which broadcast; letters that repeat within one operand take its diagonal.
#pragma once

#include <string>
#include <vector>

namespace hidet::graph {

inline constexpr char dots = '.'; // in a term, in place of the three

struct Equation {
    std::vector<std::string> terms;
    std::string result; // implied: the dots, then the letters that occur once, in alphabetical order
};
Equation parse_equation(const std::string& text); // OpError

} // namespace hidet::graph
