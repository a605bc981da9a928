// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/replay.h"

#include <algorithm>
#include <functional>
#include <set>

#include "runtime/cuda/device_tensor.h"

namespace hidet::session {

namespace {

std::set<const lang::Storage*> storages_of(const std::vector<lang::TensorRef>& tensors) {
    std::set<const lang::Storage*> storages;
    for (const lang::TensorRef& tensor : tensors)
        storages.insert(tensor->storage.get());
    return storages;
}

TensorPlacer moving_placer(Gpu& gpu, const Replay::Moved& moved) {
    return [&gpu, moved](lang::Tensor& tensor, const std::string& name) -> Result<std::uint64_t> {
        const auto found = moved.find(tensor.storage.get());
        return found == moved.end() ? place_on_device(gpu, tensor, name) : found->second + tensor.offset;
    };
}

// The tensor where it is moved to.
lang::TensorRef moved_tensor(const lang::TensorRef& tensor, Gpu& gpu, const Replay::Moved& moved) {
    const auto found = moved.find(tensor->storage.get());
    if (found == moved.end())
        return tensor;
    const std::size_t bytes = tensor->storage->bytes;
    lang::TensorRef there(new lang::Tensor(*tensor));
    there->storage = std::make_shared<lang::Storage>(
        cuda::DeviceTensor::borrowed(gpu.backend.stream(), found->second, bytes, nullptr), bytes);
    there->storage->share_device();
    return there;
}

} // namespace

std::unique_ptr<Replay> Replay::record(PlanRunner& runner, const Moved& moved) {
    if (!runner.only_calls())
        return nullptr;
    auto replay = std::make_unique<Replay>();
    const SymbolValues symbols = runner.symbols();
    for (const artifact::Row input : runner.plan().inputs)
        if (lang::TensorRef tensor = runner.tensor(input))
            replay->m_given.push_back(std::move(tensor));
    std::set<const lang::Storage*> given = storages_of(replay->m_given);
    for (artifact::Row row = 0; row < runner.plan().values.size(); ++row)
        if (runner.plan().values[row].place == artifact::Place::InPlace)
            given.erase(runner.tensor(row)->storage.get());
    const std::set<const lang::Storage*> weights = storages_of(runner.weights());
    std::set<const lang::Storage*> made;
    std::vector<std::function<Result<void>()>> starts;
    std::vector<lang::TensorRef> exchanged;
    const auto make = [&](const lang::TensorRef& tensor) {
        const std::shared_ptr<lang::Storage>& storage = tensor->storage;
        if (!given.contains(storage.get()) && !weights.contains(storage.get()) && made.insert(storage.get()).second)
            replay->m_made.push_back(storage);
    };
    for (std::uint32_t i = 0; i < runner.plan().steps.size(); ++i) {
        if (auto exchange = runner.exchange_of(i)) {
            if (!exchange->from || !exchange->into)
                return nullptr;
            make(exchange->into);
            exchanged.insert(exchanged.end(), {exchange->from, exchange->into});
            starts.push_back([&runner, &moved, made_by = replay.get(), each = std::move(*exchange)] {
                Gpu& gpu = made_by->gpu();
                return runner.record(
                    {each.step, moved_tensor(each.from, gpu, moved), moved_tensor(each.into, gpu, moved)});
            });
            continue;
        }
        const auto call = runner.call_of(i);
        if (!call)
            continue;
        auto& module = static_cast<Executable&>(*call->module);
        replay->m_calls.push_back({i, module.executor.prepare(module, {call->function, call->arguments, {}, symbols})});
        GpuRepeat* on_gpu = replay->m_calls.back().repeat->on_gpu();
        if (!on_gpu)
            return nullptr;
        replay->m_first = on_gpu;
        GpuRepeat* const there = moved.empty() ? on_gpu : &on_gpu->elsewhere(moving_placer(on_gpu->gpu(), moved));
        starts.push_back([there] { return there->start(); });
        replay->m_stream = on_gpu->gpu().backend.stream();
        for (const lang::CallArgument& argument : call->arguments)
            if (const auto* tensor = std::get_if<lang::TensorRef>(&argument.value); tensor && *tensor)
                make(*tensor);
    }
    if (!replay->m_stream)
        return nullptr;
    for (const lang::TensorRef& tensor : exchanged) // memory is taken before
        if (!moved.contains(tensor->storage.get()) && !place_on_device(replay->gpu(), *tensor, "an exchanged tensor"))
            return nullptr;
    Result<cuda::Graph> graph = cuda::Graph::capture(*replay->m_stream, [&]() -> Result<void> {
        for (const auto& start : starts)
            HIDET_TRY_TO(start());
        return {};
    });
    if (!graph)
        return nullptr;
    replay->m_graph = std::move(graph).value();
    return replay;
}

// Uploads what the host wrote, to where the graph reads it.
Result<void> Replay::place_inputs() {
    for (const lang::TensorRef& tensor : m_given)
        if (tensor->storage->is_device_stale())
            HIDET_TRY_TO(place_on_device(m_first->gpu(), *tensor, "an input"));
    return {};
}

void Replay::mark_results() {
    for (const std::shared_ptr<lang::Storage>& storage : m_made)
        storage->device_is_newer();
}

Result<void> Replay::start() {
    HIDET_TRY_TO(place_inputs());
    Result<void> launched = m_graph->launch(*m_stream);
    mark_results();
    return launched;
}

bool Replay::run(Span site, DiagnosticSink& sink) {
    Result<void> done = start();
    if (done && m_first->gpu().waits)
        done = wait();
    if (!done)
        m_first->report(done.error(), site, sink);
    return done.ok();
}

} // namespace hidet::session
