// SPDX-License-Identifier: Apache-2.0
// Reductions on a GPU by several threads an element, for any operator, dtype and extents: how many share an element is chosen by
// how many elements there are for how large a machine, and by which threads lie side by side in memory.
#pragma once

#include "compiler/schedule/kernel.h"

namespace hidet::graph {

struct TermSharing {
    std::int64_t lanes = 1;    // threads that share an element, a power of two
    std::int64_t elements = 1; // of a block
    bool by_terms = true;      // neighbours in a warp have neighbouring terms of an element, not neighbouring elements

    std::int64_t threads() const { return lanes * elements; }
};

std::int64_t threads_at_a_time(const artifact::TargetSpec& target); // with registers to spare

// One lane where that is no slower: there are elements enough, or hardly any terms.
TermSharing sharing_of(const Stage& stage, const artifact::TargetSpec& target);

// A kernel without its name: partial results meet in shared memory, in the same order every time.
ir::Function shared_reduction(const KernelFrame& frame, const TermSharing& sharing);

} // namespace hidet::graph
