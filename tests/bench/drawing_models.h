// SPDX-License-Identifier: Apache-2.0
// Graphs like those of well-known models, at any size, as boxes and edges.
#pragma once

#include <string>
#include <vector>

#include "app/session/drawing/flat.h"

namespace hidet::bench {

struct DrawnModel {
    std::string name;
    drawing::FlatGraph graph;
};

// Attention with a chain of shape operators beside every reshape; `masked`: one value that all blocks read.
DrawnModel transformer(const std::string& name, std::uint32_t blocks, bool masked);
DrawnModel dense_net(const std::string& name, std::uint32_t blocks, std::uint32_t layers);
DrawnModel inception(const std::string& name, std::uint32_t blocks);
DrawnModel u_net(const std::string& name, std::uint32_t levels);

} // namespace hidet::bench
