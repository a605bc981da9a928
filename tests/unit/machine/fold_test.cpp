// SPDX-License-Identifier: Apache-2.0
// What machine code says of itself, folded to the lines of a script.
#include <doctest/doctest.h>

#include "app/session/machine/machine.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// Lines 10 to 13 of the script: a load and its use in a loop, then a spill.
const char* const code = "\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n"
                         "    /*0000*/ S2R R0, SR_TID.X ; /* 0x0000000000000001 */\n    /* 0x000e220000002100 */\n"
                         ".L_x_0:\n"
                         "    /*0010*/ LDG.E R2, [R0.64] ; /* 0x0000000000000001 */\n    /* 0x001ea40000000000 */\n"
                         "    /*0020*/ FADD R3, R2, R3 ; /* 0x0000000000000001 */\n    /* 0x004fc80000000000 */\n"
                         "    /*0030*/ @P0 BRA `(.L_x_0) ; /* 0x0000000000000001 */\n    /* 0x000fea0000000000 */\n"
                         "    /*0040*/ STL [R1+0x4], R3 ; /* 0x0000000000000001 */\n    /* 0x000fe80000000000 */\n"
                         "    /*0050*/ EXIT ; /* 0x0000000000000001 */\n    /* 0x000fea0000000000 */\n";

struct Folded {
    toolchain::Disassembly read;
    TextSnapshot text;
    MachineFunction function;

    Folded() {
        read = toolchain::read_disassembly(code);
        text.text = read.listing.text;
        // The name of the kernel, S2R, the label, LDG, FADD, BRA, STL, EXIT.
        for (int line : {9, 10, 0, 11, 12, 11, 13, 0})
            text.lines.push_back({line ? Place{"k.py", line, 1, line, 2} : Place(), ""});
        function = machine_of(read, text, 90).functions.at(0);
    }
};

} // namespace

TEST_CASE_FIXTURE(Folded, "an arrow leads from the line that waits to the line that it waits for") {
    REQUIRE(function.arrows.size() == 2);
    REQUIRE(function.arrows[0].waiter == 4);
    REQUIRE(function.arrows[0].setter == 2);
    REQUIRE(function.arrows[1].waiter == 5);
    REQUIRE(function.arrows[1].setter == 4);
    REQUIRE(function.arrows[1].barrier == 2);
    REQUIRE(function.arrows[1].cycles == 2);
    REQUIRE(function.arrows[1].is_first);
    REQUIRE(function.arrows[1].setter_name == "LDG.E");
}

TEST_CASE_FIXTURE(Folded, "a line has as many registers as are live at any of its instructions, the most first") {
    REQUIRE(function.most_registers == 4); // R0 and R1 are the address
    REQUIRE(function.peak.line == 11);
    REQUIRE(function.pressure.size() == 4);
    REQUIRE(function.pressure[0].place.line == 11);
    REQUIRE(function.pressure[0].registers == 4);
    REQUIRE(function.pressure[3].place.line == 13);
    REQUIRE(function.pressure[3].registers == 2);
}

TEST_CASE_FIXTURE(Folded, "the lines that wrote what is live where most is are named, also from the turn before") {
    REQUIRE(function.holders.size() == 4);
    int all = 0;
    for (const MachineHolder& holder : function.holders)
        all += holder.registers;
    REQUIRE(all == function.most_registers);
    REQUIRE(!function.holders[0].place.known());   // R1, which nothing here wrote
    REQUIRE(function.holders[1].place.line == 10); // R0; R2 is of line 11, R3 of line 12 in the turn before
    REQUIRE(function.holders[2].place.line == 11);
    REQUIRE(function.holders[3].place.line == 12);
}

TEST_CASE_FIXTURE(Folded, "spills are counted at their line, and a loop begins at its") {
    REQUIRE(function.spills.size() == 1);
    REQUIRE(function.spills[0].place.line == 13);
    REQUIRE(function.spills[0].bytes == 4);
    REQUIRE(function.conversions.empty());
    REQUIRE(function.loops.size() == 1);
    REQUIRE(function.loops[0].place.line == 11);
    REQUIRE(function.loops[0].first_line == 4);
    REQUIRE(function.loops[0].last_line == 6);
    REQUIRE(function.loops[0].least.stalls == 11);
    REQUIRE(function.loops[0].least.latency > function.loops[0].least.stalls); // the load is waited for
    REQUIRE(function.loops[0].least.stands.at(0).place.line == 12);
    REQUIRE(!function.loops[0].most);
}

TEST_CASE_FIXTURE(Folded, "each instruction has its control beside its line, and a label has none") {
    const std::vector<std::string> controls = controls_of(read);
    REQUIRE(controls.size() == text.lines.size());
    REQUIRE(controls[0].empty());
    REQUIRE(controls[1] == "B------ R- W0 - S01 ---");
    REQUIRE(controls[2].empty());
    REQUIRE(controls[4] == "B--2--- R- W- Y S04 ---");
}
