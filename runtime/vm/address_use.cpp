// SPDX-License-Identifier: Apache-2.0
// Addresses that only matrices and copies take: these know what lies where by the number of an address, and look at single lanes
// when they meet one for the first time. So such an address is put off: no register gets it unless somebody looks.
//
// Between the two nothing may wait or jump, for what is put off is the block's and not a group's; and nothing else may read it.
#include <algorithm>

#include "runtime/vm/live.h"

namespace hidet::vm {

namespace {

bool goes_on(const Step& step) {
    if (step.is_vector || step.is_scalar)
        return true;
    switch (step.op) {
    case Op::Address:
    case Op::LdMatrix:
    case Op::Mma:
    case Op::CpAsync:
    case Op::CpCommit: return true;
    default: return false;
    }
}

// Whether it reads the address as a matrix or a copy does, or not at all.
bool takes(const Function& function, const Instr& i, std::int32_t address) {
    int uses = 0;
    for_each_register(function, i, [&](std::int32_t r, Role role) {
        uses += role != Role::Definition && (r == address || r == address + 1);
    });
    if (i.op == Op::CpAsync)
        return uses == (i.a == address) + (i.b == address);
    if (i.op == Op::LdMatrix)
        return uses == (function.operands[static_cast<std::size_t>(i.x)].items.back() == address);
    return uses == 0;
}

bool is_redefined(const Function& function, const Instr& i, std::int32_t address) {
    bool is_same = false;
    for_each_register(function, i, [&](std::int32_t r, Role role) {
        is_same = is_same || (role == Role::Definition && r == address);
    });
    return is_same;
}

} // namespace

void find_address_uses(Code& code) {
    const Function& function = *code.function;
    const auto takes_addresses = [](const Instr& i) { return i.op == Op::LdMatrix || i.op == Op::CpAsync; };
    if (std::ranges::none_of(function.code, takes_addresses))
        return;
    const LiveRegisters live(function);
    const std::vector<bool> targets = jump_targets(function);
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        const Instr& i = function.code[pc];
        if (i.op != Op::Address || !artifact::is_v(i.dst) || (i.flags & artifact::flag_blend))
            continue;
        bool is_taken = true, is_over = false;
        for (std::size_t at = pc + 1; is_taken && !is_over && at < function.code.size(); ++at) {
            if (targets[at] || !goes_on(code.steps[at])) {
                is_taken = !live.is_live(at, i.dst);
                break;
            }
            is_taken = takes(function, function.code[at], i.dst);
            is_over = is_redefined(function, function.code[at], i.dst);
        }
        code.steps[pc].is_for_rows = is_taken;
    }
}

} // namespace hidet::vm
