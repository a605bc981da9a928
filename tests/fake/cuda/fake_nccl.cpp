// SPDX-License-Identifier: Apache-2.0
// A libnccl for the fake GPU, whose memory is the host's, between processes of one machine: by shared memory under a name that
// the identity has. A thread of the communicator does what is begun, in the order of the stream, which is busy meanwhile; it never
// asks whether the others live, and waits for them until the communicator is given up. With HIDET_FAKE_NCCL="broken=3" the third
// operation of a process fails, with "kill=3" the process ends in it.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/distributed/nccl.h"
#include "tests/fake/cuda/control.h"

using hidet::distributed::NcclConfig;
using hidet::distributed::NcclId;
using hidet::distributed::NcclOp;
using hidet::distributed::NcclStatus;
using hidet::distributed::NcclType;
using hidet::distributed::Reduction;
using hidet::package::Scalar;

namespace {

constexpr int most_ranks = 16;
constexpr std::size_t slot_bytes = std::size_t{1} << 20;

struct Mailbox { // from one rank to another
    std::atomic<std::uint64_t> sent, taken;
    std::size_t bytes;
};

struct Shared {
    std::atomic<std::uint64_t> arrivals[most_ranks];
    Mailbox mail[most_ranks][most_ranks];
};

struct Message {
    bool is_sent;
    std::byte* data;
    std::size_t bytes;
    int other;
};

struct Work {
    std::function<void()> each, end;
};

struct Communicator {
    int rank = 0, size = 1;
    std::byte* memory = nullptr;
    std::atomic<bool> is_given_up = false;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work;
    std::thread worker = std::thread([this] { run(); });

    void run() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return !work.empty() || is_given_up; });
            if (work.empty())
                return;
            const std::function<void()> next = std::move(work.front());
            work.pop_front();
            lock.unlock();
            next();
            lock.lock();
        }
    }
    // In the stream; what is given up ends at once.
    void begin(void* stream, std::function<void()> each) {
        fake_cuda_start_long(stream, [this, each = std::move(each)](std::function<void()> end) {
            if (!add({each, end}))
                end();
        });
    }
    bool add(const Work& next) { // false: it is given up
        const std::lock_guard lock(mutex);
        if (is_given_up)
            return false;
        work.push_back([this, next] {
            if (!is_given_up)
                next.each();
            next.end();
        });
        changed.notify_all();
        return true;
    }

    Shared& shared() const { return *reinterpret_cast<Shared*>(memory); }
    std::byte* slot(int from, int to) const {
        return memory + (1 + static_cast<std::size_t>(from) * most_ranks + static_cast<std::size_t>(to)) * slot_bytes;
    }
    bool wait(const std::function<bool()>& is_there) const { // false: it is given up
        while (!is_there()) {
            if (is_given_up)
                return false;
            usleep(50);
        }
        return true;
    }
    bool meet() const {
        const std::uint64_t arrivals = ++shared().arrivals[rank];
        return wait([&] {
            return std::all_of(shared().arrivals, shared().arrivals + size,
                               [&](const auto& other) { return other >= arrivals; });
        });
    }
};

std::mutex given_up_mutex;
thread_local int open_groups = 0;
thread_local Communicator* group_of = nullptr;
thread_local void* group_stream = nullptr;
thread_local std::vector<std::function<void()>> group_work; // reductions
thread_local std::vector<Message> group_messages;

Scalar scalar_of(NcclType type) {
    constexpr Scalar of[] = {Scalar::I8,  Scalar::U8,  Scalar::I32, Scalar::U32,  Scalar::I64,    Scalar::U64,
                             Scalar::F16, Scalar::F32, Scalar::F64, Scalar::BF16, Scalar::F8E4M3, Scalar::F8E5M2};
    return of[static_cast<std::size_t>(type)];
}

Reduction reduction_of(NcclOp op) {
    constexpr Reduction of[] = {Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min, Reduction::Avg};
    return of[static_cast<std::size_t>(op)];
}

// Each gives all of `from`, in pieces; `take` gets the piece of each rank and where it begins.
void share(Communicator& comm, const std::byte* from, std::size_t bytes,
           const std::function<void(const std::vector<const std::byte*>&, std::size_t, std::size_t)>& take) {
    for (std::size_t begin = 0; begin < bytes; begin += slot_bytes) {
        const std::size_t some = std::min(slot_bytes, bytes - begin);
        std::memcpy(comm.slot(comm.rank, comm.rank), from + begin, some);
        if (!comm.meet())
            return;
        std::vector<const std::byte*> pieces;
        for (int other = 0; other < comm.size; ++other)
            pieces.push_back(comm.slot(other, other));
        take(pieces, begin, some);
        if (!comm.meet())
            return;
    }
}

void reduce_into(Communicator& comm, const void* from, void* into, std::size_t count, NcclType type, NcclOp op) {
    const Scalar scalar = scalar_of(type);
    const auto element = static_cast<std::size_t>(hidet::package::scalar_bytes(scalar));
    share(comm, static_cast<const std::byte*>(from), count * element,
          [&](const auto& pieces, std::size_t begin, std::size_t bytes) {
              if (into)
                  hidet::distributed::reduce(reduction_of(op), scalar, pieces, static_cast<std::byte*>(into) + begin,
                                             bytes / element);
          });
}

// All messages of a group at once, a piece of each in turn.
void exchange(Communicator& comm, std::vector<Message> messages) {
    std::vector<std::size_t> begins(messages.size(), 0);
    std::size_t open = messages.size();
    std::vector<bool> is_done(messages.size(), false);
    while (open > 0 && !comm.is_given_up) {
        for (std::size_t i = 0; i < messages.size(); ++i) {
            const Message& each = messages[i];
            const int from = each.is_sent ? comm.rank : each.other, to = each.is_sent ? each.other : comm.rank;
            Mailbox& mail = comm.shared().mail[from][to];
            if (is_done[i] || (mail.sent == mail.taken) != each.is_sent)
                continue;
            const std::size_t some = std::min(slot_bytes, each.bytes - begins[i]);
            if (each.is_sent) {
                std::memcpy(comm.slot(from, to), each.data + begins[i], some);
                ++mail.sent;
            } else {
                std::memcpy(each.data + begins[i], comm.slot(from, to), some);
                ++mail.taken;
            }
            begins[i] += some;
            is_done[i] = begins[i] == each.bytes;
            open -= is_done[i] ? 1 : 0;
        }
        usleep(20);
    }
}

// "broken=3" and "kill=3" of HIDET_FAKE_NCCL, for the operation that is begun.
bool is_at(std::string_view what, int operation) {
    const char* said = std::getenv("HIDET_FAKE_NCCL");
    return said && std::string_view(said) == hidet::cat(what, operation);
}

bool is_broken() {
    static std::atomic<int> operations = 0;
    const int operation = ++operations;
    if (is_at("kill=", operation))
        kill(getpid(), SIGKILL);
    return is_at("broken=", operation);
}

NcclStatus start(Communicator& comm, void* stream, std::function<void()> work) {
    if (is_broken())
        return static_cast<NcclStatus>(1);
    if (open_groups > 0) {
        group_of = &comm;
        group_stream = stream;
        group_work.push_back(std::move(work));
        return NcclStatus::Success;
    }
    comm.begin(stream, std::move(work));
    return NcclStatus::Success;
}

NcclStatus post(Communicator& comm, void* stream, Message message) {
    if (is_broken())
        return static_cast<NcclStatus>(1);
    if (open_groups == 0)
        return static_cast<NcclStatus>(5);
    group_of = &comm;
    group_stream = stream;
    if (message.bytes > 0)
        group_messages.push_back(message);
    return NcclStatus::Success;
}

std::size_t bytes_of(std::size_t count, NcclType type) {
    return count * static_cast<std::size_t>(hidet::package::scalar_bytes(scalar_of(type)));
}

Communicator& communicator(void* comm) {
    return *static_cast<Communicator*>(comm);
}

// All give their part, and each takes what the function says.
NcclStatus start_sharing(void* comm, void* stream, const void* from, std::size_t bytes,
                         std::function<void(const std::vector<const std::byte*>&, std::size_t, std::size_t)> take) {
    Communicator& in = communicator(comm);
    return start(in, stream,
                 [=, &in, take = std::move(take)] { share(in, static_cast<const std::byte*>(from), bytes, take); });
}

} // namespace

#define ENTRY extern "C" __attribute__((visibility("default")))

ENTRY NcclStatus ncclGetVersion(int* version) {
    *version = 22809;
    return NcclStatus::Success;
}

ENTRY NcclStatus ncclGetUniqueId(NcclId* id) {
    static std::atomic<int> made = 0;
    const std::string name = hidet::cat("/hidet-fake-nccl-", getpid(), "-", ++made);
    std::memcpy(id->bytes, name.c_str(), name.size() + 1);
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(slot_bytes * (1 + most_ranks * most_ranks))) != 0)
        return static_cast<NcclStatus>(2);
    close(file);
    return NcclStatus::Success;
}

ENTRY NcclStatus ncclCommInitRankConfig(void** out, int size, NcclId id, int rank, NcclConfig* config) {
    if (config->magic != 0xcafebeef || config->blocking != 1 || size > most_ranks)
        return static_cast<NcclStatus>(4);
    const int file = shm_open(id.bytes, O_RDWR, 0600);
    const std::size_t bytes = slot_bytes * (1 + most_ranks * most_ranks);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return static_cast<NcclStatus>(2);
    auto* comm = new Communicator;
    comm->rank = rank;
    comm->size = size;
    comm->memory = static_cast<std::byte*>(memory);
    *out = comm;
    comm->meet();
    if (comm->rank == 0)
        shm_unlink(id.bytes);
    return NcclStatus::Success;
}

ENTRY NcclStatus ncclCommAbort(void* comm) {
    {
        const std::lock_guard lock(communicator(comm).mutex);
        communicator(comm).is_given_up = true;
    }
    communicator(comm).changed.notify_all();
    communicator(comm).worker.join();
    munmap(communicator(comm).memory, slot_bytes * (1 + most_ranks * most_ranks));
    // Never destroyed: what waits in a stream behind another communicator comes to it yet.
    static std::vector<void*>* const given_up = new std::vector<void*>;
    const std::lock_guard lock(given_up_mutex);
    given_up->push_back(comm);
    return NcclStatus::Success;
}

ENTRY NcclStatus ncclCommGetAsyncError(void*, NcclStatus* status) {
    *status = NcclStatus::Success;
    return NcclStatus::Success;
}

ENTRY const char* ncclGetErrorString(NcclStatus status) {
    return status == static_cast<NcclStatus>(1) ? "unhandled cuda error" : "invalid usage";
}

ENTRY NcclStatus ncclGroupStart() {
    ++open_groups;
    return NcclStatus::Success;
}

ENTRY NcclStatus ncclGroupEnd() {
    if (--open_groups > 0 || !group_of)
        return NcclStatus::Success;
    Communicator& comm = *std::exchange(group_of, nullptr);
    comm.begin(group_stream,
               [&comm, work = std::exchange(group_work, {}), messages = std::exchange(group_messages, {})] {
                   for (const auto& each : work)
                       each();
                   exchange(comm, messages);
               });
    return NcclStatus::Success;
}

ENTRY NcclStatus ncclAllReduce(const void* from, void* into, std::size_t count, NcclType type, NcclOp op, void* comm,
                               void* stream) {
    Communicator& in = communicator(comm);
    return start(in, stream, [=, &in] { reduce_into(in, from, into, count, type, op); });
}

ENTRY NcclStatus ncclReduce(const void* from, void* into, std::size_t count, NcclType type, NcclOp op, int root,
                            void* comm, void* stream) {
    Communicator& in = communicator(comm);
    return start(in, stream, [=, &in] { reduce_into(in, from, in.rank == root ? into : nullptr, count, type, op); });
}

ENTRY NcclStatus ncclBroadcast(const void* from, void* into, std::size_t count, NcclType type, int root, void* comm,
                               void* stream) {
    return start_sharing(
        comm, stream, from, bytes_of(count, type), [=](const auto& pieces, std::size_t begin, std::size_t some) {
            std::memcpy(static_cast<std::byte*>(into) + begin, pieces[static_cast<std::size_t>(root)], some);
        });
}

ENTRY NcclStatus ncclAllGather(const void* from, void* into, std::size_t count, NcclType type, void* comm,
                               void* stream) {
    const std::size_t bytes = bytes_of(count, type);
    const auto take = [=](const auto& pieces, std::size_t begin, std::size_t some) {
        for (std::size_t other = 0; other < pieces.size(); ++other)
            std::memcpy(static_cast<std::byte*>(into) + other * bytes + begin, pieces[other], some);
    };
    return start_sharing(comm, stream, from, bytes, take);
}

ENTRY NcclStatus ncclReduceScatter(const void* from, void* into, std::size_t count, NcclType type, NcclOp op,
                                   void* comm, void* stream) {
    Communicator& in = communicator(comm);
    const std::size_t bytes = bytes_of(count, type);
    return start(in, stream, [=, &in] {
        for (int root = 0; root < in.size; ++root)
            reduce_into(in, static_cast<const std::byte*>(from) + static_cast<std::size_t>(root) * bytes,
                        in.rank == root ? into : nullptr, count, type, op);
    });
}

ENTRY NcclStatus ncclSend(const void* from, std::size_t count, NcclType, int to, void* comm, void* stream) {
    return post(communicator(comm), stream,
                {true, const_cast<std::byte*>(static_cast<const std::byte*>(from)), count, to});
}

ENTRY NcclStatus ncclRecv(void* into, std::size_t count, NcclType, int from, void* comm, void* stream) {
    return post(communicator(comm), stream, {false, static_cast<std::byte*>(into), count, from});
}
