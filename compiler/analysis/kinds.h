// SPDX-License-Identifier: Apache-2.0
// Which node kinds occur in a tree: what a pass asks before it walks and rebuilds a function for nothing.
#pragma once

#include "compiler/ir/node.h"

namespace hidet::compiler {

class KindSet {
public:
    void add(ir::Kind kind) { m_bits |= bit(kind); }
    bool has(ir::Kind kind) const { return (m_bits & bit(kind)) != 0; }
    friend bool operator==(const KindSet&, const KindSet&) = default;

private:
    static std::uint64_t bit(ir::Kind kind) { return std::uint64_t{1} << static_cast<unsigned>(kind); }
    std::uint64_t m_bits = 0;
};

// Statements and expressions below the node; a variable counts as itself, without its type.
KindSet kinds_in(const ir::Node& node);

} // namespace hidet::compiler
