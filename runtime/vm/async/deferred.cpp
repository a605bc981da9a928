// SPDX-License-Identifier: Apache-2.0
// What is put off until somebody takes it.
//
// Addresses that only matrices and copies take: these know what lies where by the number of an address, and look at single lanes
// when they meet one for the first time. So such an address is put off: no register gets it unless somebody looks.
//
// Matrices that only products take: these spread the rows from shared memory, of which several warps have the same.
//
// Between the two nothing may wait or jump, for what is put off is the block's and not a group's; and nothing else may read it, or
// write to shared memory.
#include <algorithm>

#include "runtime/vm/checks/live.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_ahead = 256; // instructions from a load to the last product that takes what it loads

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

void find_address_uses(Code& code, const LiveRegisters& live, const std::vector<bool>& targets) {
    const Function& function = *code.function;
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
        code.steps[pc].is_put_off = is_taken;
    }
}

// Elements of arrays that are accessed by an index or a pointer, of which no instruction tells.
std::vector<bool> find_indexed(const Function& function) {
    std::vector<bool> out(static_cast<std::size_t>(function.v_count) + 2);
    for (const Instr& i : function.code) {
        if (artifact::info(i.op).operands[8] != 'A')
            continue;
        const artifact::Access& access = function.accesses[static_cast<std::size_t>(i.x)];
        if (access.space != artifact::Space::Local)
            continue;
        const artifact::LocalArray& array = function.locals[static_cast<std::size_t>(access.base)];
        const std::int64_t end = std::min<std::int64_t>(array.first + array.count, function.v_count);
        for (std::int64_t r = array.first; r < end; ++r)
            out[static_cast<std::size_t>(r)] = true;
    }
    return out;
}

bool leaves_tiles(const Step& step) {
    return step.is_vector || step.is_scalar || step.op == Op::Address || step.op == Op::LdMatrix || step.op == Op::Mma;
}

enum class TileUse : std::uint8_t { None, Other, Over };

// What an instruction does with a register that ldmatrix loaded, but for taking it as an operand of a product.
TileUse use_of(const Function& function, const Instr& i, std::int32_t tile) {
    const auto is_it = [&](std::int32_t r) { return r == tile || r == tile - 1; }; // or the second of a pair
    if (i.op != Op::Mma && i.op != Op::LdMatrix) {
        bool is_named = false;
        for_each_register(function, i, [&](std::int32_t r, Role) { is_named = is_named || is_it(r); });
        return is_named ? TileUse::Other : TileUse::None;
    }
    const artifact::Operands& row = function.operands[static_cast<std::size_t>(i.x)];
    const auto end = row.items.begin() + row.definitions;
    const bool is_defined = std::find(row.items.begin(), end, tile) != end;
    if (i.op == Op::Mma)
        return is_defined ? TileUse::Other : TileUse::None;
    if (is_it(row.items.back()))
        return TileUse::Other;
    return is_defined ? TileUse::Over : TileUse::None;
}

bool is_for_products(const Code& code, std::size_t pc, std::int32_t tile, const LiveRegisters& live,
                     const std::vector<bool>& targets) {
    const Function& function = *code.function;
    for (std::size_t at = pc + 1; at < function.code.size(); ++at) {
        if (targets[at] || !leaves_tiles(code.steps[at]) || at > pc + most_ahead)
            return !live.is_live(at, tile);
        if (const TileUse use = use_of(function, function.code[at], tile); use != TileUse::None)
            return use == TileUse::Over;
    }
    return true;
}

// Products can take matrices from shared memory, while nothing could change it.
void find_tile_uses(Code& code, const LiveRegisters& live, const std::vector<bool>& targets) {
    const Function& function = *code.function;
    const std::vector<bool> indexed = find_indexed(function);
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        if (function.code[pc].op != Op::LdMatrix)
            continue;
        const artifact::Operands& row = function.operands[static_cast<std::size_t>(function.code[pc].x)];
        const auto is_taken = [&](std::int32_t tile) {
            return !indexed[static_cast<std::size_t>(tile)] && is_for_products(code, pc, tile, live, targets);
        };
        code.steps[pc].is_put_off = std::all_of(row.items.begin(), row.items.begin() + row.definitions, is_taken);
    }
}

} // namespace

void find_put_off(Code& code, Deferred most) {
    const Function& function = *code.function;
    const auto takes_addresses = [](const Instr& i) { return i.op == Op::LdMatrix || i.op == Op::CpAsync; };
    if (std::ranges::none_of(function.code, takes_addresses))
        return;
    const LiveRegisters live(function);
    const std::vector<bool> targets = jump_targets(function);
    find_address_uses(code, live, targets);
    if (most == Deferred::Matrices)
        find_tile_uses(code, live, targets);
}

} // namespace hidet::vm
