// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/replay.h"

#include "app/session/execute/gpu_repeat.h"

namespace hidet::session {

std::unique_ptr<Replay> Replay::record(PlanRunner& runner) {
    if (!runner.only_calls())
        return nullptr;
    auto replay = std::make_unique<Replay>();
    const SymbolValues symbols = runner.symbols();
    for (std::uint32_t i = 0; i < runner.plan().steps.size(); ++i) {
        const auto call = runner.call_of(i);
        if (!call)
            continue;
        auto& module = static_cast<Executable&>(*call->module);
        replay->m_calls.push_back({i, module.executor.prepare(module, {call->function, call->arguments, {}, symbols})});
        GpuRepeat* on_gpu = replay->m_calls.back().repeat->on_gpu();
        if (!on_gpu)
            return nullptr;
        replay->m_stream = on_gpu->gpu().backend.stream();
    }
    if (!replay->m_stream)
        return nullptr;
    Result<cuda::Graph> graph = cuda::Graph::capture(*replay->m_stream, [&]() -> Result<void> {
        for (const Call& call : replay->m_calls)
            if (Result<void> started = call.repeat->on_gpu()->start(); !started)
                return started;
        return {};
    });
    if (!graph)
        return nullptr;
    replay->m_graph = std::move(graph).value();
    return replay;
}

Result<void> Replay::start() {
    return m_graph->launch(*m_stream);
}

Result<void> Replay::wait() {
    return m_stream->wait();
}

} // namespace hidet::session
