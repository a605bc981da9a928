// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/pipes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "lang/base/text.h"

namespace hidet::toolchain::sass {

namespace {

constexpr std::size_t generation_count = 6;
constexpr double nearest_cache = 33; // cycles until an L1 that has it answers

struct PipeRow {
    const char* name;
    int result;
    std::array<int, generation_count> cycles;
};
constexpr PipeRow pipe_rows[] = {
#define HIDET_PIPE(name, text, result, ...) {text, result, {__VA_ARGS__}},
#include "runtime/toolchain/sass/pipes.def"
};

const std::map<std::string_view, Pipe>& opcodes() {
    static const std::map<std::string_view, Pipe> table = {
#define HIDET_OPCODE(name, pipe) {name, Pipe::pipe},
#include "runtime/toolchain/sass/opcodes.def"
    };
    return table;
}

std::size_t generation_of(int capability) {
    constexpr std::array<int, generation_count> first = {75, 80, 86, 90, 100, 120};
    std::size_t at = 0;
    while (at + 1 < generation_count && first[at + 1] <= capability)
        ++at;
    return at;
}

std::string_view base_of(std::string_view opcode) {
    return opcode.substr(0, opcode.find('.'));
}

// 16-bit products that a quarter of an SM adds up in a cycle.
double products_a_cycle(int capability) {
    constexpr std::array<double, generation_count> rates = {128, 256, 128, 512, 512, 128};
    return rates[generation_of(capability)];
}

// How many narrower products take the place of one of 16 bits.
double density(const Instruction& instruction) {
    if (instruction.is("DMMA"))
        return 1.0 / 16;
    if (instruction.has("TF32"))
        return 0.5;
    if (instruction.has("S4") || instruction.has("U4"))
        return 4;
    return instruction.is("HMMA") || instruction.is("HGMMA") ? 1 : 2;
}

// "16816" is 16 x 8 x 16, "64x128x16" says so itself; a warpgroup's four warps share its rows.
double products_of(const Instruction& instruction) {
    constexpr std::pair<std::string_view, double> shapes[] = {{"884", 256},    {"8816", 1024},  {"8832", 2048},
                                                              {"1688", 1024},  {"16816", 2048}, {"16832", 4096},
                                                              {"16864", 8192}, {"1684", 512}};
    for (const std::string& word : split(instruction.opcode, '.')) {
        for (const auto& [shape, products] : shapes)
            if (word == shape)
                return products;
        if (word.find('x') == std::string::npos)
            continue;
        double all = 1;
        for (const std::string& side : split(word, 'x')) {
            int number = 1;
            std::from_chars(side.data(), side.data() + side.size(), number);
            all *= number;
        }
        return all / 4;
    }
    return 2048;
}

// Matrices of 8 x 8 halves that a warp loads or stores: the last word is their number, one where there is none.
int matrices_of(const Instruction& instruction) {
    return instruction.has("4") ? 4 : instruction.has("2") ? 2 : 1;
}

bool is_any(const Instruction& instruction, std::initializer_list<std::string_view> bases) {
    return std::ranges::any_of(bases, [&](std::string_view base) { return instruction.is(base); });
}

} // namespace

const char* pipe_name(Pipe pipe) {
    return pipe_rows[static_cast<std::size_t>(pipe)].name;
}

bool is_known_opcode(std::string_view opcode) {
    return opcodes().contains(base_of(opcode));
}

Pipe pipe_of(std::string_view opcode) {
    auto found = opcodes().find(base_of(opcode));
    return found == opcodes().end() ? Pipe::Other : found->second;
}

bool is_spill(const Instruction& instruction) {
    return is_any(instruction, {"STL", "LDL"}) && instruction.operands.find("[R1") != std::string::npos &&
           instruction.operands.find_first_of("]+", instruction.operands.find("[R1") + 3) ==
               instruction.operands.find("[R1") + 3;
}

bool is_convert(const Instruction& instruction) {
    return is_any(instruction, {"F2F", "F2FP", "F2I", "F2IP", "FRND", "I2F", "I2FP", "I2I", "I2IP", "PRMT"});
}

bool is_load(const Instruction& instruction) {
    return is_any(instruction, {"LD", "LDG", "LDGSTS", "LDL", "LDS", "LDSM", "TEX", "TLD", "TLD4", "SULD"});
}

int lane_bytes(const Instruction& instruction) {
    if (is_any(instruction, {"LDSM", "STSM"}))
        return matrices_of(instruction) * 4;
    if (instruction.has("256"))
        return 32;
    if (instruction.has("128"))
        return 16;
    return instruction.has("64") ? 8 : 4;
}

double pipe_cycles(const Instruction& instruction, int capability) {
    const Pipe pipe = pipe_of(instruction.opcode);
    if (pipe == Pipe::Tensor)
        return products_of(instruction) / (products_a_cycle(capability) * density(instruction));
    const double cycles = pipe_rows[static_cast<std::size_t>(pipe)].cycles[generation_of(capability)];
    if (pipe == Pipe::Lsu)
        return cycles * lane_bytes(instruction) / 4;
    return is_any(instruction, {"FADD2", "FFMA2", "FMUL2"}) ? 2 * cycles : cycles;
}

double least_latency(const Instruction& instruction, int capability) {
    const Pipe pipe = pipe_of(instruction.opcode);
    if (is_any(instruction, {"LD", "LDG", "LDL"}))
        return nearest_cache;
    const double least = pipe_rows[static_cast<std::size_t>(pipe)].result;
    return pipe == Pipe::Tensor ? least + pipe_cycles(instruction, capability) : least;
}

} // namespace hidet::toolchain::sass
