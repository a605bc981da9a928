// SPDX-License-Identifier: Apache-2.0
// Between which threads of a block the values of a kernel differ, and the trips of its loops.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/analysis/uses.h"

namespace hidet::compiler {

enum class Varies : std::uint8_t {
    Not,            // the same in all threads of a block
    BetweenWarps,   // the same in the threads of a warp
    BetweenThreads, // nothing is known
};

inline constexpr std::int64_t warp_threads = 32;

class Uniformity {
public:
    // `block`: the extents that are known. Only the types of local arrays and the assignments of variables are looked at, so a
    // value read from memory is taken to be the same where its address is.
    Uniformity(const ir::Function& kernel, const Uses& uses, const std::array<std::optional<std::int64_t>, 3>& block);

    Varies of(const ir::ExprRef& expr) const;
    // Of a For or While: how often its body runs.
    Varies trips_of(const ir::Stmt& loop) const;

private:
    void raise(Varies& known, Varies to);
    void walk(const ir::StmtRef& stmt);
    void walk_loop(const ir::Stmt& loop, Varies trips, const ir::Var* var, const ir::StmtRef& body);
    void under(Varies control, const ir::StmtRef& body);
    void define(const ir::Var& var, Varies value);
    Varies of_intrinsic(const ir::Intrinsic& expr) const;
    Varies of_operator(const ir::Binary& expr) const;
    bool follows_lane(const ir::ExprRef& expr) const;
    bool is_row_of_warps() const;

    const Uses& m_uses;
    const std::array<std::optional<std::int64_t>, 3> m_block;
    std::unordered_map<const ir::Var*, Varies> m_vars;
    std::unordered_map<const ir::Var*, ir::ExprRef> m_lets;
    std::unordered_map<const ir::Stmt*, Varies> m_trips;
    std::unordered_set<const ir::Var*> m_local_arrays;
    std::vector<const ir::Stmt*> m_loops;
    Varies m_control = Varies::Not;
    bool m_changed = false;
};

} // namespace hidet::compiler
