// SPDX-License-Identifier: Apache-2.0
// A whole run on a GPU as one CUDA graph: for the price of one launch.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/plan/plan_runner.h"
#include "runtime/cuda/graph.h"

namespace hidet::session {

class Replay {
public:
    // Of what is bound. Null: the run is not on a GPU, or goes through the host. It must have run once, and outlive this.
    // What is moved is read and written at these addresses instead of where it lies.
    using Moved = std::map<const lang::Storage*, std::uint64_t>;
    static std::unique_ptr<Replay> record(PlanRunner& runner, const Moved& moved = {});

    struct Call {
        std::uint32_t step = 0;
        std::unique_ptr<Repeat> repeat;
    };
    const std::vector<Call>& calls() const { return m_calls; } // one for each step that has something to do

    Result<void> start(); // does not wait
    Result<void> wait() { return m_stream->wait(); }
    // Starts, and waits where calls do. False: the sink says why.
    bool run(Span site, DiagnosticSink& sink);
    const std::shared_ptr<cuda::Stream>& shared_stream() const { return m_stream; }
    Gpu& gpu() { return m_first->gpu(); }
    std::size_t launches() const { return m_graph->nodes(); }

private:
    Result<void> place_inputs();
    void mark_results();

    std::vector<Call> m_calls;
    GpuRepeat* m_first = nullptr;
    std::shared_ptr<cuda::Stream> m_stream;
    std::optional<cuda::Graph> m_graph;
    std::vector<lang::TensorRef> m_given; // inputs and weights: what the host may have written since
    std::vector<std::shared_ptr<lang::Storage>> m_made;
};

} // namespace hidet::session
