// SPDX-License-Identifier: Apache-2.0
// The launches of a call, where they follow from the shapes and numbers of its arguments alone: made again with tensors in other
// places, without the machine that runs host functions. A launch function that a kernel gets by itself is such a one, and so are
// most that scripts write.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "app/session/execute/argument_sources.h"
#include "lang/base/result.h"
#include "runtime/cuda/backend.h"

namespace hidet::session {

class LaunchRecord {
public:
    LaunchRecord(std::vector<cuda::NotedLaunch> launches, ArgumentSources sources)
        : m_launches(std::move(launches)), m_sources(std::move(sources)) {}

    // `addresses` on the device by argument of the call; those of numbers are not looked at. Asynchronous.
    Result<void> launch(cuda::Stream& stream, std::span<const std::uint64_t> addresses);

private:
    std::vector<cuda::NotedLaunch> m_launches;
    ArgumentSources m_sources;
};

} // namespace hidet::session
