// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, and the context that a process has on one.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "compiler/artifact/target_spec.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/launch_log.h"

namespace hidet::cuda {

struct DeviceProperties {
    int ordinal = 0;
    std::string bus_id;
    artifact::TargetSpec spec; // its name, what it holds and how fast it is
    bool has_cooperative_launch = false;
    bool has_memory_pools = false;
    bool reads_pageable_memory = false; // copies may read the host's memory after the call that starts them

    const std::string& name() const { return spec.name; }
    std::string architecture() const { return architecture_text(spec.arch.number); }
};

// The primary context of a device, held while this lives. What lives on the device keeps its context alive.
class Context {
public:
    static Result<std::shared_ptr<Context>> open(std::shared_ptr<const Driver> driver, int ordinal = 0);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    const Driver& driver() const { return *m_driver; }
    const Api& api() const { return m_driver->api(); }
    const DeviceProperties& device() const { return m_device; }
    LaunchLog& log() { return m_log; }

    // Makes the context current for this thread. Fails with context-lost after an error that the context did not survive.
    Result<void> enter();
    // The same for destructors, which free what they can: false when there is nothing left to free.
    bool enter_to_free() noexcept;

    // Turns what a call of the driver gave into a Result; an error of a kernel names the launches that are not known to
    // have ended, and the context is lost from then on.
    Result<void> check(Status status, const char* doing) {
        return status == Status::Success ? Result<void>{} : Result<void>(failure(status, doing));
    }
    Error failure(Status status, std::string_view doing);
    void lose(Error why); // a kernel was given up: nothing will end any more
    std::optional<Error> fault() const;
    bool is_lost() const { return m_lost; }

private:
    Context() = default;

    std::shared_ptr<const Driver> m_driver;
    DeviceProperties m_device;
    DeviceHandle m_handle = 0;
    ContextHandle m_context = nullptr;
    std::uint64_t m_serial = 0; // of all contexts of the process; tells a new one at an old address apart
    LaunchLog m_log;
    mutable std::mutex m_mutex;
    std::optional<Error> m_fault;
    std::atomic<bool> m_lost = false;
};

// What the driver made in a context, and destroys there. It can be moved.
template <class Handle, auto destroy>
class Owned {
public:
    Owned() = default;
    Owned(std::shared_ptr<Context> context, Handle handle) : m_context(std::move(context)), m_handle(handle) {}
    ~Owned() {
        if (m_handle && m_context->enter_to_free())
            (m_context->api().*destroy)(m_handle);
    }
    Owned(Owned&& other) noexcept { *this = std::move(other); }
    Owned& operator=(Owned&& other) noexcept {
        std::swap(m_context, other.m_context);
        std::swap(m_handle, other.m_handle);
        return *this;
    }
    Context& context() const { return *m_context; }
    Handle get() const { return m_handle; }

private:
    std::shared_ptr<Context> m_context;
    Handle m_handle = nullptr;
};

} // namespace hidet::cuda
