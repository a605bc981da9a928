// SPDX-License-Identifier: Apache-2.0
// The operands of inline assembly.
#pragma once

#include <string>
#include <string_view>

namespace hidet::compiler {

std::string operand_list(int first, int count); // "{%4, %5}"
std::string constraints(std::string_view constraint, std::string_view array, int count, int first = 0);

} // namespace hidet::compiler
