// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/segment.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::distributed {

static constexpr std::size_t page_bytes = 4096;

static std::size_t bytes_before_slots(int size) {
    const auto ranks = static_cast<std::size_t>(size);
    const std::size_t bytes = sizeof(Head) + ranks * sizeof(Row) + ranks * ranks * sizeof(Mail);
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

static Error memory_error(std::string_view doing) {
    return {"shared-memory", cat("the group's shared memory cannot be ", doing, ": ", std::strerror(errno))};
}

void put_text(char* text, std::size_t bytes, std::string_view value) {
    const std::size_t count = std::min(bytes - 1, value.size());
    std::memcpy(text, value.data(), count);
    text[count] = '\0';
}

Segment::Segment(process::Descriptor file, int size, std::size_t slot_bytes)
    : m_file(std::move(file)), m_size(size), m_slot_bytes(slot_bytes) {}

Segment::~Segment() {
    if (m_memory)
        munmap(m_memory, bytes());
}

std::size_t Segment::bytes() const {
    return bytes_before_slots(m_size) + static_cast<std::size_t>(m_size) * m_slot_bytes;
}

std::byte* Segment::slot(int rank) const {
    return m_memory + bytes_before_slots(m_size) + static_cast<std::size_t>(rank) * m_slot_bytes;
}

std::string Segment::name() const {
    return cat(m_file.get());
}

Result<void> Segment::map() {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, m_file.get(), 0);
    if (memory == MAP_FAILED)
        return memory_error("mapped");
    m_memory = static_cast<std::byte*>(memory);
    return {};
}

Result<std::unique_ptr<Segment>> Segment::make(int size, std::size_t slot_bytes) {
    process::Descriptor file =
        process::above_standard_streams(process::Descriptor(memfd_create("hidet-group", MFD_CLOEXEC)));
    if (!file.is_open())
        return memory_error("made");
    std::unique_ptr<Segment> out(new Segment(std::move(file), size, slot_bytes));
    // Taken now: memory that is missing later would end the process.
    if (const int error = posix_fallocate(out->m_file.get(), 0, static_cast<off_t>(out->bytes())); error != 0) {
        errno = error;
        return memory_error("made");
    }
    HIDET_TRY_TO(out->map());
    return out;
}

Result<std::unique_ptr<Segment>> Segment::attach(const Peer& maker, const std::string& name, int size,
                                                 std::size_t slot_bytes) {
    process::Descriptor file = process::above_standard_streams(
        process::Descriptor(open(cat("/proc/", maker.process, "/fd/", name).c_str(), O_RDWR | O_CLOEXEC)));
    if (!file.is_open() || !maker.is_alive())
        return memory_error("opened (all processes of a group run on one machine, as one user)");
    std::unique_ptr<Segment> out(new Segment(std::move(file), size, slot_bytes));
    struct stat status {};
    if (fstat(out->m_file.get(), &status) != 0 || static_cast<std::size_t>(status.st_size) != out->bytes())
        return Error{"shared-memory",
                     "the group's shared memory has another size: its processes are of different versions"};
    HIDET_TRY_TO(out->map());
    return out;
}

// Who falls asleep counts itself before it looks at the bell a last time, so one of the two sees what the other has done. A process
// that is killed asleep stays counted, which costs the others a call of the system for each ring.
void Segment::ring() const {
    head().bell.fetch_add(1);
    if (head().sleepers.load() == 0)
        return;
    syscall(SYS_futex, &head().bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Segment::wait_for_ring(std::uint32_t since) const {
    constexpr long milliseconds = 50;
    const timespec limit{0, milliseconds * 1'000'000};
    head().sleepers.fetch_add(1);
    syscall(SYS_futex, &head().bell, FUTEX_WAIT, since, &limit, nullptr, 0);
    head().sleepers.fetch_sub(1);
}

// A process may be killed at any place: there is nothing that the others would wait for.
std::string Segment::fail(int rank, std::string_view reason) const {
    {
        const std::lock_guard lock(m_failing);
        Row& own = row(rank);
        if (own.reason[0] == '\0')
            put_text(own.reason, sizeof own.reason, reason);
    }
    std::uint32_t nobody = 0;
    if (head().failed.compare_exchange_strong(nobody, static_cast<std::uint32_t>(rank) + 1, std::memory_order_acq_rel))
        ring();
    return failure();
}

std::string Segment::failure() const {
    const std::uint32_t failed = head().failed.load(std::memory_order_acquire);
    return failed == 0 ? "" : row(static_cast<int>(failed) - 1).reason;
}

} // namespace hidet::distributed
