// SPDX-License-Identifier: Apache-2.0
// What reads the output of tools gets through any text: a tool of tomorrow may print what none prints today.
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <elf.h>
#include <random>
#include <string>

#include "runtime/toolchain/cache_entry.h"
#include "runtime/toolchain/figures.h"
#include "runtime/toolchain/listing.h"
#include "runtime/toolchain/messages.h"
#include "runtime/toolchain/sass/bound.h"
#include "runtime/toolchain/sass/pressure.h"
#include "runtime/toolchain/sass/waits.h"
#include "tests/unit/toolchain/proof.h"

using namespace hidet;
using namespace hidet::toolchain;

namespace {

const std::string ptx = "//\n.version 9.0\n.target sm_90a\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n"
                        "\t.reg .b32 \t%r<4>;\n\t.loc\t1 4 0\n\tld.param.u64 \t%rd1, [k_param_0];\n"
                        "\t.loc\t1 7 3\n\t.loc\t1 2 34, function_name $L__info_string0, inlined_at 1 7 3\n"
                        "\t// begin inline asm\n\t{ .reg .pred p;\nex2.approx.f32 %f1, %f2;\n}\n\t// end inline asm\n\n"
                        "$L__BB0_1:\n\tbra \t$L__BB0_1;\n\tret;\n\n}\n\t.file\t1 \"/hidet/kernel.cu\"\n"
                        "\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,0\n\n\t}\n";
const std::string disassembly =
    "\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n"
    "\t//## File \"/hidet/kernel.cu\", line 2 inlined at \"/hidet/kernel.cu\", line 7\n"
    "\t//## File \"/hidet/kernel.cu\", line 7\n        /*0000*/               @!P0 BRA `(.L_x_2) ;\n"
    ".L_x_1:\n        /*0010*/     BRX R2 -0xf0      (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*);\n"
    ".L_x_2:\n        /*0020*/                   EXIT ;\n.L_x_3:\n        /*0030*/  BRA `(.L_x_3);\n"
    "        /*0040*/                   NOP;\n";
const std::string words = "\t.section\t.text.k,\"ax\",@progbits\nk:\n.L_x_1:\n"
                          "    /*0000*/ LDS R0, [R1] ; /* 0x0000000000007919 */\n    /* 0x000e240000000000 */\n"
                          "    /*0010*/ @P0 BRA `(.L_x_1) ; /* 0x0000000000007919 */\n    /* 0x001fea0000000000 */\n"
                          "    /*0020*/ DEPBAR.LE SB0, 0x1 ; /* 0x0000000000007919 */\n    /* 0x000fe40000000000 */\n";
const std::string messages = "/hidet/kernel.cu(5): error: identifier \"x\" is undefined\n"
                             "ptxas application ptx input, line 9; error   : Not a name\n          inlined at line 9\n"
                             "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                             "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
                             "ptxas info    : Used 8 registers, used 1 barriers, 96 bytes smem, 360 bytes cmem[0]\n";

// Deletes, doubles and replaces pieces.
std::string damaged(std::string text, std::mt19937& random) {
    for (unsigned edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
        std::size_t at = random() % text.size();
        std::size_t size = std::min<std::size_t>(random() % 30, text.size() - at);
        switch (random() % 4) {
        case 0: text.erase(at, size); break;
        case 1: text.insert(at, text.substr(random() % text.size(), size)); break;
        case 2: text[at] = "\n\t \"'(){}:;,/*@.0123456789L_\0\xff"[random() % 30]; break;
        case 3: text.resize(at); break;
        }
    }
    return text;
}

void expect_sound(const Listing& listing) {
    auto lines = static_cast<std::size_t>(std::count(listing.text.begin(), listing.text.end(), '\n'));
    REQUIRE(listing.source_lines.size() == lines);
    REQUIRE(listing.callers.size() == lines);
    REQUIRE((listing.text.empty() || listing.text.back() == '\n'));
    for (std::size_t i = 0; i < lines; ++i)
        REQUIRE((listing.source_lines[i] >= 0 && (listing.source_lines[i] > 0 || listing.callers[i].empty())));
}

// An ELF file of one section that holds instructions with these opcodes, or of data.
std::string cubin_of(const std::vector<std::uint64_t>& opcodes, std::uint64_t flags = SHF_ALLOC | SHF_EXECINSTR) {
    std::string code;
    for (std::uint64_t opcode : opcodes) {
        const std::uint64_t word[] = {0x7000 | opcode, 0x000fea0003800000};
        code.append(reinterpret_cast<const char*>(word), sizeof word);
    }
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_shoff = sizeof head + code.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = 1;
    Elf64_Shdr section{};
    section.sh_type = SHT_PROGBITS;
    section.sh_flags = flags;
    section.sh_offset = sizeof head;
    section.sh_size = code.size();
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + code +
           std::string(reinterpret_cast<const char*>(&section), sizeof section);
}

} // namespace

TEST_CASE("code that jumps to where a register says is known") {
    constexpr std::uint64_t exit = 0x94d, branch = 0x947;
    REQUIRE(!has_indirect_jumps(cubin_of({branch, exit})));
    for (const std::uint64_t jump : {0x949, 0x94c, 0x958, 0x959})
        REQUIRE(has_indirect_jumps(cubin_of({branch, jump, exit})));
    REQUIRE(!has_indirect_jumps(cubin_of({0x949}, SHF_ALLOC)));
}

TEST_CASE("of what is no cubin nobody can tell where it jumps") {
    REQUIRE(has_indirect_jumps(""));
    REQUIRE(has_indirect_jumps("cubin"));
    const std::string whole = cubin_of({0x94d});
    REQUIRE(has_indirect_jumps(whole.substr(0, whole.size() - 1)));
    std::mt19937 random(1);
    for (int i = 0; i < 4000; ++i)
        (void)has_indirect_jumps(damaged(whole, random));
}

TEST_CASE("the samples of this test are read as they should be") {
    REQUIRE(ptx_listing(ptx).text.find("    ex2.approx.f32 %f1, %f2;\n") != std::string::npos);
    REQUIRE(sass_listing(disassembly).text ==
            "k:\n    0000  @!P0  BRA .L2\n.L1:\n    0010        BRX R2 -0xf0 // .L1, .L2\n"
            ".L2:\n    0020        EXIT\n");
    REQUIRE(read_ptxas_log(messages).figures.size() == 1u);
    REQUIRE(read_messages(messages).size() == 2u);
    REQUIRE(lead_back(messages, ptx).find("/hidet/kernel.cu(4): error: Not a name\n") != std::string::npos);
}

TEST_CASE("damaged texts give sound listings") {
    std::mt19937 random(1);
    for (int i = 0; i < 4000; ++i) {
        expect_sound(ptx_listing(damaged(ptx, random)));
        expect_sound(sass_listing(damaged(disassembly, random)));
    }
}

TEST_CASE("damaged logs are read to their end") {
    std::mt19937 random(2);
    for (int i = 0; i < 4000; ++i) {
        std::string text = damaged(messages, random);
        (void)read_ptxas_log(text);
        (void)read_messages(text);
        (void)lead_back(text, damaged(ptx, random));
    }
}

TEST_CASE("no damaged entry of the cache is taken for a whole one") {
    std::mt19937 random(3);
    std::string bytes = ptx;
    const std::string key(32, 'a'), other(32, 'b');
    std::string entry = entry_head(key, bytes) + bytes;
    REQUIRE(entry_bytes(key, entry) == bytes);
    REQUIRE(!entry_bytes(other, entry));
    for (int i = 0; i < 4000; ++i)
        if (std::string text = damaged(entry, random); text != entry)
            REQUIRE(!entry_bytes(key, text));
}

TEST_CASE("a listing tells the innermost line that counts") {
    Listing listing = sass_listing(disassembly);
    auto above = [](int lowest) { return [lowest](int line) { return line >= lowest; }; };
    REQUIRE(source_line(listing, 1, above(1)) == 2);
    REQUIRE(source_line(listing, 1, above(3)) == 7);
    REQUIRE(source_line(listing, 1, above(8)) == 0);
    REQUIRE(source_line(listing, 99, above(1)) == 0);
}

// Everything that is computed from machine code, on what may be none.
void analyse(const std::string& code) {
    const Disassembly read = read_disassembly(code);
    expect_sound(read.listing);
    for (const sass::Function& function : read.functions) {
        const sass::Flow flow = sass::flow_of(function);
        const sass::RegisterTable registers = sass::registers_of(function, flow);
        REQUIRE(registers.size() == function.code.size());
        for (const sass::Wait& wait : sass::waits_of(function, flow).arrows)
            REQUIRE(wait.setter < function.code.size());
        for (const sass::Reading& reading : sass::readings_of(function, flow, registers))
            REQUIRE(reading.writer < function.code.size());
        for (const sass::Loop& loop : sass::loops_of(flow))
            REQUIRE(sass::turn_of(function, flow, loop.own, 90).latency >= 0);
        if (auto peak = sass::peak_of(registers))
            REQUIRE(sass::holders_at(flow, registers, *peak).size() <= registers[*peak].all.size());
    }
}

TEST_CASE("damaged machine code is analysed all the same") {
    std::mt19937 random(21);
    analyse(words);
    for (int i = 0; i < 3000; ++i)
        analyse(damaged(words, random));
}
