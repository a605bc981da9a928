// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/communication.h"

#include <algorithm>
#include <map>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/tools/tools.h"
#include "compiler/artifact/scalars.h"
#include "lang/base/text.h"
#include "runtime/cuda/device_tensor.h"
#include "runtime/distributed/file_store.h"
#include "runtime/distributed/kernel_watch.h"
#include "runtime/distributed/nccl_group.h"
#include "runtime/distributed/process_group.h"
#include "runtime/distributed/rendezvous.h"
#include "runtime/distributed/symmetric.h"
#include "runtime/distributed/tcp_store.h"

namespace hidet::session {

namespace {

using distributed::Elements;
using distributed::Reduction;
using lang::Collective;
using lang::TensorRef;

class SessionStore final : public lang::SharedStore {
public:
    explicit SessionStore(std::unique_ptr<distributed::Store> store) : m_store(std::move(store)) {}
    Result<void> set(const std::string& key, const std::string& value) override { return m_store->set(key, value); }
    Result<std::string> get(const std::string& key) override { return m_store->get(key); }
    Result<std::int64_t> add(const std::string& key, std::int64_t amount) override { return m_store->add(key, amount); }
    void set_timeout(double seconds) override { m_store->set_timeout(seconds); }
    distributed::Store& store() { return *m_store; }

private:
    std::unique_ptr<distributed::Store> m_store;
};
using StoreRef = Ref<SessionStore>;

enum class Access : std::uint8_t { Read, Write };

// Where the elements of tensors are: in the memory of the host, or of a GPU.
class Places {
public:
    explicit Places(Gpu* gpu) : m_gpu(gpu) {}
    Result<std::byte*> place(lang::Tensor& tensor, Access access) const;
    Result<std::vector<std::byte*>> place(const std::vector<TensorRef>& tensors, Access access) const;
    Result<Elements> elements(lang::Tensor& tensor, Access access) const;

private:
    Gpu* m_gpu; // null: the host's
};

Result<std::byte*> Places::place(lang::Tensor& tensor, Access access) const {
    std::byte* bytes = nullptr;
    if (m_gpu) {
        HIDET_TRY(const std::uint64_t address, place_on_device(*m_gpu, tensor, "a tensor"));
        bytes = reinterpret_cast<std::byte*>(address);
        if (access == Access::Write)
            tensor.storage->device_is_newer();
    } else {
        // Groups take both by one type, and leave what is read alone.
        bytes = access == Access::Write ? tensor.data() : const_cast<std::byte*>(tensor.read());
    }
    if (access == Access::Write)
        tensor.storage->uninitialised = false;
    return bytes;
}

Result<std::vector<std::byte*>> Places::place(const std::vector<TensorRef>& tensors, Access access) const {
    std::vector<std::byte*> out;
    for (const TensorRef& tensor : tensors) {
        HIDET_TRY(std::byte* const bytes, place(*tensor, access));
        out.push_back(bytes);
    }
    return out;
}

Result<Elements> Places::elements(lang::Tensor& tensor, Access access) const {
    const std::optional<package::Scalar> dtype = artifact::find_scalar(ir::info(tensor.dtype).short_name);
    if (!dtype)
        return Error{"argument", cat("tensors of ", ir::info(tensor.dtype).name, " are not exchanged")};
    HIDET_TRY(std::byte* const bytes, place(tensor, access));
    return Elements{*dtype, tensor.shape, bytes};
}

Access access_to_tensor(Collective what) {
    switch (what) {
    case Collective::AllGather:
    case Collective::Gather:
    case Collective::AllToAll:
    case Collective::Send: return Access::Read;
    default: return Access::Write;
    }
}

Result<void> exchange_in(distributed::ProcessGroup& group, const Places& places, const lang::Exchange& exchange) {
    if (exchange.what == Collective::Barrier)
        return group.barrier();
    HIDET_TRY(const Elements one, places.elements(*exchange.tensor, access_to_tensor(exchange.what)));
    Elements source = one;
    if (exchange.source) {
        HIDET_TRY(source, places.elements(*exchange.source, Access::Read));
    }
    HIDET_TRY(const std::vector<std::byte*> given, places.place(exchange.from, Access::Read));
    HIDET_TRY(const std::vector<std::byte*> filled, places.place(exchange.into, Access::Write));
    distributed::ProcessGroup::List from(given), into(filled);
    from.is_of_one_tensor = into.is_of_one_tensor = exchange.is_of_one_tensor;
    const Reduction reduction = distributed::find_reduction(exchange.reduction).value_or(Reduction::Sum);
    switch (exchange.what) {
    case Collective::AllReduce: return group.all_reduce(source, one.data, reduction);
    case Collective::Reduce: return group.reduce(one, exchange.other, reduction);
    case Collective::Broadcast: return group.broadcast(one, exchange.other);
    case Collective::AllGather: return group.all_gather(one, into);
    case Collective::Gather: return group.gather(one, into, exchange.other);
    case Collective::Scatter: return group.scatter(from, one, exchange.other);
    case Collective::ReduceScatter: return group.reduce_scatter(from, one, reduction);
    case Collective::AllToAll: return group.all_to_all(from, one, into);
    case Collective::Send: return group.send(one, exchange.other);
    case Collective::Receive: return group.receive(one, exchange.other);
    case Collective::Barrier: break;
    }
    return {};
}

// What a group and its parts stand on.
struct Joining {
    StoreRef store;                 // lives as long as others may need it
    std::function<Gpu*()> open_gpu; // gives null: kernels are emulated
    Gpu* gpu = nullptr;             // null: nothing of NCCL
    std::shared_ptr<const distributed::Nccl> nccl = {};
};

class SessionGroup final : public lang::ProcessGroup {
public:
    SessionGroup(Joining joining, std::unique_ptr<distributed::MeetingGroup> meeting)
        : m_joining(std::move(joining)), m_meeting(std::move(meeting)) {}
    Result<void> join();
    int rank() const override { return m_meeting->rank(); }
    int size() const override { return m_meeting->size(); }
    std::string backend() const override;
    Result<void> exchange(const lang::Exchange& exchange) override;
    Result<Ref<lang::ProcessGroup>> part(const lang::PartRequest& request) override;
    Result<std::shared_ptr<lang::Storage>> symmetric(std::size_t bytes) override;

private:
    Result<distributed::ProcessGroup*> on_gpu(distributed::MeetingGroup& meeting);
    Result<void> make_symmetric(Gpu& gpu, std::size_t first);

    Joining m_joining;
    std::unique_ptr<distributed::MeetingGroup> m_meeting;
    std::map<distributed::MeetingGroup*, std::unique_ptr<distributed::ProcessGroup>> m_on_gpu; // of tensors there
    std::shared_ptr<distributed::SymmetricMemory> m_symmetric; // null: nobody has asked for some
    std::unique_ptr<distributed::KernelWatch> m_watch;
    int m_parts = 0;
};

Result<void> SessionGroup::join() {
    // All of them, or none.
    HIDET_TRY_TO(m_meeting->agree(cat("init_process_group by ", m_joining.nccl ? "NCCL" : "shared memory")));
    if (!m_joining.nccl)
        return {};
    HIDET_TRY_TO(on_gpu(*m_meeting));
    return {};
}

// All processes of `meeting` meet when they first exchange there.
Result<distributed::ProcessGroup*> SessionGroup::on_gpu(distributed::MeetingGroup& meeting) {
    std::unique_ptr<distributed::ProcessGroup>& known = m_on_gpu[&meeting];
    if (!known) {
        HIDET_TRY(known, distributed::make_nccl_group(m_joining.nccl, m_joining.gpu->backend.stream(), meeting));
    }
    return known.get();
}

std::string SessionGroup::backend() const {
    const auto own = m_on_gpu.find(m_meeting.get());
    return own == m_on_gpu.end() ? m_meeting->backend() : own->second->backend();
}

Result<Ref<lang::ProcessGroup>> joined(Joining joining, Result<std::unique_ptr<distributed::MeetingGroup>> meeting) {
    if (!meeting)
        return meeting.error();
    Ref<SessionGroup> group(new SessionGroup(std::move(joining), std::move(meeting).value()));
    HIDET_TRY_TO(group->join());
    return Ref<lang::ProcessGroup>(std::move(group));
}

Result<void> SessionGroup::exchange(const lang::Exchange& exchange) {
    distributed::MeetingGroup* group = m_meeting.get();
    if (!exchange.ranks.empty()) {
        HIDET_TRY(group, m_meeting->only(m_joining.store->store(), exchange.ranks));
    }
    for (const std::vector<TensorRef>* list : {&exchange.from, &exchange.into}) // graphs know the size of another time
        if (!list->empty() && list->size() != static_cast<std::size_t>(group->size()))
            return Error{"argument",
                         cat("the exchange is one of ", list->size(), " processes, and the group has ", group->size())};
    const bool is_on_gpu = m_joining.nccl && exchange.tensor && exchange.tensor->device == Device::Cuda;
    if (is_on_gpu) {
        HIDET_TRY(distributed::ProcessGroup* const there, on_gpu(*group));
        return exchange_in(*there, Places(m_joining.gpu), exchange);
    }
    if (exchange.is_recorded)
        return Error{"argument", "an exchange through the memory of the host is no part of a CUDA graph"};
    return exchange_in(*group, Places(nullptr), exchange);
}

Result<Ref<lang::ProcessGroup>> SessionGroup::part(const lang::PartRequest& request) {
    const std::string name = cat("part/", request.name.empty() ? cat(m_parts++) : request.name);
    if (std::ranges::find(request.ranks, rank()) == request.ranks.end())
        return Ref<lang::ProcessGroup>();
    Joining joining = m_joining;
    joining.store->set_timeout(request.timeout);
    if (!request.backend.empty() && request.backend != "nccl")
        joining.nccl = nullptr;
    distributed::Store& store = joining.store->store();
    return joined(std::move(joining), m_meeting->part(store, name, request.ranks, store.patience()));
}

Result<void> SessionGroup::make_symmetric(Gpu& gpu, std::size_t first) {
    const std::shared_ptr<cuda::Stream>& stream = gpu.backend.stream();
    HIDET_TRY(const std::size_t bytes, distributed::symmetric_bytes(first));
    HIDET_TRY(m_symmetric, distributed::SymmetricMemory::make(stream, *m_meeting, bytes));
    HIDET_TRY_TO(gpu.backend.set_peers(m_symmetric->peers()));
    HIDET_TRY(m_watch, distributed::KernelWatch::start(stream, *m_symmetric, *m_meeting, {}));
    return {};
}

Result<std::shared_ptr<lang::Storage>> SessionGroup::symmetric(std::size_t bytes) {
    Gpu* const gpu = size() > 1 && m_joining.open_gpu ? m_joining.open_gpu() : nullptr;
    if (!gpu)
        return lang::ProcessGroup::symmetric(bytes);
    const std::string call = cat("symmetric_zeros of ", bytes, bytes == 1 ? " byte" : " bytes");
    HIDET_TRY_TO(m_meeting->agree(call));
    if (!m_symmetric)
        HIDET_TRY_TO(make_symmetric(*gpu, bytes));
    HIDET_TRY(distributed::SymmetricMemory::Part part, m_symmetric->allocate(*m_meeting, bytes));
    auto storage = std::make_shared<lang::Storage>(
        cuda::DeviceTensor::borrowed(gpu->backend.stream(), part.address, bytes, std::move(part.owner)), bytes);
    storage->share_device();
    return storage;
}

class SessionCommunication final : public lang::Communication {
public:
    explicit SessionCommunication(CommunicationOptions options) : m_options(std::move(options)) {}
    Result<Ref<lang::ProcessGroup>> join(const lang::GroupRequest& request) override;
    Result<Ref<lang::SharedStore>> open_file(const std::string& path) override;
    Result<Ref<lang::SharedStore>> open_address(const lang::StoreAddress& address) override;
    bool has_nccl() const override { return nccl_path().has_value(); }

private:
    bool is_confined() const { return !m_options.is_program && !m_options.meets_others; }
    std::optional<std::string> nccl_path() const; // nothing: there is none
    Result<void> take_nccl(const std::string& backend, int size, Joining& joining) const;
    distributed::Patience patience(double seconds) const { return {seconds, m_options.is_cancelled}; }
    Result<void> may_open(const std::string& method) const;
    Result<distributed::Membership> membership(const lang::GroupRequest& request) const;
    Result<StoreRef> store_of(const lang::GroupRequest& request, const distributed::Membership& member);

    CommunicationOptions m_options;
    std::map<std::string, StoreRef> m_stores; // by method: a group that is left may be joined again
    int m_joined = 0;
};

std::optional<std::string> SessionCommunication::nccl_path() const {
    if (!m_options.tools)
        return std::nullopt;
    const toolchain::Finding found = m_options.tools->toolchain().locate(toolchain::Tool::Nccl);
    return found.state == toolchain::State::Found ? std::optional(found.path) : std::nullopt;
}

// Where kernels are emulated, NCCL's part is too: by shared memory. One process needs none of it.
Result<void> SessionCommunication::take_nccl(const std::string& backend, int size, Joining& joining) const {
    const bool is_asked = backend == "nccl";
    if (!backend.empty() && !is_asked)
        return {};
    joining.gpu = m_options.gpu ? m_options.gpu() : nullptr;
    if (!joining.gpu)
        return {};
    int count = 0;
    joining.gpu->backend.stream()->context().api().device_get_count(&count);
    const std::optional<std::string> path = nccl_path();
    if (!is_asked && (is_confined() || !path || size > count)) // it takes no two processes on one GPU
        return {};
    if (is_confined())
        return Error{"group", "NCCL opens connections, which a script that is confined may not: '--trust' runs it "
                              "without confinement, and one process needs no backend"};
    if (!path)
        return Error{"group", "there is no NCCL: 'pip install nvidia-nccl-cu13', or let HIDET_NCCL name libnccl.so.2"};
    HIDET_TRY(joining.nccl, distributed::Nccl::load(*path));
    return {};
}

std::string address_of_environment() {
    const auto host = distributed::variable_of_process("MASTER_ADDR"),
               port = distributed::variable_of_process("MASTER_PORT");
    return cat("tcp://", host.value_or("127.0.0.1"), ":", port.value_or(""));
}

Result<void> SessionCommunication::may_open(const std::string& method) const {
    if (m_options.is_program || method.empty() || method == "env://" || method == address_of_environment())
        return {};
    return Error{"argument",
                 method.starts_with("file://")
                     ? "a script has no store in a file: its processes meet where MASTER_ADDR and MASTER_PORT say"
                     : "a script opens no address but that of MASTER_ADDR and MASTER_PORT, which torchrun sets"};
}

Result<distributed::Membership> SessionCommunication::membership(const lang::GroupRequest& request) const {
    HIDET_TRY(const auto of_environment, distributed::membership_of(distributed::variable_of_process));
    if (!request.rank && !of_environment)
        return Error{"group",
                     "RANK and WORLD_SIZE are not set: start the processes by torchrun, or give rank and world_size"};
    if (!m_options.is_program && !of_environment && *request.size > 1)
        return Error{"group",
                     "a script is one of several processes where RANK and WORLD_SIZE say so, which torchrun sets"};
    distributed::Membership member = of_environment.value_or(distributed::Membership());
    if (is_confined() && request.size.value_or(member.size) > 1)
        return Error{"group", "a script that is confined shares no memory with other processes: '--trust' runs it "
                              "without confinement"};
    if (request.rank) {
        member.rank = *request.rank;
        member.size = *request.size;
        if (!of_environment)
            member.local_rank = member.rank;
    }
    return member;
}

Result<StoreRef> SessionCommunication::store_of(const lang::GroupRequest& request,
                                                const distributed::Membership& member) {
    if (request.store)
        return StoreRef(static_cast<SessionStore*>(request.store.get()));
    HIDET_TRY_TO(may_open(request.init_method));
    StoreRef& known = m_stores[request.init_method];
    if (!known) {
        HIDET_TRY(auto store, distributed::open_store(request.init_method, member, patience(request.timeout),
                                                      distributed::variable_of_process));
        known = StoreRef(new SessionStore(std::move(store)));
    }
    known->set_timeout(request.timeout);
    return known;
}

Result<Ref<lang::ProcessGroup>> SessionCommunication::join(const lang::GroupRequest& request) {
    HIDET_TRY(const distributed::Membership member, membership(request));
    HIDET_TRY(const StoreRef store, store_of(request, member));
    Joining joining{store, m_options.gpu};
    HIDET_TRY_TO(take_nccl(request.backend, member.size, joining));
    if (joining.gpu)
        HIDET_TRY_TO(joining.gpu->backend.set_peers({.rank = member.rank, .count = member.size}));
    const distributed::GroupOptions options{.name = cat("world/", m_joined++),
                                            .rank = member.rank,
                                            .size = member.size,
                                            .patience = patience(request.timeout)};
    Result<Ref<lang::ProcessGroup>> group =
        joined(std::move(joining), distributed::make_shared_memory_group(store->store(), options));
    if (group && !request.store)
        store->store().all_are_here();
    return group;
}

Result<Ref<lang::SharedStore>> SessionCommunication::open_file(const std::string& path) {
    constexpr double seconds = 300;
    HIDET_TRY_TO(may_open("file://" + path));
    HIDET_TRY(auto store, distributed::FileStore::open(path, patience(seconds)));
    return Ref<lang::SharedStore>(new SessionStore(std::move(store)));
}

Result<Ref<lang::SharedStore>> SessionCommunication::open_address(const lang::StoreAddress& address) {
    HIDET_TRY_TO(may_open(cat("tcp://", address.host, ":", address.port)));
    const distributed::TcpAddress where{address.host, address.port};
    HIDET_TRY(auto store, address.is_served ? distributed::TcpStore::serve(where, patience(address.timeout))
                                            : distributed::TcpStore::connect(where, patience(address.timeout)));
    return Ref<lang::SharedStore>(new SessionStore(std::move(store)));
}

} // namespace

std::shared_ptr<lang::Communication> make_communication(CommunicationOptions options) {
    return std::make_shared<SessionCommunication>(std::move(options));
}

} // namespace hidet::session
