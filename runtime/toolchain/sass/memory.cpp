// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/memory.h"

#include <algorithm>
#include <array>

#include "lang/base/text.h"
#include "runtime/toolchain/sass/pipes.h"

namespace hidet::toolchain::sass {

namespace {

struct Row {
    std::string_view name, what, space;
};

constexpr std::array rows{
#define HIDET_MEMORY_OPCODE(name, what, space) Row{name, what, space},
#include "runtime/toolchain/sass/memory.def"
};

constexpr int warp = 32, bytes_of_sector = 32;

// Sizes, types and the width of addresses; what is left is for the caches and for the order of accesses.
bool is_shape(std::string_view modifier) {
    static constexpr std::array shapes{"E",   "U",    "8",   "U8",  "S8",   "16",  "U16", "S16", "32",    "64",
                                       "128", "256",  "F32", "F16", "BF16", "S32", "U64", "S64", "ADD",   "MIN",
                                       "MAX", "AND",  "OR",  "XOR", "EXCH", "CAS", "INC", "DEC", "F16x2", "RN",
                                       "M88", "MT88", "T",   "4",   "2",    "2D",  "3D",  "1D",  "4D",    "5D"};
    return std::ranges::find(shapes, modifier) != shapes.end();
}

int bytes_of_lane(const Instruction& instruction) {
    if (instruction.has("U8") || instruction.has("S8"))
        return 1;
    return instruction.has("U16") || instruction.has("S16") ? 2 : lane_bytes(instruction);
}

std::string cache_of(std::string_view opcode) {
    std::string out;
    const std::vector<std::string> words = split(opcode, '.');
    for (std::size_t i = 1; i < words.size(); ++i)
        if (!is_shape(words[i]))
            out += cat('.', words[i]);
    return out;
}

} // namespace

std::optional<MemoryUse> memory_use_of(const Instruction& instruction) {
    const auto row = std::ranges::find_if(rows, [&](const Row& each) { return instruction.is(each.name); });
    if (row == rows.end())
        return {};
    MemoryUse out;
    out.what = row->what;
    out.space = row->space;
    const bool is_of_one_thread = row->name.starts_with('U');
    out.lane_bytes = is_of_one_thread ? 0 : bytes_of_lane(instruction);
    out.cache = cache_of(instruction.opcode);
    if (row->space.starts_with("global") || row->space == "local")
        out.sectors = (out.lane_bytes * warp + bytes_of_sector - 1) / bytes_of_sector;
    return out;
}

} // namespace hidet::toolchain::sass
