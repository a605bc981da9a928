// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/gpu_exchange.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "runtime/toolchain/locate.h"

namespace hidet::tool {

namespace {

using BusId = std::array<char, 32>; // all zeros: of no GPU that NCCL could reach

Result<std::vector<BusId>> gathered(distributed::MeetingGroup& all, BusId own) {
    constexpr std::int64_t shape[] = {std::tuple_size_v<BusId>};
    std::vector<BusId> ids(static_cast<std::size_t>(all.size()));
    std::vector<std::byte*> into;
    for (BusId& id : ids)
        into.push_back(reinterpret_cast<std::byte*>(id.data()));
    if (auto done = all.all_gather({package::Scalar::U8, shape, reinterpret_cast<std::byte*>(own.data())}, into); !done)
        return done.error();
    return ids;
}

} // namespace

Result<std::unique_ptr<GpuExchange>> GpuExchange::alone(int gpu) {
    const toolchain::Finding found = toolchain::find(toolchain::Tool::Nccl, toolchain::default_places());
    if (found.state != toolchain::State::Found)
        return Error{"nccl-missing", found.problem};
    HIDET_TRY(auto nccl, distributed::Nccl::load(found.path));
    HIDET_TRY(auto driver, cuda::Driver::load());
    HIDET_TRY(auto context, cuda::Context::open(driver, gpu));
    HIDET_TRY(auto stream, cuda::Stream::create(context));
    return std::unique_ptr<GpuExchange>(new GpuExchange(std::move(nccl), std::move(stream)));
}

Result<std::unique_ptr<GpuExchange>> GpuExchange::open(distributed::MeetingGroup& all, int gpu) {
    auto own = alone(gpu);
    BusId id = {};
    if (own)
        own.value()->m_stream->context().device().bus_id.copy(id.data(), id.size() - 1);
    HIDET_TRY(const std::vector<BusId> ids, gathered(all, id));
    const std::set<BusId> known(ids.begin(), ids.end());
    if (known.size() < ids.size() || known.contains(BusId{}))
        return std::unique_ptr<GpuExchange>();
    return std::move(own).value();
}

Result<distributed::ProcessGroup*> GpuExchange::of(distributed::MeetingGroup& group) {
    std::unique_ptr<distributed::ProcessGroup>& known = m_groups[&group];
    if (!known) {
        HIDET_TRY(known, distributed::make_nccl_group(m_nccl, m_stream, group));
    }
    return known.get();
}

Result<void> GpuExchange::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    cuda::Context& context = m_stream->context();
    if (auto entered = context.enter(); !entered)
        return entered;
    const auto address = [](const std::byte* place) { return reinterpret_cast<cuda::DeviceAddress>(place); };
    return context.check(context.api().copy_on_device_async(address(to), address(from), bytes, m_stream->handle()),
                         "a copy");
}

} // namespace hidet::tool
