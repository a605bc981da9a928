// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/live.h"

#include <algorithm>

namespace hidet::vm {

namespace {
constexpr std::size_t live_word_bits = 64;
} // namespace

LiveRegisters::LiveRegisters(const Function& function)
    : m_function(function), m_first_scalar(static_cast<std::size_t>(function.v_count) + 2),
      m_words((m_first_scalar + static_cast<std::size_t>(function.u_count)) / live_word_bits + 1),
      m_uses(function.code.size()), m_definitions(function.code.size()), m_live((function.code.size() + 1) * m_words) {
    for (std::size_t pc = 0; pc < function.code.size(); ++pc)
        for_each_register(function, function.code[pc], [&](std::int32_t r, Role role) {
            (role == Role::Definition ? m_definitions : m_uses)[pc].push_back(bit_of(r));
        });
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (std::size_t pc = function.code.size(); pc-- > 0;)
            is_changed = pass(pc) || is_changed;
    }
}

bool LiveRegisters::pass(std::size_t pc) {
    const Instr& i = m_function.code[pc];
    std::vector<std::uint64_t> live(m_words);
    const auto add = [&](std::size_t next) {
        for (std::size_t w = 0; w < m_words; ++w)
            live[w] |= m_live[next * m_words + w];
    };
    if (i.op != Op::Jump && i.op != Op::Return)
        add(pc + 1);
    if (artifact::info(i.op).operands[8] == 't')
        add(static_cast<std::size_t>(i.x));
    for (std::size_t bit : m_definitions[pc])
        live[bit / live_word_bits] &= ~(std::uint64_t{1} << bit % live_word_bits);
    for (std::size_t bit : m_uses[pc])
        live[bit / live_word_bits] |= std::uint64_t{1} << bit % live_word_bits;
    std::uint64_t* const known = m_live.data() + pc * m_words;
    const bool is_changed = !std::equal(live.begin(), live.end(), known);
    std::copy(live.begin(), live.end(), known);
    return is_changed;
}

std::vector<std::size_t> LiveRegisters::scalars(std::size_t pc) const {
    std::vector<std::size_t> out;
    for (std::size_t r = 0; r < static_cast<std::size_t>(m_function.u_count); ++r) {
        const std::size_t bit = m_first_scalar + r;
        if (m_live[pc * m_words + bit / live_word_bits] >> bit % live_word_bits & 1u)
            out.push_back(r);
    }
    return out;
}

std::vector<bool> jump_targets(const Function& function) {
    std::vector<bool> out(function.code.size() + 1);
    for (const Instr& i : function.code)
        if (artifact::info(i.op).operands[8] == 't')
            out.at(static_cast<std::size_t>(i.x)) = true;
    return out;
}

} // namespace hidet::vm
