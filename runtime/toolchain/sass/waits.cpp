// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/waits.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace hidet::toolchain::sass {

namespace {

struct Pending { // a barrier that was raised
    std::size_t setter = 0;
    int cycles = 0; // ago, at least
    friend bool operator==(const Pending&, const Pending&) = default;
};
using Raised = std::vector<Pending>; // by setter
using State = std::array<Raised, all_barriers>;

void raise(Raised& into, Pending what) {
    auto at = std::lower_bound(into.begin(), into.end(), what.setter,
                               [](const Pending& a, std::size_t setter) { return a.setter < setter; });
    if (at == into.end() || at->setter != what.setter)
        into.insert(at, what);
    else
        at->cycles = std::min(at->cycles, what.cycles);
}

bool join(State& into, const State& from) {
    bool changed = false;
    for (std::size_t k = 0; k < into.size(); ++k) {
        const Raised before = into[k];
        for (const Pending& pending : from[k])
            raise(into[k], pending);
        changed = changed || before != into[k];
    }
    return changed;
}

// All but the newest so many.
Raised waited_for(const Raised& raised, int left) {
    if (left <= 0)
        return raised;
    Raised by_age = raised;
    std::ranges::sort(by_age, [](const Pending& a, const Pending& b) {
        return a.cycles != b.cycles ? a.cycles > b.cycles : a.setter < b.setter;
    });
    by_age.resize(by_age.size() - std::min(by_age.size(), static_cast<std::size_t>(left)));
    std::ranges::sort(by_age, [](const Pending& a, const Pending& b) { return a.setter < b.setter; });
    return by_age;
}

void drop(Raised& from, const Raised& what) {
    std::erase_if(from, [&](const Pending& pending) {
        return std::ranges::any_of(what, [&](const Pending& one) { return one.setter == pending.setter; });
    });
}

// `met` is told of each wait with what it is for.
template <class Met>
void step(const Instruction& instruction, std::size_t at, State& state, Met met) {
    const CountedWait counted = counted_wait(instruction);
    for (int k = 0; k < all_barriers; ++k) {
        const bool is_masked = k < barrier_count && instruction.control.waits_for(k);
        if (!is_masked && counted.barrier != k)
            continue;
        Raised& raised = state[static_cast<std::size_t>(k)];
        const Raised answered = waited_for(raised, is_masked ? 0 : counted.left);
        met(k, answered);
        drop(raised, answered);
    }
    for (int k = 0; k < all_barriers; ++k)
        if (raises(instruction, k))
            raise(state[static_cast<std::size_t>(k)], {at, 0});
    for (Raised& raised : state)
        for (Pending& pending : raised)
            pending.cycles += instruction.control.cycles();
}

// What is out where each block begins.
std::vector<State> states_of(const Function& function, const Flow& flow) {
    std::vector<State> begin(flow.blocks.size());
    std::vector<bool> open(flow.blocks.size(), true);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block : flow.order) {
            if (!open[block])
                continue;
            open[block] = false;
            State state = begin[block];
            for (std::size_t i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i)
                step(function.code[i], i, state, [](int, const Raised&) {});
            for (std::size_t next : flow.blocks[block].next)
                if (join(begin[next], state))
                    changed = open[next] = true;
        }
    }
    return begin;
}

void mark_first(std::vector<Wait>& arrows, std::size_t count) {
    std::vector<int> nearest(count, -1);
    for (const Wait& wait : arrows)
        if (nearest[wait.setter] < 0 || wait.cycles < nearest[wait.setter])
            nearest[wait.setter] = wait.cycles;
    for (Wait& wait : arrows)
        wait.is_first = wait.cycles == nearest[wait.setter];
}

bool is_raised_before(const Function& function, std::size_t at, int barrier) {
    for (std::size_t i = 0; i < at; ++i)
        if (raises(function.code[i], barrier))
            return true;
    return false;
}

} // namespace

CountedWait counted_wait(const Instruction& instruction) {
    if (!instruction.is("DEPBAR") && !instruction.opcode.starts_with("WARPGROUP.DEPBAR"))
        return {};
    CountedWait out;
    const std::string& words = instruction.operands;
    if (words.starts_with("gsb0"))
        out.barrier = matrix_barrier;
    else if (words.starts_with("SB") && words.size() > 2 && words[2] >= '0' && words[2] < '0' + barrier_count)
        out.barrier = words[2] - '0';
    if (std::size_t number = words.find("0x"); number != std::string::npos)
        std::from_chars(words.data() + number + 2, words.data() + words.size(), out.left, 16);
    return out;
}

bool raises(const Instruction& instruction, int barrier) {
    if (barrier == matrix_barrier)
        return instruction.operands.find("gsb0") != std::string::npos &&
               counted_wait(instruction).barrier != matrix_barrier;
    return instruction.control.write == barrier || instruction.control.read == barrier;
}

Waits waits_of(const Function& function, const Flow& flow) {
    Waits out;
    std::vector<State> begin = states_of(function, flow);
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        if (!flow.reached(block))
            continue;
        State state = begin[block];
        for (std::size_t i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i)
            step(function.code[i], i, state, [&](int barrier, const Raised& answered) {
                // Nothing may be out where so many are allowed to be.
                if (answered.empty() && counted_wait(function.code[i]).barrier != barrier)
                    (is_raised_before(function, i, barrier) ? out.repeated : out.unanswered).emplace_back(i, barrier);
                for (const Pending& pending : answered)
                    out.arrows.push_back({i, pending.setter, barrier, pending.cycles, false});
            });
    }
    mark_first(out.arrows, function.code.size());
    return out;
}

} // namespace hidet::toolchain::sass
