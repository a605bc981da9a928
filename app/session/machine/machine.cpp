// SPDX-License-Identifier: Apache-2.0
#include "app/session/machine/machine.h"

#include <algorithm>
#include <map>

#include "runtime/toolchain/sass/bound.h"
#include "runtime/toolchain/sass/memory.h"
#include "runtime/toolchain/sass/pipes.h"
#include "runtime/toolchain/sass/pressure.h"
#include "runtime/toolchain/sass/waits.h"

namespace hidet::session {

namespace {

// Where an instruction of a function stands in the listing, and what it came from.
struct ListingPlaces {
    const toolchain::sass::Function& code;
    const TextSnapshot& text;

    int line(std::size_t at) const { return static_cast<int>(code.code[at].line) + 1; }
    Place place(std::size_t at) const {
        const std::size_t line = code.code[at].line;
        return line < text.lines.size() ? text.lines[line].place : Place();
    }
};

namespace sass = toolchain::sass;

std::string binding_name(const sass::Bound& bound) {
    switch (bound.by) {
    case sass::BoundBy::Latency: return "latency";
    case sass::BoundBy::Issue: return "issue";
    case sass::BoundBy::Pipe: return pipe_name(bound.pipe);
    }
    return "";
}

// A turn of a loop as people read it.
MachineTurn turn_view(const sass::Turn& turn, const ListingPlaces& places) {
    MachineTurn out;
    out.instructions = turn.instructions;
    out.stalls = turn.stalls;
    out.latency = turn.latency;
    out.warps_to_hide = warps_to_hide(turn);
    for (const sass::PipeLoad& load : turn.pipes)
        out.pipes.push_back({pipe_name(load.pipe), load.instructions, load.cycles});
    for (int warps : {1, 2, 4, 8, 12, 16}) {
        const sass::Bound bound = bound_of(turn, warps);
        out.bounds.push_back({warps, bound.cycles, binding_name(bound)});
    }
    out.predicated = turn.predicated;
    out.loads = turn.loads;
    out.in_flight = turn.in_flight;
    out.bank_conflicts = turn.bank_conflicts;
    out.bank_cycles = turn.bank_cycles;
    for (const sass::LongWait& wait : turn.waits)
        out.stands.push_back({places.line(wait.waiter), places.place(wait.waiter), wait.cycles});
    return out;
}

} // namespace

namespace sass = toolchain::sass;

namespace {

using Line = std::pair<std::string, int>; // of a script

Line line_of(const Place& place) {
    return {place.file, place.line};
}

void add_mark(std::map<Line, MachineMark>& marks, const Place& place, int bytes) {
    MachineMark& mark = marks.try_emplace(line_of(place), MachineMark{place, 0, 0}).first->second;
    ++mark.instructions;
    mark.bytes += bytes;
}

// One function while it is described.
class Describer {
public:
    Describer(const sass::Function& code, const TextSnapshot& text, int capability)
        : m_code(code), m_flow(sass::flow_of(code)),
          m_registers(sass::registers_of(code, m_flow)), m_places{code, text}, m_capability(capability) {}

    MachineFunction describe() {
        MachineFunction out;
        out.name = m_code.name;
        for (std::size_t at = 0; at < m_code.code.size(); ++at)
            out.instructions.push_back(instruction(at));
        if (!out.instructions.empty())
            out.line = out.instructions.front().line - 1;
        add_arrows(out);
        add_pressure(out);
        add_holders(out);
        add_marks(out);
        add_accesses(out);
        add_loops(out);
        return out;
    }

private:
    MachineInstruction instruction(std::size_t at) const {
        const sass::Instruction& from = m_code.code[at];
        const sass::RegisterRow& row = m_registers[at];
        MachineInstruction out;
        out.line = m_places.line(at);
        out.stall = from.control.stall;
        out.yields = from.control.yields;
        out.sets_for_result = from.control.write;
        out.sets_for_operands = from.control.read;
        for (int k = 0; k < sass::barrier_count; ++k)
            if (from.control.waits_for(k))
                out.waits.push_back(k);
        out.registers = row.live[0];
        out.predicates = row.live[1];
        out.uniform_registers = row.live[2];
        out.uniform_predicates = row.live[3];
        out.spilled_bytes = is_spill(from) ? lane_bytes(from) : 0;
        out.converts = is_convert(from);
        return out;
    }

    void add_arrows(MachineFunction& out) const {
        for (const sass::Wait& wait : waits_of(m_code, m_flow).arrows) {
            const sass::Instruction& setter = m_code.code[wait.setter];
            const bool for_operands = setter.control.read == wait.barrier && setter.control.write != wait.barrier;
            out.arrows.push_back({m_places.line(wait.waiter), m_places.line(wait.setter), wait.barrier, wait.cycles,
                                  wait.is_first, for_operands, setter.opcode});
        }
    }

    void add_pressure(MachineFunction& out) const {
        std::map<Line, MachinePressure> lines;
        for (std::size_t at = 0; at < m_code.code.size(); ++at) {
            const Place place = m_places.place(at);
            if (!place.known())
                continue;
            MachinePressure& row = lines.try_emplace(line_of(place), MachinePressure{place, 0}).first->second;
            row.registers = std::max(row.registers, m_registers[at].live[0]);
        }
        for (const auto& [line, row] : lines)
            out.pressure.push_back(row);
        std::stable_sort(out.pressure.begin(), out.pressure.end(),
                         [](const MachinePressure& a, const MachinePressure& b) { return a.registers > b.registers; });
    }

    void add_holders(MachineFunction& out) const {
        const std::optional<std::size_t> peak = peak_of(m_registers);
        if (!peak)
            return;
        out.most_registers = m_registers[*peak].live[0];
        out.peak_line = m_places.line(*peak);
        out.peak = m_places.place(*peak);
        std::map<Line, MachineHolder> lines;
        for (const sass::Holder& holder : holders_at(m_flow, m_registers, *peak)) {
            const Place place = holder.writer ? m_places.place(*holder.writer) : Place();
            lines.try_emplace(line_of(place), MachineHolder{place, 0}).first->second.registers += holder.registers;
        }
        for (const auto& [line, row] : lines)
            out.holders.push_back(row);
        std::stable_sort(out.holders.begin(), out.holders.end(),
                         [](const MachineHolder& a, const MachineHolder& b) { return a.registers > b.registers; });
    }

    void add_marks(MachineFunction& out) const {
        std::map<Line, MachineMark> spills, conversions;
        for (std::size_t at = 0; at < m_code.code.size(); ++at) {
            const sass::Instruction& instruction = m_code.code[at];
            if (is_spill(instruction))
                add_mark(spills, m_places.place(at), lane_bytes(instruction));
            if (is_convert(instruction))
                add_mark(conversions, m_places.place(at), 0);
        }
        for (const auto& [line, mark] : spills)
            out.spills.push_back(mark);
        for (const auto& [line, mark] : conversions)
            out.conversions.push_back(mark);
    }

    void add_accesses(MachineFunction& out) const {
        std::vector<int> depths(m_flow.blocks.size());
        for (const sass::Loop& loop : loops_of(m_flow))
            for (const std::size_t block : loop.blocks)
                depths[block] = std::max(depths[block], loop.depth);
        for (std::size_t at = 0; at < m_code.code.size(); ++at) {
            const std::optional<sass::MemoryUse> use = memory_use_of(m_code.code[at]);
            if (!use)
                continue;
            const MachineAccess row{m_places.place(at),
                                    use->what,
                                    use->space,
                                    m_code.code[at].opcode,
                                    use->cache,
                                    depths[m_flow.block_of[at]],
                                    1,
                                    use->lane_bytes,
                                    use->sectors};
            const auto alike = std::ranges::find_if(out.accesses, [&](const MachineAccess& each) {
                return line_of(each.place) == line_of(row.place) && each.opcode == row.opcode &&
                       each.depth == row.depth;
            });
            if (alike == out.accesses.end())
                out.accesses.push_back(row);
            else
                ++alike->instructions;
        }
        std::ranges::stable_sort(out.accesses, {}, [](const MachineAccess& each) { return line_of(each.place); });
    }

    void add_loops(MachineFunction& out) const {
        for (const sass::Loop& from : loops_of(m_flow)) {
            MachineLoop loop;
            loop.first_line = m_places.line(m_flow.blocks[from.blocks.front()].begin);
            loop.last_line = m_places.line(m_flow.blocks[from.blocks.back()].end - 1);
            loop.place = m_places.place(m_flow.blocks[from.header].begin);
            loop.depth = from.depth;
            loop.is_inner = from.is_inner;
            loop.least = turn_view(turn_of(m_code, m_flow, from.always, m_capability), m_places);
            if (from.own.size() != from.always.size())
                loop.most = turn_view(turn_of(m_code, m_flow, from.own, m_capability), m_places);
            out.loops.push_back(std::move(loop));
        }
    }

    const sass::Function& m_code;
    const sass::Flow m_flow;
    const sass::RegisterTable m_registers;
    const ListingPlaces m_places;
    const int m_capability;
};

} // namespace

MachineSnapshot machine_of(const toolchain::Disassembly& code, const TextSnapshot& text, int capability) {
    MachineSnapshot out;
    for (const sass::Function& function : code.functions)
        out.functions.push_back(Describer(function, text, capability).describe());
    return out;
}

std::vector<std::string> controls_of(const toolchain::Disassembly& code) {
    std::vector<std::string> out(code.listing.source_lines.size());
    for (const sass::Function& function : code.functions)
        for (const sass::Instruction& instruction : function.code)
            if (instruction.word.known())
                out[instruction.line] = control_text(instruction.control);
    return out;
}

} // namespace hidet::session
