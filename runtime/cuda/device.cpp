// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/device.h"

#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

// Which context this thread called the driver with last: setting it again would cost more than the launch log.
thread_local std::uint64_t current_serial = 0;
std::atomic<std::uint64_t> last_serial = 0;

// What the driver says stands above the tables; an older driver does not know every attribute, and answers zero.
artifact::TargetSpec spec_of_device(const std::string& name, std::size_t memory, const auto& ask) {
    artifact::PresentGpu present;
    present.name = name;
    present.capability = 10 * ask(device_attribute::compute_major) + ask(device_attribute::compute_minor);
    present.multiprocessors = ask(device_attribute::multiprocessors);
    present.clock_mhz = ask(device_attribute::clock_khz) / 1000;
    artifact::TargetSpec spec = artifact::spec_of(present);
    const auto set = [&](auto& field, int attribute) {
        if (const int value = ask(attribute); value > 0)
            field = value;
    };
    spec.memory_bytes = static_cast<std::int64_t>(memory);
    set(spec.l2_bytes, device_attribute::l2_bytes);
    set(spec.threads_per_block, device_attribute::max_threads_per_block);
    set(spec.blocks, device_attribute::max_blocks_per_multiprocessor);
    set(spec.registers, device_attribute::max_registers_per_multiprocessor);
    set(spec.shared_per_block, device_attribute::max_shared_per_block);
    set(spec.shared_per_block_optin, device_attribute::max_shared_per_block_optin);
    set(spec.shared_bytes, device_attribute::max_shared_per_multiprocessor);
    if (const int threads = ask(device_attribute::max_threads_per_multiprocessor); threads > 0)
        spec.warps = threads / spec.warp_threads;
    if (ask(device_attribute::cluster_launch) == 0)
        spec.cluster_blocks = spec.portable_cluster_blocks = 0;
    const double clock = 1e3 * ask(device_attribute::memory_clock_khz);
    const double bus_bytes = ask(device_attribute::memory_bus_bits) / 8.0;
    if (clock > 0 && bus_bytes > 0)
        spec.bytes_per_second = 2 * clock * bus_bytes;
    return spec;
}

Result<DeviceProperties> properties_of(const Driver& driver, int ordinal) {
    const Api& api = driver.api();
    DeviceProperties device;
    device.ordinal = ordinal;
    DeviceHandle handle = 0;
    if (Status status = api.device_get(&handle, ordinal); status != Status::Success)
        return error_of(status, cat("opening GPU ", ordinal));
    std::string name;
    char text[256] = {};
    if (api.device_get_name(text, sizeof text - 1, handle) == Status::Success)
        name = text;
    if (api.device_get_pci_bus_id(text, sizeof text - 1, handle) == Status::Success)
        device.bus_id = text;
    std::size_t memory = 0;
    Status failed = api.device_total_memory(&memory, handle);
    auto ask = [&](int attribute) {
        int value = 0;
        return api.device_get_attribute(&value, attribute, handle) == Status::Success ? value : 0;
    };
    if (failed != Status::Success)
        return error_of(failed, cat("asking GPU ", ordinal, " for its memory"));
    device.spec = spec_of_device(name, memory, ask);
    device.has_cooperative_launch = ask(device_attribute::cooperative_launch) != 0;
    device.has_memory_pools = ask(device_attribute::memory_pools) != 0 && api.memory_allocate_async &&
                              api.memory_free_async && api.device_get_default_pool && api.pool_set_attribute;
    device.reads_pageable_memory = ask(device_attribute::pageable_memory_access) != 0;
    return device;
}

std::string subject_of(const std::vector<std::string>& launches, const ResultRow& row) {
    return cat(launches.empty() ? "a kernel" : suspects_text(launches), " ", row.meaning);
}

} // namespace

Result<std::shared_ptr<Context>> Context::open(std::shared_ptr<const Driver> driver, int ordinal) {
    HIDET_TRY(DeviceProperties device, properties_of(*driver, ordinal));
    std::shared_ptr<Context> context(new Context);
    context->m_device = std::move(device);
    const Api& api = driver->api();
    if (Status status = api.device_get(&context->m_handle, ordinal); status != Status::Success)
        return error_of(status, cat("opening GPU ", ordinal));
    ContextHandle handle = nullptr;
    if (Status status = api.primary_context_retain(&handle, context->m_handle); status != Status::Success) {
        Error error = error_of(status, cat("making a context on ", context->m_device.name()));
        if (status == Status::OutOfMemory)
            error.message += "; other processes hold all of its memory";
        return error;
    }
    context->m_driver = std::move(driver);
    context->m_context = handle;
    context->m_serial = ++last_serial;
    if (context->m_device.has_memory_pools) {
        // Freed memory stays with the process: else every wait would give it back to the system.
        PoolHandle pool = nullptr;
        std::uint64_t keep_all = ~std::uint64_t{0};
        if (api.device_get_default_pool(&pool, context->m_handle) != Status::Success ||
            api.pool_set_attribute(pool, pool_release_threshold, &keep_all) != Status::Success)
            context->m_device.has_memory_pools = false;
    }
    return context;
}

Context::~Context() {
    if (!m_context)
        return;
    if (current_serial == m_serial)
        current_serial = 0;
    // A kernel that never ends would keep the release waiting for ever.
    if (!m_lost)
        api().primary_context_release(m_handle);
}

Result<void> Context::enter() {
    if (m_lost) {
        std::lock_guard lock(m_mutex);
        return Error{"context-lost", cat("the device cannot be used any more in this process, because ",
                                         m_fault ? m_fault->message : "its context is lost")};
    }
    if (current_serial == m_serial)
        return {};
    if (Status status = api().context_set_current(m_context); status != Status::Success)
        return failure(status, "making the context current");
    current_serial = m_serial;
    return {};
}

bool Context::enter_to_free() noexcept {
    if (m_lost)
        return false;
    if (current_serial != m_serial && api().context_set_current(m_context) == Status::Success)
        current_serial = m_serial;
    return current_serial == m_serial;
}

Error Context::failure(Status status, std::string_view doing) {
    const ResultRow& row = result_row(status);
    Error error = error_of(status, doing);
    const char* name = nullptr;
    if (!*row.name && api().get_error_name(status, &name) == Status::Success && name)
        error.message += cat(" (", name, ")");
    if (!row.is_sticky)
        return error;
    if (is_fault_of_script(error))
        error.message = cat(subject_of(m_log.pending(), row), " (", row.name,
                            "); this process cannot use the device any more; run 'hidetc emulate' to find the line");
    lose(error);
    return error;
}

void Context::lose(Error why) {
    std::lock_guard lock(m_mutex);
    if (!m_fault)
        m_fault = std::move(why);
    m_lost = true;
}

std::optional<Error> Context::fault() const {
    std::lock_guard lock(m_mutex);
    return m_fault;
}

} // namespace hidet::cuda
