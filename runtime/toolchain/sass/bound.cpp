// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/bound.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lang/base/text.h"
#include "runtime/toolchain/sass/waits.h"

namespace hidet::toolchain::sass {

namespace {

using Code = std::vector<const Instruction*>;

// ---- conflicts between the banks of the register file ----
//
// Registers of even and of odd number lie in two banks that give one operand a cycle each; an operand that the instruction
// before it kept (`.reuse`) comes from neither.

constexpr std::size_t slots = 3, banks = 2;
constexpr int nothing = -1;

// The registers that an instruction reads, by the place of the operand: "R19.reuse", "-R5" and "|R5|" are some.
std::array<int, slots> sources_of(const Instruction& instruction) {
    std::array<int, slots> out = {nothing, nothing, nothing};
    std::size_t slot = 0;
    bool is_result = true;
    for (const std::string& operand : split(instruction.operands, ',')) {
        std::string_view words = trimmed(operand);
        words.remove_prefix(std::min(words.find_first_not_of("-~|!"), words.size()));
        if (words.starts_with('P') || words.starts_with("UP"))
            continue;
        if (is_result) {
            is_result = false;
            continue;
        }
        if (slot == slots)
            break;
        if (words.starts_with('R') && words.size() > 1 && words[1] >= '0' && words[1] <= '9')
            std::from_chars(words.data() + 1, words.data() + words.size(), out[slot]);
        ++slot;
    }
    return out;
}

class File {
public:
    // The operands that come from each bank.
    std::array<std::vector<int>, banks> read(const Instruction& instruction);

private:
    std::array<std::array<int, banks>, slots> m_kept = {{{nothing, nothing}, {nothing, nothing}, {nothing, nothing}}};
};

std::array<std::vector<int>, banks> File::read(const Instruction& instruction) {
    std::array<std::vector<int>, banks> out;
    const std::array<int, slots> sources = sources_of(instruction);
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const int name = sources[slot];
        if (name == nothing)
            continue;
        const auto bank = static_cast<std::size_t>(name) % banks;
        int& kept = m_kept[slot][bank];
        if (kept != name && std::ranges::find(out[bank], name) == out[bank].end())
            out[bank].push_back(name);
        kept = (instruction.control.reuse >> slot & 1u) ? name : nothing;
    }
    return out;
}

struct BankLoss {
    int instructions = 0; // FMUL, FADD and FFMA with all that they read in one bank
    int cycles = 0;       // a cycle for each operand but the first
};
// Of code that one warp runs, one after the other.
BankLoss bank_loss_of(const std::vector<const Instruction*>& code) {
    BankLoss out;
    File file;
    for (const Instruction* instruction : code) {
        const std::array<std::vector<int>, banks> read = file.read(*instruction);
        if (!instruction->is("FMUL") && !instruction->is("FADD") && !instruction->is("FFMA"))
            continue;
        for (std::size_t bank = 0; bank < banks; ++bank) {
            if (read[bank].size() < 2 || !read[1 - bank].empty())
                continue;
            ++out.instructions;
            out.cycles += static_cast<int>(read[bank].size()) - 1;
        }
    }
    return out;
}

// ---- bounds ----

std::vector<std::size_t> places_of(const Flow& flow, const std::vector<std::size_t>& blocks) {
    std::vector<std::size_t> out;
    for (std::size_t block : blocks)
        for (std::size_t i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i)
            out.push_back(i);
    return out;
}

void count_pipes(const Code& code, int capability, Turn& turn) {
    std::array<PipeLoad, pipe_count> loads{};
    auto load_of = [&](Pipe pipe) -> PipeLoad& { return loads[static_cast<std::size_t>(pipe)]; };
    for (const Instruction* instruction : code) {
        PipeLoad& load = load_of(pipe_of(instruction->opcode));
        ++load.instructions;
        load.cycles += pipe_cycles(*instruction, capability);
    }
    // What only the heavy half can do keeps one of two halves busy, and where there is but one, that.
    Instruction sum;
    sum.opcode = "FADD";
    load_of(Pipe::Fma).cycles += load_of(Pipe::FmaHeavy).instructions * pipe_cycles(sum, capability);
    for (std::size_t i = 0; i < loads.size(); ++i)
        if (loads[i].instructions > 0 || loads[i].cycles > 0)
            turn.pipes.push_back({static_cast<Pipe>(i), loads[i].instructions, loads[i].cycles});
    std::ranges::stable_sort(turn.pipes, [](const PipeLoad& a, const PipeLoad& b) { return a.cycles > b.cycles; });
}

// A warp alone, turn after turn.
class Clock {
public:
    explicit Clock(int capability) : m_capability(capability) {}
    // The cycles that it stood at the instruction.
    double run(const Instruction& instruction) {
        const double stood = std::max(0.0, ready_at(instruction) - m_now);
        m_now += stood;
        raise(instruction);
        m_now += instruction.control.cycles();
        return stood;
    }
    double now() const { return m_now; }

private:
    double ready_at(const Instruction& instruction) {
        const CountedWait counted = counted_wait(instruction);
        double ready = 0;
        for (int k = 0; k < all_barriers; ++k) {
            const bool is_masked = k < barrier_count && instruction.control.waits_for(k);
            if (is_masked || counted.barrier == k)
                ready = std::max(ready, settle(m_out[static_cast<std::size_t>(k)], is_masked ? 0 : counted.left));
        }
        return ready;
    }
    void raise(const Instruction& instruction) {
        const bool is_matrix = pipe_of(instruction.opcode) == Pipe::Tensor;
        if (is_matrix)
            m_matrices_free = std::max(m_matrices_free, m_now) + pipe_cycles(instruction, m_capability);
        if (instruction.control.write != no_barrier)
            m_out[static_cast<std::size_t>(instruction.control.write)].push_back(
                m_now + least_latency(instruction, m_capability));
        if (is_matrix && raises(instruction, matrix_barrier))
            m_out[matrix_barrier].push_back(m_matrices_free);
    }
    double settle(std::vector<double>& out, int left) {
        const auto kept = std::min(out.size(), static_cast<std::size_t>(std::max(left, 0)));
        double ready = 0;
        for (std::size_t i = 0; i + kept < out.size(); ++i)
            ready = std::max(ready, out[i]);
        out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(kept));
        return ready;
    }

    const int m_capability;
    double m_now = 0;
    double m_matrices_free = 0;
    std::array<std::vector<double>, all_barriers> m_out; // when each that raised a barrier is done
};

void time_alone(const Code& code, const std::vector<std::size_t>& places, int capability, Turn& turn) {
    constexpr int turns = 4; // after which one is like the next
    Clock clock(capability);
    double before = 0;
    for (int i = 0; i < turns; ++i) {
        before = clock.now();
        turn.waits.clear();
        for (std::size_t at = 0; at < code.size(); ++at)
            if (double stood = clock.run(*code[at]); stood > 0)
                turn.waits.push_back({places[at], stood});
    }
    turn.latency = clock.now() - before;
    std::ranges::stable_sort(turn.waits, [](const LongWait& a, const LongWait& b) { return a.cycles > b.cycles; });
}

// Loads to registers are out until their barrier is waited for, copies to shared memory until their group is.
class Loads {
public:
    void step(const Instruction& instruction);
    int most() const { return m_most; }

private:
    std::array<int, barrier_count> m_registers{};
    std::vector<int> m_groups;
    int m_group = 0; // copies that no LDGDEPBAR stands behind yet
    int m_most = 0;
};

void Loads::step(const Instruction& instruction) {
    for (int k = 0; k < barrier_count; ++k)
        if (instruction.control.waits_for(k))
            m_registers[static_cast<std::size_t>(k)] = 0;
    if (const CountedWait counted = counted_wait(instruction);
        counted.barrier != no_barrier && counted.barrier != matrix_barrier) {
        const auto kept = std::min(m_groups.size(), static_cast<std::size_t>(counted.left));
        m_groups.erase(m_groups.begin(), m_groups.end() - static_cast<std::ptrdiff_t>(kept));
    }
    if (instruction.is("LDGDEPBAR")) {
        m_groups.push_back(m_group);
        m_group = 0;
    } else if (instruction.is("LDGSTS")) {
        ++m_group;
    } else if (is_load(instruction) && instruction.control.write != no_barrier) {
        ++m_registers[static_cast<std::size_t>(instruction.control.write)];
    }
    int out = m_group;
    for (int count : m_registers)
        out += count;
    for (int count : m_groups)
        out += count;
    m_most = std::max(m_most, out);
}

void count_loads(const Code& code, Turn& turn) {
    Loads loads;
    for (int i = 0; i < 2; ++i)
        for (const Instruction* instruction : code)
            loads.step(*instruction);
    turn.in_flight = loads.most();
    turn.loads = static_cast<int>(
        std::ranges::count_if(code, [](const Instruction* instruction) { return is_load(*instruction); }));
}

} // namespace

Turn turn_of(const Function& function, const Flow& flow, const std::vector<std::size_t>& blocks, int capability) {
    Turn turn;
    const std::vector<std::size_t> places = places_of(flow, blocks);
    Code code;
    for (std::size_t at : places)
        code.push_back(&function.code[at]);
    turn.instructions = static_cast<int>(code.size());
    for (const Instruction* instruction : code) {
        turn.stalls += instruction->control.cycles();
        if (!instruction->guard.empty() && pipe_of(instruction->opcode) != Pipe::Branch)
            ++turn.predicated;
    }
    count_pipes(code, capability, turn);
    time_alone(code, places, capability, turn);
    count_loads(code, turn);
    const BankLoss loss = bank_loss_of(code);
    turn.bank_conflicts = loss.instructions;
    turn.bank_cycles = loss.cycles;
    return turn;
}

Bound bound_of(const Turn& turn, int warps) {
    Bound out{turn.latency, BoundBy::Latency, {}};
    if (const double issue = double(warps) * turn.instructions; issue > out.cycles)
        out = {issue, BoundBy::Issue, {}};
    if (!turn.pipes.empty() && warps * turn.pipes.front().cycles > out.cycles)
        out = {warps * turn.pipes.front().cycles, BoundBy::Pipe, turn.pipes.front().pipe};
    return out;
}

int warps_to_hide(const Turn& turn) {
    double each = turn.instructions;
    if (!turn.pipes.empty())
        each = std::max(each, turn.pipes.front().cycles);
    return each > 0 ? std::max(1, static_cast<int>(std::ceil(turn.latency / each))) : 1;
}

} // namespace hidet::toolchain::sass
