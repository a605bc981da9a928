// SPDX-License-Identifier: Apache-2.0
// The memory that the processes of a group share. It has no name that could be left behind: the first makes it, the others
// open it by the first one's descriptor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lang/base/result.h"
#include "runtime/distributed/peer.h"
#include "runtime/process/descriptor.h"

namespace hidet::distributed {

// Of one process, written by it alone.
struct alignas(64) Row {
    std::atomic<std::uint64_t> arrivals; // at barriers
    std::atomic<std::uint32_t> has_left;
    char calls[2][240]; // "all_reduce of f32[2, 3] by sum", in turn: nobody is two barriers ahead
    char reason[1024];  // why it has given the group up; written before it says so in the head

    const char* call_at(std::uint64_t arrival) const { return calls[arrival % 2]; }
};

// From one process to another.
struct alignas(64) Mail {
    std::atomic<std::uint32_t> sends, receives;           // calls that have begun
    std::atomic<std::uint32_t> pieces_sent, pieces_taken; // of the call
    char what[240];                                       // "f32[2, 3]"
};

struct alignas(64) Head {
    std::atomic<std::uint32_t> bell;     // rung when anything here has changed
    std::atomic<std::uint32_t> sleepers; // until it rings; where there are none nobody has to be woken
    std::atomic<std::uint32_t>
        failed; // 0: nobody, else one more than the rank of who did so first, whose reason is everybody's
};

void put_text(char* text, std::size_t bytes, std::string_view value); // cut where it is too long

class Segment {
public:
    static Result<std::unique_ptr<Segment>> make(int size, std::size_t slot_bytes);
    // Of the process that has made it, under the name that it gave.
    static Result<std::unique_ptr<Segment>> attach(const Peer& maker, const std::string& name, int size,
                                                   std::size_t slot_bytes);
    ~Segment();
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    std::string name() const; // for attach()

    Head& head() const { return *reinterpret_cast<Head*>(m_memory); }
    Row& row(int rank) const { return reinterpret_cast<Row*>(m_memory + sizeof(Head))[rank]; }
    Mail& mail(int from, int to) const {
        return reinterpret_cast<Mail*>(m_memory + sizeof(Head) +
                                       static_cast<std::size_t>(m_size) * sizeof(Row))[from * m_size + to];
    }
    std::byte* slot(int rank) const; // what the process gives to the others
    std::size_t slot_bytes() const { return m_slot_bytes; }

    void ring() const;
    void wait_for_ring(std::uint32_t since) const; // or for some milliseconds
    // Of any thread. The reason that counts: the first one that anybody gave.
    std::string fail(int rank, std::string_view reason) const;
    bool has_failed() const { return head().failed.load(std::memory_order_acquire) != 0; }
    std::string failure() const; // that reason; empty: there is none

private:
    Segment(process::Descriptor file, int size, std::size_t slot_bytes);
    Result<void> map();
    std::size_t bytes() const;

    process::Descriptor m_file;
    int m_size;
    std::size_t m_slot_bytes;
    std::byte* m_memory = nullptr;
    mutable std::mutex m_failing; // threads of this process
};

} // namespace hidet::distributed
