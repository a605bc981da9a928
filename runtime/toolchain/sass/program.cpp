// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/program.h"

#include "lang/base/text.h"

namespace hidet::toolchain::sass {

bool Instruction::has(std::string_view modifier) const {
    for (std::size_t at = opcode.find(modifier); at != std::string::npos; at = opcode.find(modifier, at + 1)) {
        const std::size_t end = at + modifier.size();
        if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.'))
            return true;
    }
    return false;
}

void split_instruction(std::string_view text, Instruction& into) {
    text = trimmed(text);
    if (text.starts_with('@')) {
        into.guard = text.substr(0, text.find(' '));
        text = trimmed(text.substr(into.guard.size()));
    }
    const std::size_t end = std::min(text.find(' '), text.size());
    into.opcode = text.substr(0, end);
    into.operands = trimmed(text.substr(end));
}

} // namespace hidet::toolchain::sass
