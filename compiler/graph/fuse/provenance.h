// SPDX-License-Identifier: Apache-2.0
// Which parameter of which function is which tensor of the anchor: followed from the launch function through calls and
// kernel launches.
#pragma once

#include <unordered_map>

#include "compiler/graph/fuse/piece.h"

namespace hidet::graph {

struct AnchorTensor {
    bool is_input = false;
    std::size_t index = 0;
    auto operator<=>(const AnchorTensor&) const = default;
};

// What accesses of a tensor there are, over all functions.
struct TensorFacts {
    bool is_read = false;
    bool is_stored = false;
    bool escapes = false; // its address is taken, or a function gets it in one call and something else in another
};

struct Provenance {
    std::unordered_map<const ir::Var*, AnchorTensor> tensors; // parameters, and variables of the launch function
    std::map<AnchorTensor, TensorFacts> facts;

    const AnchorTensor* find(const ir::ExprRef& base) const {
        const auto* var = ir::as<ir::Var>(base);
        const auto found = var ? tensors.find(var) : tensors.end();
        return found == tensors.end() ? nullptr : &found->second;
    }
};

Provenance trace_tensors(const AnchorProgram& program);

} // namespace hidet::graph
