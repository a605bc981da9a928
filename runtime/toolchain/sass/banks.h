// SPDX-License-Identifier: Apache-2.0
// Conflicts between the banks of the register file. Registers of even and of odd number lie in two banks that give one operand
// a cycle each; an operand that the instruction before it kept (`.reuse`) comes from neither.
#pragma once

#include <vector>

#include "runtime/toolchain/sass/program.h"

namespace hidet::toolchain::sass {

struct BankLoss {
    int instructions = 0; // FMUL, FADD and FFMA with all that they read in one bank
    int cycles = 0;       // a cycle for each operand but the first
};
BankLoss bank_loss_of(const std::vector<const Instruction*>& code); // one after the other, by one warp

} // namespace hidet::toolchain::sass
