// SPDX-License-Identifier: Apache-2.0
// Where a warp may go: blocks of instructions that run one after the other, and the loops among them.
#pragma once

#include <vector>

#include "runtime/toolchain/sass/program.h"

namespace hidet::toolchain::sass {

struct Block {
    std::size_t begin = 0, end = 0; // instructions
    std::vector<std::size_t> next, before;
};

struct Flow {
    std::vector<Block> blocks;          // in the order of the text
    std::vector<std::size_t> block_of;  // of each instruction
    std::vector<std::size_t> order;     // blocks that can be reached, each after those that lead to it but for loops
    std::vector<std::size_t> dominator; // of each block the nearest that every way to it passes; its own number: none
    bool reached(std::size_t block) const { return block == 0 || dominator[block] != block; }
    bool dominates(std::size_t above, std::size_t below) const;
};
Flow flow_of(const Function& function);

struct Loop {
    std::size_t header = 0;
    std::vector<std::size_t> blocks; // in the order of the text
    std::vector<std::size_t> always; // those that every turn runs, in the order in which it does
    std::vector<std::size_t> own; // `always`, and those that some turns run, but for what only a loop in this one has
    int depth = 1;                // 1: in no other loop
    bool is_inner = true;         // no other loop in it
};
std::vector<Loop> loops_of(const Flow& flow); // in the order of their headers

} // namespace hidet::toolchain::sass
