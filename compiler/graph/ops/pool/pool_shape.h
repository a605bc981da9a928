// SPDX-License-Identifier: Apache-2.0
// Where the spatial dimensions of a pooled tensor are, and the window over them.
#pragma once

#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

struct PoolShape {
    PoolShape(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order);

    Indices spatial(const Indices& index) const;
    Indices with_spatial(const Indices& index, const Indices& positions) const;
    Window window(const OpCall& call) const; // OpError without a kernel that fits

    std::string name;
    const TensorSpec& x;
    std::size_t rank;
    std::size_t first; // spatial dimension
};

} // namespace hidet::graph
