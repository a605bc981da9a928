// SPDX-License-Identifier: Apache-2.0
// What an expression of a kernel is in all threads of a block at once, while the indices of blocks and the variables of loops
// stay open: a number for each thread, and a straight line over those open variables, the same for all threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/ir/scalar.h"

namespace hidet::compiler::access {

using Lanes = std::vector<ir::ScalarValue>; // of the threads of a block

struct Term {
    int atom = 0; // an open variable: Domain::atom()
    std::int64_t by = 0;
    friend bool operator==(const Term&, const Term&) = default;
};

// Sorted by atom, without zeros.
class Terms {
public:
    static constexpr std::size_t most = 6;
    bool empty() const { return m_count == 0; }
    const Term* begin() const { return m_terms.data(); }
    const Term* end() const { return m_terms.data() + m_count; }
    std::int64_t of(int atom) const;
    bool add(int atom, std::int64_t by); // false: there are too many
    friend bool operator==(const Terms& a, const Terms& b) { return std::ranges::equal(a, b); }

private:
    std::array<Term, most> m_terms{};
    std::size_t m_count = 0;
};

// Why a value is not known that is none of the integers.
inline constexpr char floating_point[] = "floating-point numbers";

enum class Memory : std::uint8_t { None, Global, Shared, Register };

struct Value {
    bool known = false;
    // Of what is not known: whether it is the same in all threads of a block, and why.
    bool same = true;
    const char* why = "";
    // Of an address: of what, and `constant + lanes + terms` bytes behind its beginning.
    Memory memory = Memory::None;
    int object = -1;

    std::int64_t constant = 0;
    std::shared_ptr<const Lanes> lanes; // null: the same in all threads
    Terms terms;
    std::uint64_t deps = 0; // a bit for each open variable that it depends on, in whatever way

    std::int64_t base(std::size_t thread) const { return constant + (lanes ? (*lanes)[thread].i : 0); }
    bool is_constant() const { return known && !lanes && terms.empty(); }
    bool is_uniform() const { return known ? !lanes : same; }
};

} // namespace hidet::compiler::access
