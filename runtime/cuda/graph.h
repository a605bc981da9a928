// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: launches recorded once and started together, for the price of one launch.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/cuda/stream.h"

namespace hidet::cuda {

class Graph {
public:
    // Records what `body` starts in the stream; nothing of it runs. It may not wait or allocate or load modules, so it
    // has to have run once before; its kernels must live as long as the graph.
    using Body = std::function<Result<void>()>;
    static Result<Graph> capture(Stream& stream, const Body& body);

    std::size_t nodes() const { return m_nodes; } // launches, copies, fills
    Result<void> launch(Stream& stream);

private:
    Graph() = default;

    Owned<GraphExecHandle, &Api::graph_exec_destroy> m_exec;
    std::size_t m_nodes = 0;
    std::vector<std::shared_ptr<Event>> m_behind; // recorded behind each launch
    std::shared_ptr<const std::string> m_text;    // for messages
};

} // namespace hidet::cuda
