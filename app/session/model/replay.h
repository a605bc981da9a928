// SPDX-License-Identifier: Apache-2.0
// A whole run on a GPU as one CUDA graph: for the price of one launch.
#pragma once

#include <memory>
#include <vector>

#include "app/session/execute/executor.h"
#include "app/session/plan/plan_runner.h"
#include "runtime/cuda/graph.h"

namespace hidet::session {

class Replay {
public:
    // Null: the run is not on a GPU, or goes through the host. It must have run once, and outlive this.
    static std::unique_ptr<Replay> record(PlanRunner& runner);

    struct Call {
        std::uint32_t step = 0;
        std::unique_ptr<Repeat> repeat;
    };
    const std::vector<Call>& calls() const { return m_calls; } // one for each step that has something to do

    Result<void> start(); // does not wait
    Result<void> wait();
    const std::shared_ptr<cuda::Stream>& shared_stream() const { return m_stream; }
    std::size_t launches() const { return m_graph->nodes(); }

private:
    std::vector<Call> m_calls;
    std::shared_ptr<cuda::Stream> m_stream;
    std::optional<cuda::Graph> m_graph;
};

} // namespace hidet::session
