// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/runner.h"

#include <algorithm>
#include <thread>

#include "compiler/graph/plan/chunk.h"

namespace hidet::graph {

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

lang::TensorRef on(lang::Device device, const lang::TensorRef& tensor) {
    if (tensor->device == device)
        return tensor;
    lang::TensorRef moved(new lang::Tensor(*tensor));
    moved->device = device;
    return moved;
}

} // namespace

Runner::Runner(std::shared_ptr<const CompiledGraph> compiled, lang::Engine& engine, RunnerOptions options)
    : m_compiled(std::move(compiled)), m_plan(m_compiled, &m_compiled->plan.launch), m_engine(engine),
      m_options(std::move(options)) {
    prepare(m_compiled->plan.weights);
}

Runner::Runner(LoadedPlan loaded, lang::Engine& engine, RunnerOptions options)
    : m_plan(std::move(loaded.plan)), m_engine(engine), m_options(std::move(options)),
      m_modules(std::move(loaded.modules)) {
    prepare(loaded.weights);
}

void Runner::prepare(const Tensors& weights) {
    for (const artifact::PlanValue& value : m_plan->values) {
        const auto dtype = ir::find_dtype(value.dtype);
        HIDET_CHECK(dtype, value.dtype);
        m_dtypes.push_back(*dtype);
    }
    m_host_weights = weights;
    for (const lang::TensorRef& weight : weights)
        m_weights.push_back(on(device(), weight));
    m_arenas.resize(m_plan->sections.size());
}

lang::Device Runner::device() const {
    return m_plan->target == target_kind_name(artifact::TargetKind::Cuda) ? lang::Device::Cuda : lang::Device::Cpu;
}

bool Runner::build(DiagnosticSink& sink) {
    if (!m_compiled)
        return true;
    const std::vector<PlannedProgram>& programs = m_compiled->plan.programs;
    m_modules.assign(programs.size(), nullptr);
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
    for (std::size_t i = 0; i < chunks.size(); ++i)
        for (std::size_t program = chunks[i].first; program < chunks[i].end; ++program)
            m_modules[program] = all[i];
    return std::ranges::none_of(all, [](const auto& module) { return module == nullptr; });
}

std::optional<Tensors> Runner::run(const Tensors& inputs, DiagnosticSink& sink) {
    Execution execution(*this, inputs);
    if (!execution.run(sink))
        return std::nullopt;
    return execution.outputs();
}

} // namespace hidet::graph
