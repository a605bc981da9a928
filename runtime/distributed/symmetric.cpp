// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/symmetric.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "lang/base/text.h"
#include "runtime/distributed/rendezvous.h"
#include "runtime/distributed/segment.h"

namespace hidet::distributed {

namespace {

constexpr std::size_t least_bytes = std::size_t{256} << 20;
constexpr std::size_t grain = std::size_t{2} << 20; // a smaller allocation is a part of one that others share with it
constexpr std::size_t alignment = 512;
constexpr const char* bytes_variable = "HIDET_SYMMETRIC_BYTES";

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

// The first reason of all processes, in rank order, why one of them could not do its part: the same for all.
Result<void> all_good(MeetingGroup& meeting, const Result<void>& own) {
    constexpr std::size_t reason_bytes = 480;
    constexpr std::int64_t shape[] = {reason_bytes};
    const auto count = static_cast<std::size_t>(meeting.size());
    char mine[reason_bytes] = {};
    std::vector<char> all(count * reason_bytes);
    std::vector<std::byte*> places(count);
    for (std::size_t rank = 0; rank < count; ++rank)
        places[rank] = reinterpret_cast<std::byte*>(all.data() + rank * reason_bytes);
    if (!own)
        put_text(mine, sizeof mine, own.error().message);
    const Elements given{package::Scalar::U8, shape, reinterpret_cast<std::byte*>(mine)};
    HIDET_TRY_TO(meeting.all_gather(given, places));
    for (std::size_t rank = 0; rank < count; ++rank)
        if (const char* reason = all.data() + rank * reason_bytes; *reason)
            return Error{"group", reason};
    return {};
}

// Nothing: this process does not see the GPU.
std::optional<cuda::DeviceHandle> find_device(const cuda::Api& api, std::string_view bus_id) {
    int count = 0;
    if (api.device_get_count(&count) != cuda::Status::Success)
        return std::nullopt;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cuda::DeviceHandle device = 0;
        char text[64] = {};
        if (api.device_get(&device, ordinal) == cuda::Status::Success &&
            api.device_get_pci_bus_id(text, sizeof text - 1, device) == cuda::Status::Success && bus_id == text)
            return device;
    }
    return std::nullopt;
}

Error no_room(std::size_t bytes, std::size_t all) {
    return {"group", cat("symmetric memory has no room for ", cuda::bytes_text(bytes), ": each GPU has ",
                         cuda::bytes_text(all), " of it, or what ", bytes_variable, " says")};
}

} // namespace

Result<std::size_t> symmetric_bytes(std::size_t first) {
    const std::size_t usual = rounded(std::max(least_bytes, 2 * first), grain);
    const std::optional<std::string> said = variable_of_process(bytes_variable);
    if (!said)
        return usual;
    std::size_t bytes = 0;
    const auto [end, failed] = std::from_chars(said->data(), said->data() + said->size(), bytes);
    if (failed != std::errc() || end != said->data() + said->size() || bytes == 0)
        return Error{"group", cat(bytes_variable, " is a number of bytes, and not '", *said, "'")};
    return rounded(bytes, grain);
}

struct SymmetricMemory::Offer {
    cuda::IpcHandle handle;
    char bus_id[32];
    std::uint64_t token; // what the memory begins with
};

Result<std::shared_ptr<SymmetricMemory>> SymmetricMemory::make(std::shared_ptr<cuda::Stream> stream,
                                                               MeetingGroup& meeting, std::size_t bytes) {
    if (meeting.size() > artifact::most_peers)
        return Error{"group",
                     cat("kernels reach at most ", artifact::most_peers, " GPUs, and the group has ", meeting.size())};
    HIDET_TRY_TO(meeting.agree(cat("symmetric memory of ", bytes, " bytes")));
    std::shared_ptr<SymmetricMemory> memory(new SymmetricMemory(std::move(stream)));
    const Result<Offer> offered = memory->offer(meeting.rank(), bytes);
    HIDET_TRY_TO(all_good(meeting, offered ? Result<void>{} : offered.error()));
    Offer own = offered.value();
    std::vector<Offer> offers(static_cast<std::size_t>(meeting.size()));
    std::vector<std::byte*> places;
    for (Offer& each : offers)
        places.push_back(reinterpret_cast<std::byte*>(&each));
    constexpr std::int64_t shape[] = {sizeof(Offer)};
    HIDET_TRY_TO(meeting.all_gather({package::Scalar::U8, shape, reinterpret_cast<std::byte*>(&own)}, places));
    HIDET_TRY_TO(all_good(meeting, memory->open(own, offers, meeting.rank())));
    return memory;
}

SymmetricMemory::~SymmetricMemory() {
    cuda::Context& context = m_stream->context();
    if (!context.enter_to_free())
        return;
    for (const cuda::DeviceAddress address : m_opened)
        context.api().ipc_close(address);
    if (m_base)
        context.api().memory_free(m_base);
}

Result<SymmetricMemory::Offer> SymmetricMemory::offer(int rank, std::size_t bytes) {
    cuda::Context& context = m_stream->context();
    HIDET_TRY_TO(context.enter());
    const std::string doing = cat("taking ", cuda::bytes_text(bytes), " of symmetric memory on rank ", rank, "'s GPU (",
                                  bytes_variable, " says how much)");
    HIDET_TRY_TO(context.check(context.api().memory_allocate(&m_base, bytes), doing.c_str()));
    m_bytes = bytes;
    Offer out{};
    HIDET_TRY_TO(
        context.check(context.api().ipc_get_handle(&out.handle, m_base), "giving other processes the memory of a GPU"));
    put_text(out.bus_id, sizeof out.bus_id, context.device().bus_id);
    out.token = (static_cast<std::uint64_t>(Peer::self().process) << 8) | static_cast<std::uint64_t>(rank);
    HIDET_TRY_TO(copy_to_device(*m_stream, m_base, &out.token, sizeof out.token));
    HIDET_TRY_TO(m_stream->wait());
    return out;
}

Result<void> SymmetricMemory::open(const Offer& own, const std::vector<Offer>& offers, int rank) {
    m_peers.rank = rank;
    m_peers.count = static_cast<std::int32_t>(offers.size());
    for (int other = 0; other < m_peers.count; ++other)
        if (other != rank)
            HIDET_TRY_TO(open(own, offers[static_cast<std::size_t>(other)], rank, other));
    return {};
}

// What the driver calls possible is looked at, too: a machine that translates addresses of devices may give other bytes.
Result<void> SymmetricMemory::open(const Offer& own, const Offer& other, int rank, int other_rank) {
    cuda::Context& context = m_stream->context();
    const cuda::Api& api = context.api();
    const std::string whose = cat("the memory of rank ", other_rank, "'s GPU ", other.bus_id);
    const std::string reaches = cat("rank ", rank, "'s GPU ", own.bus_id, " does not reach ", whose, ": ");
    const auto here = find_device(api, own.bus_id), there = find_device(api, other.bus_id);
    int can = 1;
    if (here && there && *here != *there && api.device_can_access_peer(&can, *here, *there) == cuda::Status::Success &&
        !can)
        return Error{"group", cat(reaches, "neither NVLink nor PCI Express gives it access")};
    cuda::DeviceAddress address = 0;
    if (auto opened = context.check(api.ipc_open(&address, other.handle, cuda::ipc_enable_peer_access),
                                    cat("opening ", whose).c_str());
        !opened)
        return Error{"group", cat(reaches, opened.error().message,
                                  there ? "" : "; this process does not see that GPU, see CUDA_VISIBLE_DEVICES")};
    m_opened.push_back(address);
    std::uint64_t token = 0;
    if (auto read = copy_to_host(*m_stream, &token, address, sizeof token); !read)
        return Error{"group", cat(reaches, read.error().message)};
    if (token != other.token)
        return Error{"group", cat(reaches, "what is read there is not what is there")};
    m_peers.distance[other_rank] = static_cast<std::int64_t>(address - m_base);
    return {};
}

// In all processes: of one that somebody still has, kernels may be under way.
Result<void> SymmetricMemory::drop_released(MeetingGroup& meeting) {
    if (m_blocks.empty())
        return {};
    std::vector<std::uint8_t> is_released;
    for (const Block& block : m_blocks)
        is_released.push_back(block.owner.expired());
    const std::int64_t shape[] = {static_cast<std::int64_t>(is_released.size())};
    HIDET_TRY_TO(meeting.all_reduce({package::Scalar::U8, shape, reinterpret_cast<std::byte*>(is_released.data())},
                                    reinterpret_cast<std::byte*>(is_released.data()), Reduction::Min));
    std::size_t i = 0;
    std::erase_if(m_blocks, [&](const Block&) { return is_released[i++] != 0; });
    return {};
}

Result<std::size_t> SymmetricMemory::place(std::size_t bytes) const {
    std::size_t begin = 0;
    for (const Block& block : m_blocks) {
        if (block.begin - begin >= bytes)
            return begin;
        begin = block.begin + block.bytes;
    }
    if (m_bytes - begin < bytes)
        return no_room(bytes, m_bytes);
    return begin;
}

Result<void> SymmetricMemory::clear(const Block& block) {
    HIDET_TRY_TO(fill(*m_stream, m_base + block.begin, 0, block.bytes));
    return m_stream->wait();
}

Result<SymmetricMemory::Part> SymmetricMemory::allocate(MeetingGroup& meeting, std::size_t bytes) {
    // What was launched here may still write to memory of others that they have released.
    HIDET_TRY_TO(all_good(meeting, m_stream->wait()));
    HIDET_TRY_TO(drop_released(meeting));
    const std::size_t taken = rounded(std::max<std::size_t>(bytes, 1), alignment);
    HIDET_TRY(const std::size_t begin, place(taken));
    auto owner = std::make_shared<std::shared_ptr<SymmetricMemory>>(shared_from_this());
    const Block block{begin, taken, owner};
    m_blocks.insert(std::ranges::upper_bound(m_blocks, begin, {}, &Block::begin), block);
    // Nobody writes there before it is of zeros.
    HIDET_TRY_TO(all_good(meeting, clear(block)));
    return Part{m_base + begin, std::move(owner)};
}

} // namespace hidet::distributed
