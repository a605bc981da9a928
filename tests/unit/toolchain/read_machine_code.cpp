// SPDX-License-Identifier: Apache-2.0
// read_machine_code FILE [CAPABILITY]: what is found in machine code, for golden files. The file is what nvdisasm prints with
// -hex; after a line "#### live registers", if there is one, what it prints with -lrm narrow, and we are compared with that.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lang/base/text.h"
#include "runtime/toolchain/listing.h"
#include "runtime/toolchain/sass/bound.h"
#include "runtime/toolchain/sass/pressure.h"
#include "runtime/toolchain/sass/waits.h"
#include "tests/bench/bench.h"
#include "tests/unit/toolchain/life_ranges.h"
#include "tests/unit/toolchain/proof.h"

using namespace hidet::toolchain;
using namespace hidet::toolchain::sass;

namespace {

std::string name_of(const Instruction& instruction) {
    char address[16];
    std::snprintf(address, sizeof address, "%04x ", static_cast<unsigned>(instruction.address));
    return address + instruction.opcode;
}

void show_code(const Function& function, const RegisterTable& registers) {
    for (std::size_t i = 0; i < function.code.size(); ++i) {
        const Instruction& instruction = function.code[i];
        const RegisterRow& row = registers[i];
        std::printf("  %s  %3d %d %2d %d  %-5s %s%s%s\n", control_text(instruction.control).c_str(), row.live[0],
                    row.live[1], row.live[2], row.live[3], instruction.guard.c_str(), name_of(instruction).c_str(),
                    instruction.operands.empty() ? "" : " ", instruction.operands.c_str());
    }
}

void show_waits(const Function& function, const Flow& flow) {
    const Waits waits = waits_of(function, flow);
    for (const Wait& wait : waits.arrows)
        std::printf("  %s waits for %s, barrier %d, after %d cycles%s\n", name_of(function.code[wait.waiter]).c_str(),
                    name_of(function.code[wait.setter]).c_str(), wait.barrier, wait.cycles,
                    wait.is_first ? "" : ", not the first to");
    for (const auto& [waiter, barrier] : waits.repeated)
        std::printf("  %s waits for barrier %d again\n", name_of(function.code[waiter]).c_str(), barrier);
    for (const auto& [waiter, barrier] : waits.unanswered)
        std::printf("  %s waits for barrier %d, which nothing raises\n", name_of(function.code[waiter]).c_str(),
                    barrier);
}

void show_proof(const Function& function, const Flow& flow, const RegisterTable& registers) {
    int fixed = 0;
    const std::vector<Reading> readings = readings_of(function, flow, registers);
    for (const Reading& reading : readings) {
        fixed += reading.least > 0;
        if (!reading.is_sound())
            std::printf("  %s reads what %s writes %s\n", name_of(function.code[reading.reader]).c_str(),
                        name_of(function.code[reading.writer]).c_str(),
                        reading.is_waited
                            ? hidet::cat("after ", reading.cycles, " of ", reading.least, " cycles").c_str()
                            : "and does not wait");
    }
    std::printf("  %d results are read, %d of a known latency\n", static_cast<int>(readings.size()), fixed);
}

const char* binding_name(const Bound& bound) {
    switch (bound.by) {
    case BoundBy::Latency: return "latency";
    case BoundBy::Issue: return "issue";
    case BoundBy::Pipe: return pipe_name(bound.pipe);
    }
    return "";
}

void show_turn(const char* name, const Function& function, const Turn& turn) {
    std::printf("    %s: %d instructions, %d cycles by stalls, %g with waits\n", name, turn.instructions, turn.stalls,
                turn.latency);
    for (const PipeLoad& load : turn.pipes)
        std::printf("      %s: %d, %g cycles\n", pipe_name(load.pipe), load.instructions, load.cycles);
    for (int warps : {1, 4, 16}) {
        const Bound bound = bound_of(turn, warps);
        std::printf("      %d warps: %g cycles by %s\n", warps, bound.cycles, binding_name(bound));
    }
    std::printf("      %d warps hide it; %d of %d loads in flight; %d may be off; %d bank conflicts lose %d cycles\n",
                warps_to_hide(turn), turn.in_flight, turn.loads, turn.predicated, turn.bank_conflicts,
                turn.bank_cycles);
    for (const LongWait& wait : turn.waits)
        std::printf("      stands %g cycles at %s\n", wait.cycles, name_of(function.code[wait.waiter]).c_str());
}

void show_loop(const Function& function, const Flow& flow, const Loop& loop, int capability) {
    std::printf("  at %s, depth %d%s\n", name_of(function.code[flow.blocks[loop.header].begin]).c_str(), loop.depth,
                loop.is_inner ? ", inner" : "");
    show_turn("at least", function, turn_of(function, flow, loop.always, capability));
    if (loop.own.size() != loop.always.size())
        show_turn("all of it", function, turn_of(function, flow, loop.own, capability));
}

void show_pressure(const Function& function, const Flow& flow, const RegisterTable& registers) {
    const std::optional<std::size_t> peak = peak_of(registers);
    if (!peak)
        return;
    std::printf("  %d registers at %s\n", registers[*peak].live[0], name_of(function.code[*peak]).c_str());
    for (const Holder& holder : holders_at(flow, registers, *peak))
        std::printf("    %d from %s\n", holder.registers,
                    holder.writer ? name_of(function.code[*holder.writer]).c_str() : "before");
}

void show_marks(const Function& function) {
    for (const Instruction& instruction : function.code) {
        if (is_spill(instruction))
            std::printf("  %s spills %d bytes\n", name_of(instruction).c_str(), lane_bytes(instruction));
        if (is_convert(instruction))
            std::printf("  %s converts\n", name_of(instruction).c_str());
    }
}

// Where nvdisasm's own table says something else.
void show_differences(const Function& function, const RegisterTable& registers, const RegisterTable& told) {
    int different = 0;
    for (std::size_t i = 0; i < function.code.size(); ++i) {
        const RegisterRow &ours = registers[i], &theirs = told[i];
        if (ours.reads == theirs.reads && ours.writes == theirs.writes && ours.all == theirs.all)
            continue;
        ++different;
        std::printf("  %s differs\n", name_of(function.code[i]).c_str());
    }
    std::printf("  %d of %d instructions are not as nvdisasm says\n", different,
                static_cast<int>(function.code.size()));
}

void show(const Function& function, const Flow& flow, const RegisterTable& registers, int capability) {
    std::printf("%s:\n", function.name.c_str());
    show_code(function, registers);
    std::printf("waits\n");
    show_waits(function, flow);
    std::printf("proof\n");
    show_proof(function, flow, registers);
    std::printf("loops\n");
    for (const Loop& loop : loops_of(flow))
        show_loop(function, flow, loop, capability);
    std::printf("registers\n");
    show_pressure(function, flow, registers);
    show_marks(function);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2)
        return 2;
    const std::string text = hidet::bench::read_text(argv[1]);
    const std::size_t table = text.find("#### live registers");
    const Disassembly code = read_disassembly(text.substr(0, table));
    const std::vector<RegisterTable> told =
        hidet::test::read_life_ranges(table == std::string::npos ? "" : text.substr(table), code.functions);
    for (std::size_t i = 0; i < code.functions.size(); ++i) {
        const Flow flow = flow_of(code.functions[i]);
        const RegisterTable registers = registers_of(code.functions[i], flow);
        show(code.functions[i], flow, registers, argc > 2 ? std::atoi(argv[2]) : 90);
        if (table != std::string::npos)
            show_differences(code.functions[i], registers, told[i]);
    }
    return 0;
}
