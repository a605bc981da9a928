// SPDX-License-Identifier: Apache-2.0
// A launch of which one block is timed, where the machine's options ask for it: by its events, or by the marks in its kernel.
#pragma once

#include <optional>
#include <span>

#include "runtime/vm/host.h"
#include "runtime/vm/launch_context.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

class TimedLaunch {
public:
    TimedLaunch(const HostContext& host, const Function& kernel, const LaunchShape& shape);
    void begin(LaunchContext& context);
    void end(Statistics& statistics);

private:
    std::span<std::uint64_t> variable(const char* name) const; // of the program; empty: it has none like it

    const HostContext& m_host;
    const Function& m_kernel;
    const LaunchShape m_shape;
    const std::optional<std::int64_t> m_block; // nothing: none is
    TimelineLog m_timelines;
};

} // namespace hidet::vm
