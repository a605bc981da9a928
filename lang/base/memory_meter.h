// SPDX-License-Identifier: Apache-2.0
// Memory that a thread takes, counted where it is taken: by operator new and delete, whoever calls them. So the limit of a
// script holds for all that its evaluation does, and nothing that makes a value needs to count it.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

namespace hidet {

struct MemoryMeter {
    // Bytes that may be held. What is small may go a little beyond, until its maker asks is_over(): an allocation of a few
    // bytes has no place where it could fail well.
    std::uint64_t limit = UINT64_MAX;
    // Bytes that may be taken in all, given back or not, a few hundred more for each allocation: the work of loops that
    // count none. Looked at now and then.
    std::uint64_t traffic_limit = UINT64_MAX;
    // Bytes by which the process may grow: the allocator keeps what lies between that which is held.
    std::uint64_t growth_limit = UINT64_MAX;
    const std::atomic<bool>* cancelled = nullptr;

    bool is_over() const { return held > 0 && static_cast<std::uint64_t>(held) > limit; }
    bool has_room_for(std::uint64_t bytes) const {
        return bytes <= limit && (held <= 0 || static_cast<std::uint64_t>(held) + bytes <= limit);
    }

    // What other allocators do, as of tensors.
    void take(std::uint64_t bytes); // throws MeterStop before they are taken
    void give(std::uint64_t bytes) noexcept;

    std::int64_t held = 0; // less than nothing: other threads allocated what this one freed
    std::uint64_t traffic = 0;
    std::uint64_t next_look = 0; // of traffic
    std::uint64_t resident_before = 0;
};

// Thrown by operator new.
struct MeterStop : std::bad_alloc {
    enum class Why : std::uint8_t { Memory, Work, Cancelled };
    MeterStop(Why why, std::uint64_t bytes) : why(why), bytes(bytes) {}
    const char* what() const noexcept override { return "a limit of memory was reached"; }
    Why why;
    std::uint64_t bytes; // that were asked for
};

// Counts for the meter what this thread takes and gives back. Inside of another scope both limits hold.
class MeterScope {
public:
    explicit MeterScope(MemoryMeter& meter);
    ~MeterScope();
    MeterScope(const MeterScope&) = delete;
    MeterScope& operator=(const MeterScope&) = delete;

private:
    MemoryMeter& m_meter;
    MemoryMeter* m_outer;
    std::uint64_t m_limit;
    std::int64_t m_before;
};

// After what was counted has died: an allocator keeps what is free, in a process that lives on for days. Does nothing for little.
void give_back_memory(const MemoryMeter& meter) noexcept;

// The meter of this thread, or null.
MemoryMeter* current_meter() noexcept;

} // namespace hidet
