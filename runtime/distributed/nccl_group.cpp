// SPDX-License-Identifier: Apache-2.0
// NCCL waits for ever where processes call different operations, or one of them is gone. So all of them first say to each
// other what they call; while the GPU works, each looks at the others and at NCCL's own errors, and where something is wrong
// the communicator is given up, which ends what it has begun.
#include "runtime/distributed/nccl_group.h"

#include <optional>
#include <vector>

#include "lang/base/text.h"
#include "runtime/distributed/segment.h"

namespace hidet::distributed {

namespace {

constexpr std::size_t text_bytes = 240; // what two processes tell each other of a message
constexpr std::int64_t id_shape[] = {sizeof(NcclId)}, text_shape[] = {text_bytes};

std::size_t bytes_of(const Elements& data) {
    return data.count() * static_cast<std::size_t>(package::scalar_bytes(data.dtype));
}

class NcclGroup final : public ProcessGroup {
public:
    NcclGroup(std::shared_ptr<const Nccl> nccl, std::shared_ptr<cuda::Stream> stream, MeetingGroup& meeting)
        : ProcessGroup(meeting.rank(), meeting.size()), m_nccl(std::move(nccl)), m_stream(std::move(stream)),
          m_meeting(meeting) {}
    ~NcclGroup() override { give_up(); }
    const char* backend() const override { return "nccl"; }
    Result<void> connect();

    Result<void> all_reduce(const Elements& data, Reduction reduction) override;
    Result<void> reduce(const Elements& data, int root, Reduction reduction) override;
    Result<void> broadcast(const Elements& data, int root) override;
    Result<void> all_gather(const Elements& from, List into) override;
    Result<void> gather(const Elements& from, List into, int root) override;
    Result<void> scatter(List from, const Elements& into, int root) override;
    Result<void> reduce_scatter(List from, const Elements& into, Reduction reduction) override;
    Result<void> all_to_all(List from, const Elements& one, List into) override;
    Result<void> send(const Elements& data, int to) override;
    Result<void> receive(const Elements& data, int from) override;
    Result<void> barrier() override { return m_meeting.barrier(); }

private:
    using Start = std::function<NcclStatus()>;
    Result<void> perform(const std::string& call, const Start& start);
    Result<void> run(const std::string& call, const Start& start);
    Result<bool> is_ready(const std::string& call) const; // NCCL has put all of it into the stream
    Result<bool> has_ended(const std::string& call) const;
    void give_up();
    NcclStatus exchange(List from, List into, std::size_t bytes) const; // with each process for which a list has data
    std::vector<std::byte*> only(int other, std::byte* data) const;     // a list with one
    Result<void> introduce(const Elements& data, int from, int to);

    std::shared_ptr<const Nccl> m_nccl;
    std::shared_ptr<cuda::Stream> m_stream;
    MeetingGroup& m_meeting;
    NcclComm m_comm = nullptr;
};

void NcclGroup::give_up() {
    if (m_comm && m_stream->context().enter_to_free())
        m_nccl->abort(m_comm);
    m_comm = nullptr;
}

Result<bool> NcclGroup::is_ready(const std::string& call) const {
    NcclStatus status = NcclStatus::Success;
    if (auto asked = m_nccl->check(m_nccl->async_error(m_comm, &status), m_comm, call); !asked)
        return asked.error();
    if (auto good = m_nccl->check(status, m_comm, call); !good)
        return good.error();
    return status == NcclStatus::Success;
}

Result<bool> NcclGroup::has_ended(const std::string& call) const {
    HIDET_TRY(const bool ready, is_ready(call));
    if (!ready)
        return false;
    cuda::Context& context = m_stream->context();
    const cuda::Status status = context.api().stream_query(m_stream->handle());
    if (status == cuda::Status::NotReady)
        return false;
    if (auto good = context.check(status, "exchanging tensors"); !good)
        return good.error();
    return true;
}

Result<void> NcclGroup::run(const std::string& call, const Start& start) {
    if (!m_comm)
        return Error{"group", cat("the group has failed before this ", call)};
    if (auto entered = m_stream->context().enter(); !entered)
        return entered;
    Result<void> done = m_nccl->check(start(), m_comm, call);
    if (done)
        done = m_meeting.watch(call, [&] { return has_ended(call); });
    else
        done = m_meeting.fail(cat("rank ", rank(), ": ", done.error().message));
    if (!done)
        give_up();
    return done;
}

Result<void> NcclGroup::perform(const std::string& call, const Start& start) {
    if (auto met = m_meeting.agree(call + " on the GPU"); !met) {
        give_up();
        return met;
    }
    return run(call, start);
}

Result<void> NcclGroup::connect() {
    NcclId id{};
    if (auto entered = m_stream->context().enter(); !entered)
        return entered;
    const std::string call = "the start of NCCL";
    if (rank() == 0)
        if (auto made = m_nccl->check(m_nccl->get_unique_id(&id), nullptr, call); !made)
            return m_meeting.fail(made.error().message);
    if (auto told = m_meeting.broadcast({package::Scalar::U8, id_shape, reinterpret_cast<std::byte*>(&id)}, 0); !told)
        return told;
    NcclConfig config;
    Result<void> done = m_nccl->check(m_nccl->init_rank(&m_comm, size(), id, rank(), &config), nullptr, call);
    if (done)
        done = m_meeting.watch(call, [&] { return is_ready(call); });
    else
        done = m_meeting.fail(cat("rank ", rank(), ": ", done.error().message));
    if (!done)
        give_up();
    return done;
}

NcclStatus NcclGroup::exchange(List from, List into, std::size_t bytes) const {
    NcclStatus status = m_nccl->group_start();
    for (std::size_t other = 0; other < static_cast<std::size_t>(size()); ++other) {
        const int rank = static_cast<int>(other);
        if (other < from.size() && from[other] && status == NcclStatus::Success)
            status = m_nccl->send(from[other], bytes, NcclType::U8, rank, m_comm, m_stream->handle());
        if (other < into.size() && into[other] && status == NcclStatus::Success)
            status = m_nccl->receive(into[other], bytes, NcclType::U8, rank, m_comm, m_stream->handle());
    }
    const NcclStatus ended = m_nccl->group_end();
    return status == NcclStatus::Success ? ended : status;
}

std::vector<std::byte*> NcclGroup::only(int other, std::byte* data) const {
    std::vector<std::byte*> out(static_cast<std::size_t>(size()));
    out[static_cast<std::size_t>(other)] = data;
    return out;
}

Result<NcclType> type_for(Reduction reduction, package::Scalar dtype) {
    if (std::string reason = refusal(reduction, dtype); !reason.empty())
        return Error{"argument", std::move(reason)};
    if (const std::optional<NcclType> type = nccl_type(dtype))
        return *type;
    return Error{"argument", cat("NCCL does not reduce ", package::scalar_name(dtype))};
}

Result<void> NcclGroup::all_reduce(const Elements& data, Reduction reduction) {
    HIDET_TRY(const NcclType type, type_for(reduction, data.dtype));
    return perform(cat("all_reduce of ", data.text(), by(reduction)), [&] {
        return m_nccl->all_reduce(data.data, data.data, data.count(), type, nccl_op(reduction), m_comm,
                                  m_stream->handle());
    });
}

Result<void> NcclGroup::reduce(const Elements& data, int root, Reduction reduction) {
    HIDET_TRY(const NcclType type, type_for(reduction, data.dtype));
    return perform(cat("reduce of ", data.text(), by(reduction), " to rank ", root), [&] {
        return m_nccl->reduce(data.data, data.data, data.count(), type, nccl_op(reduction), root, m_comm,
                              m_stream->handle());
    });
}

Result<void> NcclGroup::broadcast(const Elements& data, int root) {
    return perform(cat("broadcast of ", data.text(), " from rank ", root), [&] {
        return m_nccl->broadcast(data.data, data.data, bytes_of(data), NcclType::U8, root, m_comm, m_stream->handle());
    });
}

Result<void> NcclGroup::all_gather(const Elements& from, List into) {
    const std::size_t bytes = bytes_of(from);
    return perform(cat("all_gather of ", from.text()), [&] {
        if (into.is_of_one_tensor)
            return m_nccl->all_gather(from.data, into[0], bytes, NcclType::U8, m_comm, m_stream->handle());
        const std::vector<std::byte*> same(into.size(), from.data);
        return exchange(same, into, bytes);
    });
}

Result<void> NcclGroup::gather(const Elements& from, List into, int root) {
    return perform(cat("gather of ", from.text(), " to rank ", root),
                   [&] { return exchange(only(root, from.data), into, bytes_of(from)); });
}

Result<void> NcclGroup::scatter(List from, const Elements& into, int root) {
    return perform(cat("scatter of ", into.text(), " from rank ", root),
                   [&] { return exchange(from, only(root, into.data), bytes_of(into)); });
}

Result<void> NcclGroup::reduce_scatter(List from, const Elements& into, Reduction reduction) {
    HIDET_TRY(const NcclType type, type_for(reduction, into.dtype));
    const NcclOp op = nccl_op(reduction);
    return perform(cat("reduce_scatter of ", into.text(), by(reduction)), [&] {
        if (from.is_of_one_tensor)
            return m_nccl->reduce_scatter(from[0], into.data, into.count(), type, op, m_comm, m_stream->handle());
        NcclStatus status = m_nccl->group_start();
        for (int root = 0; root < size() && status == NcclStatus::Success; ++root)
            status = m_nccl->reduce(from[static_cast<std::size_t>(root)], into.data, into.count(), type, op, root,
                                    m_comm, m_stream->handle());
        const NcclStatus ended = m_nccl->group_end();
        return status == NcclStatus::Success ? ended : status;
    });
}

Result<void> NcclGroup::all_to_all(List from, const Elements& one, List into) {
    return perform(cat("all_to_all of ", one.text()), [&] { return exchange(from, into, bytes_of(one)); });
}

// The two of a message tell each other what they send and receive.
Result<void> NcclGroup::introduce(const Elements& data, int from, int to) {
    const int other = rank() == from ? to : from;
    char mine[text_bytes] = {}, others[text_bytes] = {};
    put_text(mine, sizeof mine, cat(data.text(), " on the GPU"));
    const Elements gives{package::Scalar::U8, text_shape, reinterpret_cast<std::byte*>(mine)};
    const Elements takes{package::Scalar::U8, text_shape, reinterpret_cast<std::byte*>(others)};
    if (auto met = rank() == from ? m_meeting.send(gives, other) : m_meeting.receive(takes, other); !met)
        return met;
    if (auto met = rank() == from ? m_meeting.receive(takes, other) : m_meeting.send(gives, other); !met)
        return met;
    if (std::string_view(mine) == others)
        return {};
    return m_meeting.fail(cat("rank ", from, " sends ", rank() == from ? mine : others, ", and rank ", to, " receives ",
                              rank() == from ? others : mine));
}

Result<void> NcclGroup::send(const Elements& data, int to) {
    if (auto met = introduce(data, rank(), to); !met)
        return met;
    return run(cat("send of ", data.text(), " to rank ", to),
               [&] { return exchange(only(to, data.data), {}, bytes_of(data)); });
}

Result<void> NcclGroup::receive(const Elements& data, int from) {
    if (auto met = introduce(data, from, rank()); !met)
        return met;
    return run(cat("recv of ", data.text(), " from rank ", from),
               [&] { return exchange({}, only(from, data.data), bytes_of(data)); });
}

} // namespace

Result<std::unique_ptr<ProcessGroup>> make_nccl_group(std::shared_ptr<const Nccl> nccl,
                                                      std::shared_ptr<cuda::Stream> stream, MeetingGroup& meeting) {
    auto group = std::make_unique<NcclGroup>(std::move(nccl), std::move(stream), meeting);
    if (auto connected = group->connect(); !connected)
        return connected.error();
    return std::unique_ptr<ProcessGroup>(std::move(group));
}

} // namespace hidet::distributed
