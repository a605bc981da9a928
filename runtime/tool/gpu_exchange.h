// SPDX-License-Identifier: Apache-2.0
// Processes of a package that exchange what lies on their GPUs, by NCCL.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "runtime/distributed/nccl_group.h"

namespace hidet::tool {

class GpuExchange {
public:
    // All of them call it. Null in all of them where one finds no NCCL, or two are on one GPU.
    static Result<std::unique_ptr<GpuExchange>> open(distributed::MeetingGroup& all, int gpu);

    void* stream() const { return m_stream->handle(); }
    // Of the processes of a group, which outlives this; all of them meet when they first exchange.
    Result<distributed::ProcessGroup*> of(distributed::MeetingGroup& group);
    Result<void> copy(std::byte* to, const std::byte* from, std::size_t bytes);
    std::optional<Error> fault() const { return m_stream->context().fault(); } // of an exchange that was begun

private:
    GpuExchange(std::shared_ptr<const distributed::Nccl> nccl, std::shared_ptr<cuda::Stream> stream)
        : m_nccl(std::move(nccl)), m_stream(std::move(stream)) {}
    static Result<std::unique_ptr<GpuExchange>> alone(int gpu);

    std::shared_ptr<const distributed::Nccl> m_nccl;
    std::shared_ptr<cuda::Stream> m_stream;
    std::map<distributed::MeetingGroup*, std::unique_ptr<distributed::ProcessGroup>> m_groups;
};

} // namespace hidet::tool
