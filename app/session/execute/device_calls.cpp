// SPDX-License-Identifier: Apache-2.0
// Streams, events and memory of a GPU for callers who order work themselves.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/execute/shared_device.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using DeviceNumbers = std::span<const std::int64_t>;
using DeviceResults = std::vector<std::int64_t>;

// What the driver gives goes behind the arguments.
struct DeviceCall {
    std::string_view name;
    std::size_t arguments;
    cuda::Status (*call)(const cuda::Api& api, DeviceNumbers a, DeviceResults& out);
};

cuda::StreamHandle stream(std::int64_t handle) {
    return reinterpret_cast<cuda::StreamHandle>(handle);
}
cuda::EventHandle event(std::int64_t handle) {
    return reinterpret_cast<cuda::EventHandle>(handle);
}
cuda::DeviceAddress address(std::int64_t number) {
    return static_cast<cuda::DeviceAddress>(number);
}
std::size_t bytes(std::int64_t number) {
    return static_cast<std::size_t>(number);
}

// Of functions that make one thing: a handle or an address.
template <class Made, class Make>
cuda::Status made(DeviceResults& out, Make make) {
    Made value{};
    const cuda::Status status = make(&value);
    if constexpr (std::is_pointer_v<Made>)
        out.push_back(reinterpret_cast<std::int64_t>(value));
    else
        out.push_back(static_cast<std::int64_t>(value));
    return status;
}

constexpr DeviceCall device_calls[] = {
    {"stream_create", 2, // flags, priority
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults& out) {
         return made<cuda::StreamHandle>(
             out, [&](auto* to) { return api.stream_create(to, static_cast<unsigned>(a[0]), static_cast<int>(a[1])); });
     }},
    {"stream_destroy", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) { return api.stream_destroy(stream(a[0])); }},
    {"stream_synchronize", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) { return api.stream_synchronize(stream(a[0])); }},
    {"stream_wait_event", 2,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) {
         return api.stream_wait_event(stream(a[0]), event(a[1]), 0);
     }},
    {"event_create", 1, // flags
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults& out) {
         return made<cuda::EventHandle>(out,
                                        [&](auto* to) { return api.event_create(to, static_cast<unsigned>(a[0])); });
     }},
    {"event_destroy", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) { return api.event_destroy(event(a[0])); }},
    {"event_record", 2,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) { return api.event_record(event(a[0]), stream(a[1])); }},
    {"event_synchronize", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) { return api.event_synchronize(event(a[0])); }},
    {"event_elapsed", 2, // of start and end, in nanoseconds
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults& out) {
         float ms = 0;
         const cuda::Status status = api.event_elapsed(&ms, event(a[0]), event(a[1]));
         out.push_back(std::llround(double(ms) * 1e6));
         return status;
     }},
    {"device_count", 0,
     [](const cuda::Api& api, DeviceNumbers, DeviceResults& out) {
         int count = 0;
         const cuda::Status status = api.device_get_count(&count);
         out.push_back(count);
         return status;
     }},
    {"memory_info", 0, // free and total, in bytes
     [](const cuda::Api& api, DeviceNumbers, DeviceResults& out) {
         std::size_t free = 0, total = 0;
         const cuda::Status status = api.memory_get_info(&free, &total);
         out = {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
         return status;
     }},
    {"trim_memory_pool", 0,
     [](const cuda::Api& api, DeviceNumbers, DeviceResults&) {
         cuda::DeviceHandle device{};
         cuda::PoolHandle pool{};
         if (!api.device_get_default_pool || !api.pool_trim)
             return cuda::Status::Success; // the driver has no pools
         cuda::Status status = api.context_get_device(&device);
         if (status == cuda::Status::Success)
             status = api.device_get_default_pool(&pool, device);
         return status == cuda::Status::Success ? api.pool_trim(pool, 0) : status;
     }},
    {"malloc", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults& out) {
         return made<cuda::DeviceAddress>(out, [&](auto* to) { return api.memory_allocate(to, bytes(a[0])); });
     }},
    {"free", 1, [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) { return api.memory_free(address(a[0])); }},
    {"malloc_async", 2,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults& out) {
         return made<cuda::DeviceAddress>(out, [&](auto* to) {
             return api.memory_allocate_async ? api.memory_allocate_async(to, bytes(a[0]), stream(a[1]))
                                              : api.memory_allocate(to, bytes(a[0]));
         });
     }},
    {"free_async", 2,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) {
         return api.memory_free_async ? api.memory_free_async(address(a[0]), stream(a[1]))
                                      : api.memory_free(address(a[0]));
     }},
    {"malloc_host", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults& out) {
         return made<void*>(out, [&](auto* to) { return api.host_allocate(to, bytes(a[0]), 0); });
     }},
    {"free_host", 1,
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) {
         return api.host_free(reinterpret_cast<void*>(a[0]));
     }},
    {"memset_async", 4, // address, byte, how many, stream
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) {
         return api.fill_bytes_async(address(a[0]), static_cast<unsigned char>(a[1]), bytes(a[2]), stream(a[3]));
     }},
    {"memcpy_async", 4, // to, from, bytes, stream: memory of the device or of the host
     [](const cuda::Api& api, DeviceNumbers a, DeviceResults&) {
         return api.copy_async(address(a[0]), address(a[1]), bytes(a[2]), stream(a[3]));
     }},
};

} // namespace

Result<std::vector<std::int64_t>> SharedDevice::call(std::string_view function, DeviceNumbers arguments) {
    cuda::Stream& own = *m_gpu.backend.stream();
    if (function == "current_stream")
        return std::vector<std::int64_t>{reinterpret_cast<std::int64_t>(own.handle())};
    const auto* found = std::ranges::find(device_calls, function, &DeviceCall::name);
    if (found == std::end(device_calls) || found->arguments != arguments.size())
        return Error{"device-error", cat("there is no call '", function, "' of ", arguments.size(), " numbers")};
    cuda::Context& context = own.context();
    HIDET_TRY_TO(context.enter());
    std::vector<std::int64_t> out;
    HIDET_TRY_TO(context.check(found->call(context.api(), arguments, out), found->name.data()));
    return out;
}

} // namespace hidet::session
