// SPDX-License-Identifier: Apache-2.0
// Linear scan: a register is live from its first definition to its last use; where it was made before a loop that uses
// it, to the end of that loop. Local arrays count as one register of several words.
//
// The warps of a block share the storage of its registers, and some may be in a loop while others are still before it. A
// register of 64 bits has its lanes in other places than two registers of 32 bits, so what one group of warps computes
// could destroy what another still needs, if both kinds used the same words. Each kind has its own.
#include <algorithm>

#include "compiler/codegen/bytecode/builder.h"

namespace hidet::compiler::bytecode {

using artifact::is_u;
using artifact::no_operand;
using artifact::register_of;
using artifact::u_operand;

namespace {

struct Interval {
    int first = -1;
    int last = -1;
};

struct Loop {
    int first = 0;
    int last = 0;
};

struct Live {
    std::vector<Interval> u, v;
};

void touch(Interval& interval, int place) {
    if (interval.first < 0)
        interval.first = place;
    interval.last = std::max(interval.last, place);
}

std::vector<Loop> find_loops(const Builder& builder) {
    std::vector<Loop> loops;
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < builder.items.size(); ++k) {
        if (builder.items[k].mark == Mark::LoopStart) {
            open.push_back(loops.size());
            loops.push_back({static_cast<int>(k), static_cast<int>(k)});
        } else if (builder.items[k].mark == Mark::LoopStop) {
            loops[open.back()].last = static_cast<int>(k);
            open.pop_back();
        }
    }
    return loops;
}

Live find_live(Builder& builder) {
    Live live;
    live.u.resize(builder.u.size());
    live.v.resize(builder.v.size());
    std::vector<std::int32_t> array_of(builder.function().locals.size(), no_operand);
    for (std::size_t row = 0; row < array_of.size(); ++row)
        array_of[row] = builder.function().locals[row].first;
    std::vector<Loop> loops = find_loops(builder);
    std::vector<const Loop*> open;
    std::size_t next_loop = 0;
    for (std::size_t k = 0; k < builder.items.size(); ++k) {
        Item& item = builder.items[k];
        int place = static_cast<int>(k);
        if (item.mark == Mark::LoopStart)
            open.push_back(&loops[next_loop++]);
        if (item.mark == Mark::LoopStop)
            open.pop_back();
        auto use = [&](std::int32_t r) {
            if (!is_u(r) && builder.v[static_cast<std::size_t>(r)].alias >= 0)
                r = builder.v[static_cast<std::size_t>(r)].alias;
            Interval& interval =
                is_u(r) ? live.u[static_cast<std::size_t>(register_of(r))] : live.v[static_cast<std::size_t>(r)];
            touch(interval, place);
            // The outermost open loop that the register was alive before.
            for (const Loop* loop : open)
                if (interval.first < loop->first) {
                    touch(interval, loop->last);
                    break;
                }
        };
        if (item.mark == Mark::Touch)
            use(item.instr.a);
        if (item.mark != Mark::None || item.dead)
            continue;
        for_each_operand(builder.function(), item.instr, [&](std::int32_t& r, bool) { use(r); });
        if (!item.is_moved) // else it stands where what is known at its statement may not have been made
            builder.for_each_known(item.known, use);
        auto row = static_cast<std::size_t>(item.instr.x);
        char kind = artifact::info(item.instr.op).operands[8];
        if (kind == 'A' && builder.function().accesses[row].space == artifact::Space::Local) {
            std::int32_t array = array_of[static_cast<std::size_t>(builder.function().accesses[row].base)];
            if (array >= 0)
                use(array);
        }
        if (kind == 'C' && array_of[row] >= 0)
            use(array_of[row]);
    }
    return live;
}

// The first gap of `words` registers; `busy` holds the end of the interval that holds each register.
int find_gap(std::vector<int>& busy, int words, const Interval& interval) {
    auto length = static_cast<std::size_t>(words);
    for (std::size_t at = 0;; ++at) {
        if (busy.size() < at + length)
            busy.resize(at + length, -1);
        bool is_free = true;
        for (std::size_t k = at; k < at + length; ++k)
            if (busy[k] >= interval.first) {
                is_free = false;
                at = k;
                break;
            }
        if (!is_free)
            continue;
        for (std::size_t k = at; k < at + length; ++k)
            busy[k] = interval.last;
        return static_cast<int>(at);
    }
}

struct Banks {
    std::vector<int> narrow, wide;
};

std::vector<int> assign(const std::vector<Interval>& intervals, const std::vector<VirtualRegister>& registers,
                        Banks& busy) {
    std::vector<int> place(registers.size(), 0);
    std::vector<std::size_t> order;
    for (std::size_t r = 0; r < registers.size(); ++r)
        if (intervals[r].first >= 0)
            order.push_back(r);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return intervals[a].first < intervals[b].first; });
    for (std::size_t r : order)
        place[r] = find_gap(registers[r].is_wide ? busy.wide : busy.narrow, registers[r].words, intervals[r]);
    for (std::size_t r : order)
        if (registers[r].is_wide)
            place[r] += static_cast<int>(busy.narrow.size());
    return place;
}

} // namespace

void allocate_registers(Builder& builder) {
    artifact::Function& function = builder.function();
    Live live = find_live(builder);
    for (std::size_t r = 0; r < builder.v.size() && builder.keeps_arrays; ++r)
        if (builder.v[r].is_array && live.v[r].first >= 0)
            live.v[r] = {0, static_cast<int>(builder.items.size())};
    // Parameters, then constants, then the rest; the first two are never given away.
    int fixed = static_cast<int>(function.params.size());
    function.first_constant = fixed;
    std::vector<int> u_place(builder.u.size(), 0);
    std::vector<Interval> free_u = live.u;
    for (std::size_t r = 0; r < builder.u.size(); ++r)
        if (builder.u[r].is_fixed)
            free_u[r] = {};
    Banks u_busy, v_busy;
    u_busy.narrow.assign(static_cast<std::size_t>(fixed) + function.constants.size(), 1 << 30);
    u_place = assign(free_u, builder.u, u_busy);
    std::vector<int> v_place = assign(live.v, builder.v, v_busy);
    for (std::size_t r = 0; r < builder.v.size(); ++r)
        if (const VirtualRegister& reg = builder.v[r]; reg.alias >= 0)
            v_place[r] = v_place[static_cast<std::size_t>(reg.alias)] + reg.offset;
    int next_fixed = 0;
    for (std::size_t r = 0; r < builder.u.size(); ++r)
        if (builder.u[r].is_fixed)
            u_place[r] = next_fixed++;
    function.u_count = static_cast<int>(u_busy.narrow.size());
    function.v_count = static_cast<int>(v_busy.narrow.size() + v_busy.wide.size());
    for (artifact::LocalArray& array : function.locals)
        if (array.first >= 0)
            array.first = v_place[static_cast<std::size_t>(array.first)];
    // A row of a side table belongs to one instruction, so every operand is renamed once.
    const auto renamed = [&](std::int32_t r) {
        return is_u(r) ? u_operand(u_place[static_cast<std::size_t>(register_of(r))])
                       : v_place[static_cast<std::size_t>(r)];
    };
    for (Item& item : builder.items)
        if (item.mark == Mark::None && !item.dead)
            for_each_operand(function, item.instr, [&](std::int32_t& r, bool) { r = renamed(r); });
    if (builder.notes)
        for (artifact::NamedValue& value : builder.notes->values)
            for (std::int32_t* reg : {&value.u, &value.v})
                if (*reg >= 0)
                    *reg = renamed(*reg);
}

} // namespace hidet::compiler::bytecode
