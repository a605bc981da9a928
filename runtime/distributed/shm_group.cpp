// SPDX-License-Identifier: Apache-2.0
// A collective operation goes in pieces: each process puts some elements into its slot, all of them meet, each takes what it
// wants of the slots, and they meet again.
#include <algorithm>
#include <cstring>
#include <functional>

#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "runtime/distributed/pause.h"
#include "runtime/distributed/process_group.h"
#include "runtime/distributed/waiting.h"

namespace hidet::distributed {

std::size_t Elements::count() const {
    std::size_t out = 1;
    for (std::int64_t extent : shape)
        out *= static_cast<std::size_t>(extent);
    return out;
}

std::string Elements::text() const {
    std::string extents;
    for (std::int64_t extent : shape)
        extents += cat(extents.empty() ? "" : ", ", extent);
    return cat(package::scalar_name(dtype), "[", extents, "]");
}

namespace {

// Elements that all processes have at hand at one time: `count` of them from `begin`, of each part of each process.
struct Piece {
    std::size_t begin, count, bytes_before, bytes;
    std::size_t part_bytes; // from one part in a slot to the next
};
using Take = std::function<void(const Piece&)>;

class SharedMemoryGroup final : public MeetingGroup {
public:
    SharedMemoryGroup(Waiting waiting, GroupOptions options)
        : MeetingGroup(options.rank, options.size), m_waiting(std::move(waiting)), m_options(std::move(options)) {}
    ~SharedMemoryGroup() override {
        segment().row(rank()).has_left.store(1, std::memory_order_release);
        segment().ring();
    }
    const char* backend() const override { return "shm"; }

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
    Result<void> barrier() override { return agree("barrier"); }
    Result<void> agree(const std::string& call) override {
        HIDET_TRY_TO(meet(call));
        return compare_calls();
    }
    Result<void> watch(const std::string& call, const std::function<Result<bool>()>& is_done) override {
        return m_waiting.watch(is_done, call);
    }
    Error fail(const std::string& reason) override { return m_waiting.fail(reason); }
    std::string failure() const override { return segment().failure(); }
    std::string gone() const override { return m_waiting.gone(); }
    std::string name_of(int rank) const override { return m_waiting.name_of(rank); }
    Result<std::unique_ptr<MeetingGroup>> part(Store& store, const std::string& name, std::vector<int> ranks,
                                               const Patience& patience) override;

    Result<void> meet(const std::string& call);

protected:
    const Patience& patience() const override { return m_options.patience; }

private:
    Segment& segment() const { return m_waiting.segment(); }
    const std::byte* in_slot(int rank, const Piece& piece, int part = 0) const {
        return segment().slot(rank) + static_cast<std::size_t>(part) * piece.part_bytes;
    }
    Result<void> compare_calls() const;
    // `parts` is how many parts the processes give that give any; `gives` are those of this one.
    Result<void> exchange(const std::string& call, const Elements& one, int parts, List gives, const Take& take);
    Take take_all(List into) const;
    void reduce_part(const Elements& one, Reduction reduction, const Piece& piece, int part) const;
    Result<void> transfer(const Elements& data, int from, int to, const std::string& call);

    Waiting m_waiting;
    const GroupOptions m_options;
};

Result<void> allowed(Reduction reduction, const Elements& data) {
    std::string reason = refusal(reduction, data.dtype);
    if (!reason.empty())
        return Error{"argument", std::move(reason)};
    return {};
}

Result<void> SharedMemoryGroup::compare_calls() const {
    const std::uint64_t arrival = segment().row(rank()).arrivals.load(std::memory_order_relaxed);
    const std::string_view mine = segment().row(rank()).call_at(arrival);
    bool is_same = true;
    for (int other = 0; other < size(); ++other)
        is_same &= mine == segment().row(other).call_at(arrival);
    std::string all;
    for (int other = 0; other < size() && !is_same; ++other)
        all += cat(other == 0 ? "" : ", ", name_of(other), " calls ", segment().row(other).call_at(arrival));
    if (!is_same)
        return m_waiting.fail(cat("the processes of the group do not call the same: ", all));
    return {};
}

Result<void> SharedMemoryGroup::meet(const std::string& call) {
    if (segment().has_failed())
        return Error{"group", segment().failure()};
    Row& row = segment().row(rank());
    const std::uint64_t arrivals = row.arrivals.load(std::memory_order_relaxed) + 1;
    put_text(row.calls[arrivals % 2], sizeof row.calls[0], call);
    row.arrivals.store(arrivals, std::memory_order_release);
    segment().ring();
    const auto is_missing = [&](int other) {
        return segment().row(other).arrivals.load(std::memory_order_acquire) < arrivals;
    };
    return m_waiting.wait(is_missing, call);
}

Result<void> SharedMemoryGroup::exchange(const std::string& call, const Elements& one, int parts, List gives,
                                         const Take& take) {
    const auto element = static_cast<std::size_t>(package::scalar_bytes(one.dtype));
    const std::size_t count = one.count();
    const std::size_t at_a_time = segment().slot_bytes() / static_cast<std::size_t>(parts) / element;
    std::size_t begin = 0;
    do {
        const std::size_t elements = std::min(at_a_time, count - begin);
        const Piece piece{begin, elements, begin * element, elements * element, at_a_time * element};
        for (std::size_t part = 0; part < gives.size() && elements > 0; ++part)
            std::memcpy(segment().slot(rank()) + part * piece.part_bytes, gives[part] + piece.bytes_before,
                        piece.bytes);
        HIDET_TRY_TO(meet(call));
        if (begin == 0)
            HIDET_TRY_TO(compare_calls());
        if (elements > 0)
            take(piece);
        HIDET_TRY_TO(meet(call));
        begin += elements;
    } while (begin < count);
    return {};
}

Take SharedMemoryGroup::take_all(List into) const {
    return [this, into](const Piece& piece) {
        for (std::size_t from = 0; from < into.size(); ++from)
            std::memcpy(into[from] + piece.bytes_before, in_slot(static_cast<int>(from), piece), piece.bytes);
    };
}

void SharedMemoryGroup::reduce_part(const Elements& one, Reduction reduction, const Piece& piece, int part) const {
    std::vector<const std::byte*> inputs;
    for (int from = 0; from < size(); ++from)
        inputs.push_back(in_slot(from, piece, part));
    distributed::reduce(reduction, one.dtype, inputs, one.data + piece.bytes_before, piece.count);
}

Result<void> SharedMemoryGroup::all_reduce(const Elements& from, std::byte* into, Reduction reduction) {
    HIDET_TRY_TO(allowed(reduction, from));
    const Elements sums{from.dtype, from.shape, into};
    return exchange(cat("all_reduce of ", from.text(), by(reduction)), from, 1, {&from.data, 1},
                    [&](const Piece& piece) { reduce_part(sums, reduction, piece, 0); });
}

Result<void> SharedMemoryGroup::reduce(const Elements& data, int root, Reduction reduction) {
    HIDET_TRY_TO(allowed(reduction, data));
    return exchange(cat("reduce of ", data.text(), by(reduction), " to ", name_of(root)), data, 1, {&data.data, 1},
                    [&](const Piece& piece) {
                        if (rank() == root)
                            reduce_part(data, reduction, piece, 0);
                    });
}

Result<void> SharedMemoryGroup::broadcast(const Elements& data, int root) {
    const List gives = rank() == root ? List(&data.data, 1) : List();
    return exchange(cat("broadcast of ", data.text(), " from ", name_of(root)), data, 1, gives,
                    [&](const Piece& piece) {
                        if (rank() != root)
                            std::memcpy(data.data + piece.bytes_before, in_slot(root, piece), piece.bytes);
                    });
}

Result<void> SharedMemoryGroup::all_gather(const Elements& from, List into) {
    return exchange(cat("all_gather of ", from.text()), from, 1, {&from.data, 1}, take_all(into));
}

Result<void> SharedMemoryGroup::gather(const Elements& from, List into, int root) {
    return exchange(cat("gather of ", from.text(), " to ", name_of(root)), from, 1, {&from.data, 1},
                    take_all(rank() == root ? into : List()));
}

Result<void> SharedMemoryGroup::scatter(List from, const Elements& into, int root) {
    return exchange(cat("scatter of ", into.text(), " from ", name_of(root)), into, size(),
                    rank() == root ? from : List(), [&](const Piece& piece) {
                        std::memcpy(into.data + piece.bytes_before, in_slot(root, piece, rank()), piece.bytes);
                    });
}

Result<void> SharedMemoryGroup::reduce_scatter(List from, const Elements& into, Reduction reduction) {
    HIDET_TRY_TO(allowed(reduction, into));
    return exchange(cat("reduce_scatter of ", into.text(), by(reduction)), into, size(), from,
                    [&](const Piece& piece) { reduce_part(into, reduction, piece, rank()); });
}

Result<void> SharedMemoryGroup::all_to_all(List from, const Elements& one, List into) {
    return exchange(cat("all_to_all of ", one.text()), one, size(), from, [&](const Piece& piece) {
        for (int other = 0; other < size(); ++other)
            std::memcpy(into[static_cast<std::size_t>(other)] + piece.bytes_before, in_slot(other, piece, rank()),
                        piece.bytes);
    });
}

Result<void> SharedMemoryGroup::transfer(const Elements& data, int from, int to, const std::string& call) {
    Mail& mail = segment().mail(from, to);
    const bool sends = rank() == from;
    const int other = sends ? to : from;
    const std::string what = data.text();
    const std::size_t bytes = data.count() * static_cast<std::size_t>(package::scalar_bytes(data.dtype));
    std::size_t begin = 0;
    do {
        const std::size_t some = std::min(bytes - begin, segment().slot_bytes());
        if (sends) {
            if (some > 0)
                std::memcpy(segment().slot(from), data.data + begin, some);
            put_text(mail.what, sizeof mail.what, what);
            mail.pieces_sent.fetch_add(1, std::memory_order_acq_rel);
            segment().ring();
        }
        const auto is_missing = [&](int rank) {
            const std::uint32_t sent = mail.pieces_sent.load(std::memory_order_acquire);
            const bool is_taken = mail.pieces_taken.load(std::memory_order_acquire) == sent;
            return rank == other && is_taken != sends;
        };
        HIDET_TRY_TO(m_waiting.wait(is_missing, call));
        if (!sends) {
            if (what.substr(0, sizeof mail.what - 1) != mail.what)
                return m_waiting.fail(
                    cat(name_of(from), " sends ", mail.what, ", and ", name_of(to), " receives ", what));
            if (some > 0)
                std::memcpy(data.data + begin, segment().slot(from), some);
            mail.pieces_taken.fetch_add(1, std::memory_order_acq_rel);
            segment().ring();
        }
        begin += some;
    } while (begin < bytes);
    return {};
}

Result<void> SharedMemoryGroup::send(const Elements& data, int to) {
    if (to == rank() || to < 0 || to >= size())
        return Error{"argument", cat("rank ", rank(), " cannot send to rank ", to, " of ", size())};
    if (segment().has_failed())
        return Error{"group", segment().failure()};
    segment().mail(rank(), to).sends.fetch_add(1);
    return transfer(data, rank(), to, cat("send of ", data.text(), " to ", name_of(to)));
}

Result<void> SharedMemoryGroup::receive(const Elements& data, int from) {
    if (from == rank() || from < 0 || from >= size())
        return Error{"argument", cat("rank ", rank(), " cannot receive from rank ", from, " of ", size())};
    if (segment().has_failed())
        return Error{"group", segment().failure()};
    segment().mail(from, rank()).receives.fetch_add(1);
    return transfer(data, from, rank(), cat("recv of ", data.text(), " from ", name_of(from)));
}

// Of those that are known; one that ends because another has may be named beside it.
Result<void> all_live(const GroupOptions& options, const std::vector<Peer>& known, std::string_view doing) {
    std::string ended;
    for (std::size_t rank = 0; rank < known.size(); ++rank)
        if (!known[rank].is_alive())
            ended += cat(ended.empty() ? "" : " and ", name_in(options.ranks, static_cast<int>(rank)));
    if (!ended.empty())
        return Error{"group", cat(ended, " ended while the group ", doing)};
    return {};
}

// What somebody sets, as long as all that are known live.
Result<std::string> told(Store& store, const GroupOptions& options, const std::string& key,
                         const std::vector<Peer>& known, const std::string& doing) {
    Pause pause(store.patience());
    do {
        HIDET_TRY(std::optional<std::string> text, store.find(key));
        if (text)
            return std::move(*text);
        HIDET_TRY_TO(all_live(options, known, doing));
    } while (pause.again());
    return pause.end(cat("the group ", doing, " in vain for ", store.patience().seconds, " s"));
}

Result<std::vector<Peer>> introduced(Store& store, const GroupOptions& options) {
    const std::string prefix = cat(options.name, "/process/");
    HIDET_TRY_TO(store.set(cat(prefix, options.rank), Peer::self().text()));
    std::vector<Peer> peers;
    for (int rank = 0; rank < options.size; ++rank) {
        HIDET_TRY(const std::string text,
                  told(store, options, cat(prefix, rank), peers, cat("waited for ", name_in(options.ranks, rank))));
        const std::optional<Peer> peer = Peer::parse(text);
        if (!peer)
            return Error{"store", cat("the store has nonsense under '", prefix, rank, "'")};
        peers.push_back(*peer);
    }
    return peers;
}

Result<std::unique_ptr<Segment>> shared_segment(Store& store, const GroupOptions& options,
                                                const std::vector<Peer>& peers) {
    const std::string key = cat(options.name, "/segment");
    const std::size_t least = static_cast<std::size_t>(options.size) * sizeof(double); // an element for each process
    const std::size_t slot_bytes = std::max(options.slot_bytes, least);
    if (options.rank != 0) {
        const std::string doing = cat("waited for the memory of ", name_in(options.ranks, 0));
        HIDET_TRY(const std::string name, told(store, options, key, peers, doing));
        auto attached = Segment::attach(peers[0], name, options.size, slot_bytes);
        if (auto live = all_live(options, peers, doing); !attached && !live)
            return live.error();
        return attached;
    }
    HIDET_TRY(std::unique_ptr<Segment> segment, Segment::make(options.size, slot_bytes));
    HIDET_TRY_TO(store.set(key, segment->name()));
    return segment;
}

Result<std::unique_ptr<MeetingGroup>> joined(Store& store, const GroupOptions& options,
                                             const std::shared_ptr<Segment>& whole) {
    HIDET_TRY(std::vector<Peer> peers, introduced(store, options));
    HIDET_TRY(std::unique_ptr<Segment> segment, shared_segment(store, options, peers));
    auto group = std::make_unique<SharedMemoryGroup>(
        Waiting(std::move(segment), whole, std::move(peers), options.rank, options.ranks, options.patience), options);
    HIDET_TRY_TO(group->meet("init_process_group"));
    return std::unique_ptr<MeetingGroup>(std::move(group));
}

Result<std::unique_ptr<MeetingGroup>> SharedMemoryGroup::part(Store& store, const std::string& name,
                                                              std::vector<int> ranks, const Patience& patience) {
    GroupOptions options = m_options;
    options.name = cat(m_options.name, "/", name);
    options.rank = static_cast<int>(std::ranges::find(ranks, rank()) - ranks.begin());
    options.size = static_cast<int>(ranks.size());
    options.patience = patience;
    options.ranks = std::move(ranks);
    auto made = joined(store, options, m_waiting.whole());
    if (!made && made.error().code == "group")
        return fail(made.error().message);
    return made;
}

} // namespace

Result<MeetingGroup*> MeetingGroup::only(Store& store, const std::vector<int>& ranks) {
    if (std::ssize(ranks) == size())
        return this;
    if (ranks.back() >= size())
        return Error{"argument", cat("there is no rank ", ranks.back(), " among ", size(), " processes")};
    std::unique_ptr<MeetingGroup>& known = m_parts[ranks];
    if (!known) {
        const auto words = transformed(ranks, [](const int rank) { return cat(rank); });
        HIDET_TRY(known, part(store, cat("only ", join(words, " ")), ranks, patience()));
    }
    return known.get();
}

Result<std::unique_ptr<MeetingGroup>> make_shared_memory_group(Store& store, const GroupOptions& options) {
    return joined(store, options, nullptr);
}

} // namespace hidet::distributed
