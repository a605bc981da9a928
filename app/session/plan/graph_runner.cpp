// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/graph_runner.h"

#include <algorithm>
#include <thread>

#include "app/session/plan/index_checks.h"
#include "compiler/graph/plan/chunk.h"
#include "compiler/ir/packing.h"

namespace hidet::session {

namespace {

struct Chunk {
    std::size_t first = 0;
    std::size_t end = 0;
};

// Of so many programs that each of the machine's cores has one to compile, but no more than the compiler likes.
std::vector<Chunk> chunks_of(std::size_t programs, std::size_t most) {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t count = std::max({std::min(cores, programs), (programs + most - 1) / most, std::size_t{1}});
    std::vector<Chunk> chunks;
    for (std::size_t i = 0; i < count; ++i)
        if (Chunk chunk{programs * i / count, programs * (i + 1) / count}; chunk.first < chunk.end)
            chunks.push_back(chunk);
    return chunks;
}

} // namespace

GraphRunner::GraphRunner(std::shared_ptr<const graph::CompiledGraph> compiled, lang::Engine& engine,
                         GraphRunOptions options)
    : m_compiled(std::move(compiled)), m_engine(engine), m_options(std::move(options)) {}

bool GraphRunner::build(DiagnosticSink& sink) {
    const std::vector<graph::PlannedProgram>& programs = m_compiled->plan.programs;
    const std::vector<Chunk> chunks = chunks_of(programs.size(), m_options.kernels_per_module);
    std::vector<ir::ModuleRef> modules;
    for (const Chunk& chunk : chunks)
        modules.push_back(merged(programs, chunk.first, chunk.end));
    const auto built = [&](std::size_t count) {
        if (m_options.progress)
            m_options.progress(count, modules.size(), "compiling");
    };
    built(0);
    const auto all = m_engine.build_all(modules, m_options.site, sink, built);
    if (std::ranges::any_of(all, [](const auto& module) { return module == nullptr; }))
        return false;
    PlanParts parts{{m_compiled, &m_compiled->plan.launch}, m_compiled->plan.weights, {}};
    parts.modules.resize(programs.size());
    for (std::size_t i = 0; i < chunks.size(); ++i)
        for (std::size_t program = chunks[i].first; program < chunks[i].end; ++program)
            parts.modules[program] = all[i];
    m_runner =
        std::make_unique<PlanRunner>(std::move(parts), m_engine, PlanRunOptions{m_options.site, m_options.cancelled});
    return true;
}

void GraphRunner::bind(const Tensors& inputs) {
    m_runner->bind(inputs);
    check(inputs);
}

bool GraphRunner::looks_into_inputs() const {
    return m_options.checks_indices || !m_compiled->plan.target.is_cuda() || !m_engine.has_cuda();
}

void GraphRunner::check(const Tensors& inputs) const {
    if (looks_into_inputs())
        check_indices(m_compiled->graph, inputs, m_runner->symbols());
}

std::optional<Tensors> GraphRunner::run(const Tensors& inputs, DiagnosticSink& sink) {
    if (!m_runner && !build(sink))
        return std::nullopt;
    bind(inputs);
    m_inputs = inputs;
    if (!m_runner->run(sink))
        return std::nullopt;
    return outputs();
}

Tensors GraphRunner::outputs() {
    Tensors results = m_runner->outputs();
    for (const graph::InPlace& each : m_compiled->graph.in_place) {
        lang::TensorRef& result = results[each.result];
        const lang::TensorRef& input = m_inputs[each.input];
        if (result->storage == input->storage)
            continue;
        input->storage->copy(input->offset, *result->storage, result->offset,
                             static_cast<std::size_t>(ir::packed_bytes(input->dtype, input->count())));
        result = input;
    }
    return results;
}

std::optional<Tensors> GraphRunner::run_again(DiagnosticSink& sink) {
    if (!m_runner || m_runner->has_copied_inputs())
        return run(m_inputs, sink);
    check(m_inputs);
    if (!m_runner->run_again(sink))
        return std::nullopt;
    return outputs();
}

Result<std::size_t> GraphRunner::run_into(const Tensors& inputs, const Tensors& results, std::size_t most) {
    return m_runner && !looks_into_inputs() ? m_runner->run_into(inputs, results, most) : 0;
}

Result<bool> GraphRunner::run_at(std::size_t number) {
    return m_runner ? m_runner->run_at(number) : false;
}

} // namespace hidet::session
