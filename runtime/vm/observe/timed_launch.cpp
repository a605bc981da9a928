// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/observe/timed_launch.h"

#include <algorithm>

namespace hidet::vm {

namespace {

std::optional<std::int64_t> timed_block(const MachineOptions& options, const Function& kernel,
                                        const LaunchShape& shape) {
    const bool is_timed = options.times && options.times(kernel);
    return is_timed ? artifact::block_number(shape, options.timed_block) : std::nullopt;
}

} // namespace

TimedLaunch::TimedLaunch(const HostContext& host, const Function& kernel, const LaunchShape& shape)
    : m_host(host), m_kernel(kernel), m_shape(shape), m_block(timed_block(*host.options, kernel, shape)),
      m_timelines(kernel, shape, m_block.value_or(0), host.options->copy_steps) {}

std::span<std::uint64_t> TimedLaunch::variable(const char* name) const {
    const auto& globals = m_host.program->globals;
    const auto found = std::ranges::find(globals, name, &artifact::GlobalVariable::name);
    if (found == globals.end())
        return {};
    const std::uint64_t pointer = m_host.globals->at(static_cast<std::size_t>(found - globals.begin()));
    const Allocation& allocation = *m_host.memory->find(id_of(pointer));
    return {reinterpret_cast<std::uint64_t*>(allocation.data),
            static_cast<std::size_t>(found->bytes) / sizeof(std::uint64_t)};
}

void TimedLaunch::begin(LaunchContext& context) {
    if (!m_block)
        return;
    context.timelines = &m_timelines; // whose clocks marks read
    if (!m_host.options->marks)
        return;
    std::ranges::fill(variable(artifact::marks_name), 0);
    std::ranges::fill(variable(artifact::marked_block_name), static_cast<std::uint64_t>(*m_block) + 1);
}

void TimedLaunch::end(Statistics& statistics) {
    if (!m_block)
        return;
    if (!m_host.options->marks) {
        statistics.timelines.push_back(m_timelines.take());
        statistics.timelines.back().shape = m_shape;
        return;
    }
    std::ranges::fill(variable(artifact::marked_block_name), 0);
    if (const auto words = variable(artifact::marks_name); !words.empty()) // else it does nothing that is timed
        statistics.marked.push_back({m_kernel.name, *m_block, m_shape, {words.begin(), words.end()}});
}

} // namespace hidet::vm
