// SPDX-License-Identifier: Apache-2.0
// Integers of an index that become larger than their type holds. Computations are followed back from the addresses; behind
// a remainder or bits, as hashes have them, a value that wraps is meant.
//
// What differs between threads has a lowest and a highest value, of which those of a result are known. Registers with
// equal numbers for their contents (block.h) have equal ones, so that single threads are looked at only where the range
// says that one might be wrong.
#include <algorithm>
#include <limits>
#include <string_view>

#include "lang/base/text.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

using Bits = std::vector<bool>;

bool passes_on(Op op) {
    switch (op) {
    case Op::Move:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::MulAdd:
    case Op::Neg:
    case Op::Shl:
    case Op::Div:
    case Op::FloorDiv:
    case Op::Min:
    case Op::Max:
    case Op::Select:
    case Op::Convert: return true;
    default: return false;
    }
}

bool may_overflow(const Instr& i) {
    const bool computes = i.op == Op::Add || i.op == Op::Sub || i.op == Op::Mul || i.op == Op::MulAdd ||
                          i.op == Op::Neg || i.op == Op::Shl;
    return computes && i.type == Scalar::I32;
}

struct Registers {
    const Function& function;
    std::size_t row(std::int32_t r) const {
        return is_v(r) ? static_cast<std::size_t>(r)
                       : static_cast<std::size_t>(function.v_count) + 2 + static_cast<std::size_t>(register_of(r));
    }
    std::size_t count() const {
        return static_cast<std::size_t>(function.v_count) + static_cast<std::size_t>(function.u_count) + 4;
    }
};

// Registers that an index is made of, behind an instruction, become those before it.
bool lower_priority(const Function& function, const Instr& i, Bits& indices) {
    const Registers registers{function};
    bool is_index = false;
    const char* kinds = artifact::info(i.op).operands;
    if (i.dst >= 0 && std::string_view("ruv").find(kinds[0]) != std::string_view::npos) {
        is_index = indices[registers.row(i.dst)];
        if (!(i.flags & artifact::flag_blend))
            indices[registers.row(i.dst)] = false;
    }
    const auto add = [&](std::int32_t r) {
        if (r >= 0)
            indices[registers.row(r)] = true;
    };
    if (is_index && passes_on(i.op))
        for (std::int32_t r : {i.a, i.b, i.op == Op::MulAdd ? i.c : artifact::no_operand})
            add(r);
    if (kinds[8] == 'A') {
        const Access& access = function.accesses[static_cast<std::size_t>(i.x)];
        for (const artifact::AccessDim& dim : access.dims)
            for (std::int32_t r : {dim.u, dim.v})
                add(r);
    }
    return is_index;
}

} // namespace

void find_index_arithmetic(Code& code, const Function& function) {
    const std::size_t count = function.code.size();
    const Registers registers{function};
    std::vector<Bits> before(count + 1, Bits(registers.count()));
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t pc = count; pc-- > 0;) {
            const Instr& i = function.code[pc];
            Bits now = i.op == Op::Jump || i.op == Op::Return ? Bits(registers.count()) : before[pc + 1];
            if (artifact::info(i.op).operands[8] == 't') {
                const Bits& there = before[static_cast<std::size_t>(i.x)];
                for (std::size_t r = 0; r < there.size(); ++r)
                    if (there[r])
                        now[r] = true;
            }
            const bool is_index = lower_priority(function, i, now);
            Step& step = code.steps[pc];
            step.is_of_index = is_index && may_overflow(i);
            step.is_tracked = step.is_tracked || step.is_of_index;
            if (now != before[pc]) {
                before[pc] = std::move(now);
                changes = true;
            }
        }
    }
}

namespace {

constexpr std::int64_t lowest_i32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t highest_i32 = std::numeric_limits<std::int32_t>::max();

std::int64_t exact(Op op, std::int64_t a, std::int64_t b, std::int64_t c) {
    switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::MulAdd: return a * b + c;
    case Op::Neg: return -a;
    case Op::Shl: return b >= 0 && b < 31 ? a * (std::int64_t{1} << b) : a;
    default: return a;
    }
}

bool fits(std::int64_t value) {
    return value >= lowest_i32 && value <= highest_i32;
}

struct Range {
    std::int64_t low = 0, high = 0;
};

// Of all values that come from such operands.
Range range_of(Op op, Range a, Range b, Range c) {
    switch (op) {
    case Op::Add: return {a.low + b.low, a.high + b.high};
    case Op::Sub: return {a.low - b.high, a.high - b.low};
    case Op::Neg: return {-a.high, -a.low};
    case Op::Shl: b.low = exact(Op::Shl, 1, b.low, 0), b.high = exact(Op::Shl, 1, b.high, 0); [[fallthrough]];
    default: break;
    }
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return op == Op::MulAdd ? Range{low + c.low, high + c.high} : Range{low, high};
}

} // namespace

void InitChecker::check_overflow(Group& group, const Step& step) {
    const Instr& i = step.instr;
    if (step.is_scalar) {
        const auto value = [&](std::uint32_t slot) -> std::int64_t { return static_cast<std::int32_t>(group.u[slot]); };
        if (fits(exact(i.op, value(step.a), value(step.b), value(step.c))))
            return;
    }
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    const auto range = [&](std::int32_t r) {
        Range out;
        if (r < 0)
            return out;
        if (is_u(r)) {
            out.low = out.high = static_cast<std::int32_t>(u_slot(group, r));
            return out;
        }
        KnownRange& known = m_ranges[static_cast<std::size_t>(r)];
        const std::uint64_t version = group.versions[static_cast<std::size_t>(r)];
        if (known.version != version || known.mask_version != group.mask_version) {
            known.version = version, known.mask_version = group.mask_version;
            m_table.range(lanes(r) + first * 4, false, mask_words(group) + first, (group.hi - group.lo) * chunk_lanes,
                          &known.low, &known.high);
        }
        return Range{known.low, known.high};
    };
    const Range all = range_of(i.op, range(i.a), range(i.b), range(i.op == Op::MulAdd ? i.c : artifact::no_operand));
    if (fits(all.low) && fits(all.high))
        return;
    for (int lane : running(group)) {
        const auto value = [&](std::int32_t r) -> std::int64_t {
            return r < 0 ? 0 : lane_value<std::int32_t>(group, r, lane);
        };
        const std::int64_t a = value(i.a), b = value(i.b), c = i.op == Op::MulAdd ? value(i.c) : 0;
        const std::int64_t result = exact(i.op, a, b, c);
        if (fits(result))
            continue;
        note(finding_at(group, FindingKind::Overflow, lane, "computes ", result,
                        " for an index, which i32 does not hold: it becomes ",
                        static_cast<std::int32_t>(static_cast<std::uint32_t>(result))));
        return;
    }
}

} // namespace hidet::vm
