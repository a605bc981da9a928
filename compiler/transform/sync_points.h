// SPDX-License-Identifier: Apache-2.0
// SyncPoints: where threads of a kernel do something together. Between them a thread runs alone, so the threads of a block may run
// one after the other from one sync point to the next (regions.h).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/ir/intrinsic.h"
#include "compiler/transform/pass.h"

namespace hidet::compiler {

enum class SyncPoint : std::uint8_t { None, Warp, Block };
SyncPoint sync_point_of(const ir::Intrinsic& call);

// What the CPU has no code for, in a kernel or a function that it calls: "calls 'cuda.mma_sync', which only a GPU has".
struct NeedsGpu {
    std::string why;
    Span span;
};
std::optional<NeedsGpu> what_needs_gpu(const ir::Function& function, const ir::Module& module);

// A kernel whose sync points are statements of their own. One that gives a value has become three: each thread puts what it has to
// give into a variable, a plain barrier follows, and the call takes from that variable of the other threads.
struct Separated {
    ir::FunctionRef kernel;
    std::unordered_map<const ir::Var*, ir::VarRef> results; // of such calls: the variable that is given
};
Separated with_sync_points_apart(const ir::FunctionRef& kernel, const ir::Module& module, PassId pass);

// `return` as branches; what follows one in a loop is skipped by a variable that says so. `guards` are the branches that were
// made for it: threads that have returned need not be waited for.
struct WithoutReturns {
    ir::StmtRef body;
    bool is_guard(const ir::Stmt& stmt) const { return !written.contains(&stmt); }
    std::unordered_map<const ir::Stmt*, ir::StmtRef> written; // the branches of the script
};
WithoutReturns without_returns(const ir::StmtRef& body, PassId pass);

} // namespace hidet::compiler
