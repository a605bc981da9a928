// SPDX-License-Identifier: Apache-2.0
// Memory of the GPUs of a group that all of them have laid out alike, and that each maps of all others: a kernel reaches what another
// GPU has at its own address plus a distance. The driver carries it from process to process (CUDA IPC), by NVLink or PCI Express.
#pragma once

#include <memory>
#include <vector>

#include "compiler/artifact/peers.h"
#include "runtime/cuda/memory.h"
#include "runtime/distributed/process_group.h"

namespace hidet::distributed {

// What each GPU takes for it, where a tensor of so many bytes is asked for first: as HIDET_SYMMETRIC_BYTES says, else enough for some
// of that size.
Result<std::size_t> symmetric_bytes(std::size_t first);

class SymmetricMemory : public std::enable_shared_from_this<SymmetricMemory> {
public:
    // All processes of the group call it. What one of them cannot do is an error of all, and the group is as it was.
    static Result<std::shared_ptr<SymmetricMemory>> make(std::shared_ptr<cuda::Stream> stream, MeetingGroup& meeting,
                                                         std::size_t bytes);
    ~SymmetricMemory();
    SymmetricMemory(const SymmetricMemory&) = delete;
    SymmetricMemory& operator=(const SymmetricMemory&) = delete;

    const artifact::Peers& peers() const { return m_peers; }
    cuda::DeviceAddress base() const { return m_base; }
    std::size_t bytes() const { return m_bytes; }

    struct Part {
        cuda::DeviceAddress address = 0;
        std::shared_ptr<void> owner;
    };
    // All of them call it alike. Of zeros; memory whose owners are gone in all processes is given again.
    Result<Part> allocate(MeetingGroup& meeting, std::size_t bytes);

private:
    struct Offer; // what the processes tell each other of their memory
    struct Block {
        std::size_t begin = 0, bytes = 0;
        std::weak_ptr<void> owner;
    };
    explicit SymmetricMemory(std::shared_ptr<cuda::Stream> stream) : m_stream(std::move(stream)) {}
    Result<Offer> offer(int rank, std::size_t bytes);
    Result<void> open(const Offer& own, const std::vector<Offer>& offers, int rank);
    Result<void> open(const Offer& own, const Offer& other, int rank, int other_rank);
    Result<void> drop_released(MeetingGroup& meeting);
    Result<std::size_t> place(std::size_t bytes) const; // where there is room
    Result<void> clear(const Block& block);

    std::shared_ptr<cuda::Stream> m_stream;
    cuda::DeviceAddress m_base = 0;
    std::size_t m_bytes = 0;
    std::vector<cuda::DeviceAddress> m_opened; // of others
    artifact::Peers m_peers;
    std::vector<Block> m_blocks; // by place; the same in all processes
};

} // namespace hidet::distributed
