// SPDX-License-Identifier: Apache-2.0
// Which registers are read before they are written again.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/vm/code.h"

namespace hidet::vm {

class LiveRegisters {
public:
    explicit LiveRegisters(const Function& function);

    // By the instruction, or behind it. A thread that goes on from there may read it; local arrays count by the instructions that
    // name their registers, not by those that know a pointer.
    bool is_live(std::size_t pc, std::int32_t r) const {
        const std::size_t bit = bit_of(r);
        return m_live[pc * m_words + bit / 64] >> bit % 64 & 1u;
    }
    std::vector<std::size_t> scalars(std::size_t pc) const; // u registers that are

private:
    std::size_t bit_of(std::int32_t r) const { // v registers, the second of a pair included, then u registers
        return artifact::is_v(r) ? static_cast<std::size_t>(r)
                                 : m_first_scalar + static_cast<std::size_t>(artifact::register_of(r));
    }
    bool pass(std::size_t pc);

    const Function& m_function;
    std::size_t m_first_scalar, m_words;
    std::vector<std::vector<std::size_t>> m_uses, m_definitions; // bits, by instruction
    std::vector<std::uint64_t> m_live;
};

// Instructions that are jumped to.
std::vector<bool> jump_targets(const Function& function);

} // namespace hidet::vm
