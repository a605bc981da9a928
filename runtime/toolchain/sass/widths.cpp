// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/widths.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "lang/base/text.h"

namespace hidet::toolchain::sass {

namespace {

using Widths = std::array<int, 4>; // by role

std::optional<Widths> listed(const Instruction& instruction) {
    constexpr struct {
        std::string_view name, modifier;
        Widths widths;
    } rows[] = {
#define HIDET_WIDTHS(name, modifier, result, a, b, c) {name, modifier, {result, a, b, c}},
#include "runtime/toolchain/sass/widths.def"
    };
    for (const auto& row : rows)
        if (instruction.is(row.name) && (row.modifier.empty() || instruction.has(row.modifier)))
            return row.widths;
    return {};
}

bool is_one_of(const Instruction& instruction, std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return instruction.is(name); });
}

// "F2I.S64.F64.TRUNC": the result's type, then the operand's. The other side of one that names a single type is 32 bits wide, but
// for F2I and I2F, whose names say which side it is.
std::optional<Widths> conversion(const Instruction& instruction) {
    if (!is_one_of(instruction, {"F2F", "F2I", "I2F", "I2I", "FRND"}))
        return {};
    std::vector<int> types;
    for (const std::string& word : split(instruction.opcode, '.'))
        if (word.size() > 1 && std::string_view("FUSB").find(word[0]) != std::string_view::npos &&
            std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; }))
            types.push_back(word.ends_with("64") ? 2 : 1);
    if (types.size() >= 2)
        return Widths{types[0], types[1], 1, 1};
    const int only = types.empty() ? 1 : types[0];
    if (instruction.is("FRND"))
        return Widths{only, only, 1, 1};
    if (instruction.is("F2F"))
        return Widths{only, 1, 1, 1};
    const bool is_float = instruction.has("F64");
    if (instruction.is("I2F"))
        return is_float ? Widths{2, 1, 1, 1} : Widths{1, only, 1, 1};
    return is_float ? Widths{1, 2, 1, 1} : Widths{only, 1, 1, 1};
}

struct Tile {
    int m = 0, n = 0, k = 0;
};

// "16816" is 16 x 8 x 16, "64x128x16" is what it says.
Tile tile_in(std::string_view word) {
    Tile out;
    int* const sides[] = {&out.m, &out.n, &out.k};
    if (word.find('x') != std::string_view::npos) {
        std::size_t side = 0;
        for (const std::string& number : split(word, 'x'))
            if (side < 3)
                std::from_chars(number.data(), number.data() + number.size(), *sides[side++]);
        return out;
    }
    // Each side is a power of two of at least 4: a 1 begins 16 or 128, else the digits stand alone but for 32 and 64 and 256.
    std::size_t at = 0;
    for (int* side : sides)
        for (std::string_view number : {"256", "128", "64", "32", "16", "8", "4"})
            if (*side == 0 && word.substr(at).starts_with(number)) {
                std::from_chars(number.data(), number.data() + number.size(), *side);
                at += number.size();
            }
    return at == word.size() ? out : Tile();
}

int element_bits(const Instruction& instruction) {
    if (is_one_of(instruction, {"DMMA"}))
        return 64;
    if (is_one_of(instruction, {"BMMA", "BGMMA"}))
        return 1;
    if (is_one_of(instruction, {"QMMA", "QGMMA", "IGMMA"}))
        return 8;
    if (is_one_of(instruction, {"OMMA"}))
        return 4;
    if (instruction.is("IMMA"))
        return instruction.has("S4") || instruction.has("U4") ? 4 : 8;
    return instruction.has("TF32") ? 32 : 16;
}

// Of the sums of a product: those of halves take a register for two.
int sum_bits(const Instruction& instruction) {
    if (instruction.is("DMMA"))
        return 64;
    const bool adds_halves = is_one_of(instruction, {"HMMA", "HGMMA", "QMMA", "QGMMA"}) && !instruction.has("F32");
    return adds_halves ? 16 : 32;
}

std::optional<Widths> product(const Instruction& instruction) {
    const std::string_view base = std::string_view(instruction.opcode).substr(0, instruction.opcode.find('.'));
    if (!base.ends_with("MMA") || base.starts_with("UTC"))
        return {};
    const std::vector<std::string> words = split(instruction.opcode, '.');
    if (words.size() < 2)
        return {};
    const Tile tile = tile_in(words[1]);
    if (tile.k == 0)
        return {};
    const int threads = base.ends_with("GMMA") ? 128 : 32;
    const auto registers = [&](int elements, int bits) { return std::max(elements * bits / threads / 32, 1); };
    const int bits = element_bits(instruction);
    const int half = instruction.has("SP") && threads == 32 ? 2 : 1;
    const int sums = registers(tile.m * tile.n, sum_bits(instruction));
    return Widths{sums, registers(tile.m * tile.k, bits) / half, registers(tile.n * tile.k, bits), sums};
}

// Of what is moved: "LDS.U.128", "LDSM.16.M88.4", "ATOMG.E.ADD.64".
std::optional<int> moved(const Instruction& instruction) {
    if (is_one_of(instruction, {"LDSM", "STSM"})) {
        const char last = instruction.opcode.back();
        return last == '4' || last == '2' ? (instruction.opcode[instruction.opcode.size() - 2] == '.' ? last - '0' : 1)
                                          : 1;
    }
    if (!is_one_of(instruction, {"LD", "LDG", "LDL", "LDS", "ST", "STG", "STL", "STS", "ATOM", "ATOMG", "ATOMS", "RED",
                                 "REDG", "REDAS", "STAS"}))
        return {};
    if (instruction.has("128"))
        return 4;
    return instruction.has("64") || instruction.has("F64") || instruction.has("U64") || instruction.has("S64") ? 2 : 1;
}

int dimensions(const Instruction& instruction) {
    for (int count = 1; count <= 5; ++count)
        if (instruction.has(cat(count, "D")))
            return count;
    return 1;
}

} // namespace

int width_of(const Instruction& instruction, OperandRole role) {
    if (auto width = moved(instruction))
        return *width;
    const auto at = static_cast<std::size_t>(role);
    if (auto widths = listed(instruction))
        return (*widths)[at];
    if (auto widths = conversion(instruction))
        return (*widths)[at];
    if (auto widths = product(instruction))
        return (*widths)[at];
    return 1;
}

int address_width(const Instruction& instruction, std::size_t operand) {
    const int coordinates = dimensions(instruction);
    if (instruction.is("UTMALDG"))
        return operand == 0 ? 2 + coordinates : 2; // of shared memory, the barrier, and where the box begins
    if (is_one_of(instruction, {"UTMASTG", "UTMAREDG", "UTMAPF"}))
        return operand == 0 ? 1 + coordinates : 2;
    if (is_one_of(instruction, {"UBLKCP", "UBLKRED", "UBLKPF", "UTMACCTL"}))
        return 2;
    return 1;
}

} // namespace hidet::toolchain::sass
