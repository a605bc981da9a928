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
    : m_compiled(std::move(compiled)), m_engine(engine), m_options(std::move(options)) {
    const Graph& graph = m_compiled->graph;
    m_constants.resize(graph.value_slots());
    for (std::uint32_t i = 0; i < graph.value_slots(); ++i)
        if (graph.value({i}).is_constant())
            m_constants[i] = on(device(), graph.value({i}).data);
    m_arenas.resize(m_compiled->plan.sections.size());
    collect_checks();
}

lang::Device Runner::device() const {
    return m_compiled->plan.target.is_cuda() ? lang::Device::Cuda : lang::Device::Cpu;
}

// Where shapes with symbols met, a symbol was taken to be what it stood beside.
void Runner::collect_checks() {
    const Graph& graph = m_compiled->graph;
    const auto add = [&](const Dim& have, const Dim& want, NodeId node) {
        if (!constant_of(have) || !constant_of(want))
            if (!ir::is_constant(have, 1) && !same_dim(have, want))
                m_checks.push_back({have, want, node});
    };
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        if (node.task)
            for (const Requirement& each : node.task->requirements)
                m_conditions.push_back({each, id});
        if (node.outputs.empty())
            continue;
        const Shape& result = graph.value(node.outputs[0]).spec.shape;
        if (node.op->cls == OpClass::Elementwise)
            for (const ValueId input : node.inputs) {
                const Shape& shape = graph.value(input).spec.shape;
                const std::size_t shift = result.size() - std::min(shape.size(), result.size());
                for (std::size_t i = 0; i + shift < result.size(); ++i)
                    add(shape[i], result[i + shift], id);
            }
        if (node.op->shares_memory)
            add(element_count(graph.value(node.inputs[0]).spec.shape), element_count(result), id);
    }
}

bool Runner::build(DiagnosticSink& sink) {
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
