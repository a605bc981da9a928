// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/banks.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lang/base/text.h"

namespace hidet::toolchain::sass {

namespace {

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
        if (kept != name && std::find(out[bank].begin(), out[bank].end(), name) == out[bank].end())
            out[bank].push_back(name);
        kept = (instruction.control.reuse >> slot & 1u) ? name : nothing;
    }
    return out;
}

} // namespace

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

} // namespace hidet::toolchain::sass
