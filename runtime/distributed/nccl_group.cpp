// SPDX-License-Identifier: Apache-2.0
// NCCL waits for ever where processes call different operations, or one of them is gone. So all of them first say to each
// other what they call. What they call goes into the stream, as kernels do, and nobody waits for it; while it is under way a thread
// looks at the others and at NCCL's own errors, and where something is wrong it gives the communicator up, which ends what that has
// begun, and the context with it, as nobody knows what is in the tensors: the next wait has the reason.
#include "runtime/distributed/nccl_group.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "lang/base/text.h"
#include "runtime/distributed/lookout.h"
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
    NcclGroup(std::shared_ptr<const Nccl> nccl, std::shared_ptr<cuda::Stream> stream, cuda::Event behind,
              MeetingGroup& meeting)
        : ProcessGroup(meeting.rank(), meeting.size()), m_nccl(std::move(nccl)), m_stream(std::move(stream)),
          m_behind(std::make_shared<cuda::Event>(std::move(behind))), m_meeting(meeting) {}
    ~NcclGroup() override;
    const char* backend() const override { return "nccl"; }
    Result<void> connect();

    Result<void> all_reduce(const Elements& from, std::byte* into, Reduction reduction) override;
    Result<void> reduce(const Elements& data, int root, Reduction reduction) override;
    Result<void> broadcast(const Elements& data, int root) override;
    Result<void> all_gather(const Elements& from, List into) override;
    Result<void> gather(const Elements& from, List into, int root) override;
    Result<void> scatter(List from, const Elements& into, int root) override;
    Result<void> reduce_scatter(List from, const Elements& into, Reduction reduction) override;
    Result<void> all_to_all(List from, const Elements& one, List into) override;
    Result<void> send(const Elements& data, int to) override;
    Result<void> receive(const Elements& data, int from) override;
    Result<void> barrier() override;

private:
    using Start = std::function<NcclStatus()>;
    Result<void> perform(const std::string& call, const Start& start);
    Result<void> run(const std::string& call, const Start& start);
    Result<void> wait_for_operations(const std::string& call);
    void give_up();
    bool is_well();                                                     // false: it has been given up
    std::string why_lost();                                             // empty: all is well, or nothing is under way
    NcclStatus exchange(List from, List into, std::size_t bytes) const; // with each process for which a list has data
    std::vector<std::byte*> only(int other, std::byte* data) const;     // a list with one
    Result<void> introduce(const Elements& data, int from, int to);

    std::shared_ptr<const Nccl> m_nccl;
    std::shared_ptr<cuda::Stream> m_stream;
    const std::shared_ptr<cuda::Event> m_behind; // the last operation
    MeetingGroup& m_meeting;

    std::mutex m_mutex; // of what the lookout sees
    NcclComm m_comm = nullptr;
    std::string m_call;                                  // that was begun last
    bool m_is_beginning = false;                         // a first operation waits for the others within its call
    Clock::time_point m_lost = Clock::time_point::max(); // when that will be, as somebody has gone
    std::optional<Lookout> m_lookout;
};

// What waits for the others by itself: in a thread that is left alone where it does not end.
struct Connecting {
    NcclComm comm = nullptr;
    NcclStatus status = NcclStatus::InProgress;
    std::atomic<bool> is_done = false;
};

NcclGroup::~NcclGroup() {
    if (m_comm)
        (void)wait_for_operations("destroy_process_group");
    m_lookout.reset();
    give_up();
}

// What all have begun before ends by itself.
void NcclGroup::give_up() {
    const std::lock_guard lock(m_mutex);
    if (m_comm && m_stream->context().enter_to_free()) {
        constexpr double seconds_to_end = 1;
        for (Pause pause{Patience(seconds_to_end)}; !m_behind->has_happened() && pause.again();) {
        }
        m_nccl->abort(m_comm);
    }
    m_comm = nullptr;
}

// Who is done may go before the others have seen that they are.
std::string NcclGroup::why_lost() {
    constexpr double seconds_to_end = 1;
    if (!m_comm || (!m_is_beginning && m_behind->has_happened())) {
        m_lost = Clock::time_point::max();
        return "";
    }
    if (std::string failure = m_meeting.failure(); !failure.empty())
        return failure;
    NcclStatus status = NcclStatus::Success;
    Result<void> good = m_nccl->check(m_nccl->async_error(m_comm, &status), m_comm, m_call);
    if (good)
        good = m_nccl->check(status, m_comm, m_call);
    if (!good)
        return cat(m_meeting.name_of(rank()), ": ", good.error().message);
    const std::string who = m_meeting.gone();
    if (who.empty())
        return "";
    m_lost = std::min(m_lost, after(seconds_to_end));
    return Clock::now() < m_lost
               ? ""
               : cat(who, ": ", m_meeting.name_of(rank()), " waits for it in ", m_call, " on the GPU");
}

bool NcclGroup::is_well() {
    if (!m_stream->context().enter())
        return false;
    const std::lock_guard lock(m_mutex);
    const std::string why = why_lost();
    if (why.empty())
        return true;
    m_stream->context().lose({"group", m_meeting.fail(why).message});
    m_nccl->abort(m_comm);
    m_comm = nullptr;
    return false;
}

Result<void> NcclGroup::run(const std::string& call, const Start& start) {
    HIDET_TRY_TO(m_stream->context().enter());
    {
        const std::lock_guard lock(m_mutex);
        if (!m_comm)
            return Error{"group", m_meeting.failure()};
        m_call = call;
        m_is_beginning = true;
    }
    Result<void> done = m_nccl->check(start(), m_comm, call);
    if (done)
        done = m_stream->record_behind(m_behind);
    {
        const std::lock_guard lock(m_mutex);
        m_is_beginning = false;
        if (!m_comm) // given up meanwhile
            return Error{"group", m_meeting.failure()};
    }
    if (!done) {
        done = m_meeting.fail(cat(m_meeting.name_of(rank()), ": ", done.error().message));
        give_up();
    }
    return done;
}

// Until they have ended, as long as all processes live.
Result<void> NcclGroup::wait_for_operations(const std::string& call) {
    HIDET_TRY_TO(m_stream->context().enter());
    return m_meeting.watch(call, [&]() -> Result<bool> {
        if (m_stream->context().is_lost())
            return *m_stream->context().fault();
        return m_behind->has_happened();
    });
}

Result<void> NcclGroup::barrier() {
    HIDET_TRY_TO(wait_for_operations("barrier"));
    return m_meeting.barrier();
}

// A graph is recorded by each process when it likes: what it holds was agreed on when it ran for the first time.
Result<void> NcclGroup::perform(const std::string& call, const Start& start) {
    if (m_stream->is_recorded())
        return run(call, start);
    if (auto met = m_meeting.agree(call + " on the GPU"); !met) {
        give_up();
        return met;
    }
    return run(call, start);
}

Result<void> NcclGroup::connect() {
    NcclId id{};
    HIDET_TRY_TO(m_stream->context().enter());
    const std::string call = "the start of NCCL";
    if (rank() == 0)
        if (auto made = m_nccl->check(m_nccl->get_unique_id(&id), nullptr, call); !made)
            return m_meeting.fail(made.error().message);
    HIDET_TRY_TO(m_meeting.broadcast({package::Scalar::U8, id_shape, reinterpret_cast<std::byte*>(&id)}, 0));
    const auto connecting = std::make_shared<Connecting>();
    std::thread([connecting, id, nccl = m_nccl, stream = m_stream, rank = rank(), size = size()] {
        NcclConfig config;
        if (stream->context().enter())
            connecting->status = nccl->init_rank(&connecting->comm, size, id, rank, &config);
        connecting->is_done = true;
    }).detach();
    if (auto ended = m_meeting.watch(call, [&]() -> Result<bool> { return connecting->is_done.load(); }); !ended)
        return ended;
    if (auto done = m_nccl->check(connecting->status, nullptr, call); !done)
        return m_meeting.fail(cat(m_meeting.name_of(rank()), ": ", done.error().message));
    m_comm = connecting->comm;
    m_lookout.emplace([this] { return is_well(); });
    return {};
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

Result<void> NcclGroup::all_reduce(const Elements& from, std::byte* into, Reduction reduction) {
    HIDET_TRY(const NcclType type, type_for(reduction, from.dtype));
    return perform(cat("all_reduce of ", from.text(), by(reduction)), [&] {
        return m_nccl->all_reduce(from.data, into, from.count(), type, nccl_op(reduction), m_comm, m_stream->handle());
    });
}

Result<void> NcclGroup::reduce(const Elements& data, int root, Reduction reduction) {
    HIDET_TRY(const NcclType type, type_for(reduction, data.dtype));
    return perform(cat("reduce of ", data.text(), by(reduction), " to ", m_meeting.name_of(root)), [&] {
        return m_nccl->reduce(data.data, data.data, data.count(), type, nccl_op(reduction), root, m_comm,
                              m_stream->handle());
    });
}

Result<void> NcclGroup::broadcast(const Elements& data, int root) {
    return perform(cat("broadcast of ", data.text(), " from ", m_meeting.name_of(root)), [&] {
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
    return perform(cat("gather of ", from.text(), " to ", m_meeting.name_of(root)),
                   [&] { return exchange(only(root, from.data), into, bytes_of(from)); });
}

Result<void> NcclGroup::scatter(List from, const Elements& into, int root) {
    return perform(cat("scatter of ", into.text(), " from ", m_meeting.name_of(root)),
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
    HIDET_TRY_TO(rank() == from ? m_meeting.send(gives, other) : m_meeting.receive(takes, other));
    HIDET_TRY_TO(rank() == from ? m_meeting.receive(takes, other) : m_meeting.send(gives, other));
    if (std::string_view(mine) == others)
        return {};
    return m_meeting.fail(cat(m_meeting.name_of(from), " sends ", rank() == from ? mine : others, ", and ",
                              m_meeting.name_of(to), " receives ", rank() == from ? others : mine));
}

Result<void> NcclGroup::send(const Elements& data, int to) {
    HIDET_TRY_TO(introduce(data, rank(), to));
    return run(cat("send of ", data.text(), " to ", m_meeting.name_of(to)),
               [&] { return exchange(only(to, data.data), {}, bytes_of(data)); });
}

Result<void> NcclGroup::receive(const Elements& data, int from) {
    HIDET_TRY_TO(introduce(data, from, rank()));
    return run(cat("recv of ", data.text(), " from ", m_meeting.name_of(from)),
               [&] { return exchange({}, only(from, data.data), bytes_of(data)); });
}

} // namespace

Result<std::unique_ptr<ProcessGroup>> make_nccl_group(std::shared_ptr<const Nccl> nccl,
                                                      std::shared_ptr<cuda::Stream> stream, MeetingGroup& meeting) {
    HIDET_TRY(cuda::Event behind, cuda::Event::create(stream->shared_context(), false));
    auto group = std::make_unique<NcclGroup>(std::move(nccl), std::move(stream), std::move(behind), meeting);
    HIDET_TRY_TO(group->connect());
    return std::unique_ptr<ProcessGroup>(std::move(group));
}

} // namespace hidet::distributed
