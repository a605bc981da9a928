// SPDX-License-Identifier: Apache-2.0
// What a kernel's machine code says of itself: how each instruction is scheduled, what it waits for, which lines of the script
// hold registers, how long a turn of a loop takes at least. Lines of the listing count from 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

struct MachineInstruction {
    int line = 0; // of the listing
    int stall = 0;
    bool yields = false;
    int sets_for_result = -1;   // the barrier; -1: none
    int sets_for_operands = -1; // likewise, set free once the operands are read
    std::vector<int> waits;     // barriers
    int registers = 0;          // live here, of each kind
    int predicates = 0;
    int uniform_registers = 0;
    int uniform_predicates = 0;
    int spilled_bytes = 0; // by a thread, to or from the stack
    bool converts = false; // a type
};

// From what waits up or down to what raised the barrier.
struct MachineArrow {
    int waiter = 0, setter = 0; // lines of the listing
    int barrier = 0;            // 6: the products of a warpgroup
    int cycles = 0;             // between them on the shortest way, by stalls: what is hidden without other warps
    bool is_first = false;      // no other instruction waits sooner for the same
    bool for_operands = false;  // until these are read, so that they may be overwritten; else for the result
    std::string setter_name;    // "LDG.E.128"
};

struct MachinePressure { // of a line of the script
    Place place;
    int registers = 0; // live at once while it runs, at most
};
struct MachineHolder { // of registers at the instruction where most are live
    Place place;       // of the line that wrote the values
    int registers = 0;
};
struct MachineMark {
    Place place;
    int instructions = 0;
    int bytes = 0; // of spills, by a thread
};

// What an instruction moves between registers and memory; those of a line that are alike are one.
struct MachineAccess {
    Place place;
    std::string what;     // "load", "copy"
    std::string space;    // "global", "shared", "local", "global to shared"
    std::string opcode;   // "LDG.E.128.CONSTANT"
    std::string cache;    // ".CONSTANT"; empty: as usual
    int depth = 0;        // of the loops around it; 0: it runs once
    int instructions = 0; // that are alike: so many run in a turn of the innermost loop
    int lane_bytes = 0;   // 0: one thread asks for all of it
    int sectors = 0;      // of 32 bytes that a warp asks for at least; 0: of no global or local memory
};

struct MachinePipe {
    std::string name; // "FMA heavy"
    int instructions = 0;
    double cycles = 0;
};
struct MachineStand {
    int line = 0; // of the listing
    Place place;
    double cycles = 0;
};
struct MachineBound {
    int warps = 0; // of one scheduler
    double cycles = 0;
    std::string by; // "latency", "issue", or a pipe
};
struct MachineTurn {
    int instructions = 0;
    int stalls = 0;     // cycles of a warp alone
    double latency = 0; // likewise, with what it waits for as early as can be
    int warps_to_hide = 0;
    std::vector<MachinePipe> pipes; // the busiest first
    std::vector<MachineBound> bounds;
    int predicated = 0;
    int loads = 0;
    int in_flight = 0;
    int bank_conflicts = 0;
    int bank_cycles = 0;
    std::vector<MachineStand> stands; // the longest first
};
struct MachineLoop {
    int first_line = 0, last_line = 0; // of the listing; blocks that are moved elsewhere are between them, too
    Place place;                       // the line of the script where it begins
    int depth = 1;
    bool is_inner = true;
    MachineTurn least;               // what every turn runs
    std::optional<MachineTurn> most; // a turn that runs all of it, where some turns do not
};

struct MachineFunction {
    std::string name;
    int line = 0; // of the listing
    int most_registers = 0;
    int peak_line = 0; // where they are live
    Place peak;
    std::vector<MachineInstruction> instructions;
    std::vector<MachineArrow> arrows;
    std::vector<MachinePressure> pressure; // most first
    std::vector<MachineHolder> holders;    // most first
    std::vector<MachineMark> spills, conversions;
    std::vector<MachineAccess> accesses; // by line, then as they stand in the listing
    std::vector<MachineLoop> loops;
};

struct MachineSnapshot {
    std::vector<MachineFunction> functions;
};

} // namespace hidet::session
