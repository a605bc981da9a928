// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/program.h"

#include "lang/base/text.h"

namespace hidet::toolchain::sass {

namespace {

unsigned bits(std::uint64_t high, int first, unsigned mask) {
    return static_cast<unsigned>(high >> (first - 64)) & mask;
}

int barrier(unsigned field) {
    return field < static_cast<unsigned>(barrier_count) ? static_cast<int>(field) : no_barrier;
}

char digit(int barrier) {
    return barrier == no_barrier ? '-' : static_cast<char>('0' + barrier);
}

} // namespace

Control control_of(const Word& word) {
    Control out;
    const bool stays = bits(word.high, 109, 1) != 0;
    out.stall = static_cast<int>(bits(word.high, 105, 15));
    out.yields = !stays;
    out.write = barrier(bits(word.high, 110, 7));
    out.read = barrier(bits(word.high, 113, 7));
    out.wait = bits(word.high, 116, 63);
    out.reuse = stays ? bits(word.high, 122, 7) : 0; // else these bits mark batches of loads
    return out;
}

std::string control_text(const Control& control) {
    std::string out = "B";
    for (int k = 0; k < barrier_count; ++k)
        out += control.waits_for(k) ? digit(k) : '-';
    out += {' ', 'R', digit(control.read), ' ', 'W', digit(control.write), ' ', control.yields ? 'Y' : '-', ' ', 'S'};
    out += static_cast<char>('0' + control.stall / 10);
    out += static_cast<char>('0' + control.stall % 10);
    out += ' ';
    for (int operand = 0; operand < 3; ++operand)
        out += (control.reuse >> operand & 1u) != 0 ? static_cast<char>('a' + operand) : '-';
    return out;
}

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
