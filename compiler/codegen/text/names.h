// SPDX-License-Identifier: Apache-2.0
// The script's names as names of C++: identifiers, clear of what the language and its prelude use, unique where they are
// visible. Blocks that lie beside each other use the same names again, as a person would.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/expr.h"

namespace hidet::compiler::text {

class Names {
public:
    using Reserved = std::set<std::string, std::less<>>;
    explicit Names(const Reserved& reserved) : m_reserved(reserved) {}

    // A name for something other than a variable (a function, a helper variable), visible until the block ends.
    std::string add(std::string_view hint);
    const std::string& define(const ir::Var& var);
    const std::string& of(const ir::Var& var); // defines it where it was not

    void alias(const ir::Var& var, std::string name) { m_of[&var] = std::move(name); } // of what add() gave

    // Names that were added since mark() are free again after restore().
    std::size_t mark() const { return m_trail.size(); }
    void restore(std::size_t mark);

private:
    struct Entry {
        std::string name;
        std::string hint;
        int number_before;
    };
    const Reserved& m_reserved;
    std::unordered_map<const ir::Var*, std::string> m_of;
    std::unordered_set<std::string> m_used;
    std::unordered_map<std::string, int> m_numbers; // the last that was tried for a hint
    std::vector<Entry> m_trail;
};

} // namespace hidet::compiler::text
