// SPDX-License-Identifier: Apache-2.0
// A kernel, cut at its sync points: what the threads of a block run one after the other, what those of a warp do, and the loops and
// branches around both, which all of them take together.
#pragma once

#include <set>
#include <vector>

#include "compiler/analysis/uniform.h"
#include "compiler/transform/sync_points.h"

namespace hidet::compiler {

struct Region {
    enum class Kind : std::uint8_t {
        Threads, // stmts, in each thread
        Warps,   // body, in each warp
        Once,    // stmt, once in the block or the warp that the region is of
        For,     // stmt with body
        While,
        If,    // stmt with body, otherwise
        Tally, // what the predicates of the votes of a warp, or of a block, come to, in `var`
    };
    Kind kind{};
    ir::StmtVec stmts{};
    ir::StmtRef stmt{};
    std::vector<Region> body{}, otherwise{};
    ir::VarRef guard{}; // Threads, Tally: of the threads in which it is set; null: of all
    // Tally.
    ir::VarRef var{}, given{};
    const ir::Intrinsic* vote = nullptr;
};

struct Plan {
    std::vector<Region> regions;
    // Lets that each region computes for itself, in the order of the kernel: they cost less than to be kept.
    std::vector<const ir::DeclareStmt*> cheap;
    std::unordered_map<const ir::Var*, ir::VarRef> given; // by results of shuffles
    std::set<const ir::Var*> kept;                        // guards and what is given: always an array over threads
    std::vector<ir::StmtRef> shared;                      // declarations of tensors in shared memory
    std::optional<NeedsGpu> refusal;
};

Plan regions_of(const Separated& separated, const WithoutReturns& body, const Uniformity& uniformity, const Uses& uses);

} // namespace hidet::compiler
