// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/team_communication.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "compiler/artifact/scalars.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"
#include "runtime/distributed/reduction.h"
#include "runtime/vm/team.h"

namespace hidet::session {

namespace {

using lang::Collective;
using lang::Exchange;

const char* name_of(Collective what) {
    switch (what) {
    case Collective::AllReduce: return "all_reduce";
    case Collective::Reduce: return "reduce";
    case Collective::Broadcast: return "broadcast";
    case Collective::AllGather: return "all_gather";
    case Collective::Gather: return "gather";
    case Collective::Scatter: return "scatter";
    case Collective::ReduceScatter: return "reduce_scatter";
    case Collective::AllToAll: return "all_to_all";
    case Collective::Send:
    case Collective::Receive: return "send and recv";
    case Collective::Barrier: return "a barrier";
    }
    return "";
}

std::string text_of(const lang::Tensor& tensor) {
    const std::vector<std::string> extents = transformed(tensor.shape, [](std::int64_t extent) { return cat(extent); });
    return cat(ir::info(tensor.dtype).short_name, "[", join(extents, ", "), "]");
}

// The exchange of a group, with what each of its ranks came with, once all of them are there.
class Together {
public:
    explicit Together(std::span<void* const> met) {
        for (void* each : met)
            m_all.push_back(static_cast<const Exchange*>(each));
    }

    Result<void> perform() const {
        switch (m_all[0]->what) {
        case Collective::Barrier: return {};
        case Collective::AllReduce: return reduce_tensors(0, size());
        case Collective::Reduce: return reduce_tensors(root(), root() + 1);
        case Collective::Broadcast:
            return for_each([&](std::size_t i) { copy(*m_all[root()]->tensor, *m_all[i]->tensor); });
        case Collective::AllGather:
            return for_each([&](std::size_t i) {
                for (std::size_t from = 0; from < size(); ++from)
                    copy(*m_all[from]->tensor, *m_all[i]->into.at(from));
            });
        case Collective::Gather:
            return for_each([&](std::size_t from) { copy(*m_all[from]->tensor, *m_all[root()]->into.at(from)); });
        case Collective::Scatter:
            return for_each([&](std::size_t i) { copy(*m_all[root()]->from.at(i), *m_all[i]->tensor); });
        case Collective::ReduceScatter: return reduce_lists();
        case Collective::AllToAll:
            return for_each([&](std::size_t i) {
                for (std::size_t from = 0; from < size(); ++from)
                    copy(*m_all[from]->from.at(i), *m_all[i]->into.at(from));
            });
        case Collective::Send:
        case Collective::Receive: {
            const bool is_first = m_all[0]->what == Collective::Send;
            if (m_all[0]->what == m_all[1]->what)
                return Error{"argument", cat("both ranks ", is_first ? "send" : "receive")};
            copy(*m_all[is_first ? 0 : 1]->tensor, *m_all[is_first ? 1 : 0]->tensor);
            return {};
        }
        }
        return {};
    }

private:
    std::size_t size() const { return m_all.size(); }
    std::size_t root() const { return static_cast<std::size_t>(m_all[0]->other); }

    template <class F>
    Result<void> for_each(F&& f) const {
        for (std::size_t i = 0; i < size(); ++i)
            f(i);
        return {};
    }

    static std::size_t bytes_of(const lang::Tensor& tensor) {
        return static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::info(tensor.dtype).bits) / 8;
    }
    static void copy(const lang::Tensor& from, const lang::Tensor& to) {
        const std::byte* const source = from.read();
        std::byte* const target = to.data();
        if (source != target)
            std::memcpy(target, source, bytes_of(to));
        to.storage->uninitialised = false;
    }

    // Of one tensor of each rank.
    Result<void> reduce(const std::vector<const lang::Tensor*>& tensors, std::vector<std::byte>& out) const {
        const lang::Tensor& one = *tensors[0];
        const auto dtype = artifact::find_scalar(ir::info(one.dtype).short_name);
        const auto reduction = distributed::find_reduction(m_all[0]->reduction).value_or(distributed::Reduction::Sum);
        if (!dtype)
            return Error{"argument", cat("tensors of ", ir::info(one.dtype).name, " are not exchanged")};
        if (const std::string why = distributed::refusal(reduction, *dtype); !why.empty())
            return Error{"argument", why};
        std::vector<const std::byte*> inputs;
        for (const lang::Tensor* each : tensors)
            inputs.push_back(each->read());
        out.resize(bytes_of(one));
        distributed::reduce(reduction, *dtype, inputs, out.data(), static_cast<std::size_t>(one.count()));
        return {};
    }
    static void write(const lang::Tensor& to, const std::vector<std::byte>& bytes) {
        std::ranges::copy(bytes, to.data());
        to.storage->uninitialised = false;
    }

    Result<void> reduce_tensors(std::size_t first, std::size_t end) const {
        std::vector<const lang::Tensor*> tensors;
        for (const Exchange* each : m_all)
            tensors.push_back(each->tensor.get());
        std::vector<std::byte> sum;
        if (auto done = reduce(tensors, sum); !done)
            return done;
        for (std::size_t i = first; i < end; ++i)
            write(*m_all[i]->tensor, sum);
        return {};
    }
    Result<void> reduce_lists() const {
        std::vector<std::vector<std::byte>> sums(size());
        for (std::size_t i = 0; i < size(); ++i) {
            std::vector<const lang::Tensor*> tensors;
            for (const Exchange* each : m_all)
                tensors.push_back(each->from.at(i).get());
            if (auto done = reduce(tensors, sums[i]); !done)
                return done;
        }
        return for_each([&](std::size_t i) { write(*m_all[i]->tensor, sums[i]); });
    }

    std::vector<const Exchange*> m_all;
};

class TeamGroup final : public lang::ProcessGroup {
public:
    TeamGroup(RankPlace place, std::vector<int> members)
        : m_place(std::move(place)), m_members(std::move(members)),
          m_rank(static_cast<int>(std::ranges::find(m_members, m_place.rank) - m_members.begin())) {}
    int rank() const override { return m_rank; }
    int size() const override { return static_cast<int>(m_members.size()); }
    std::string backend() const override { return "shm"; }

    Result<void> exchange(const Exchange& exchange) override {
        const bool is_pair = exchange.what == Collective::Send || exchange.what == Collective::Receive;
        const bool has_root = exchange.what == Collective::Reduce || exchange.what == Collective::Broadcast ||
                              exchange.what == Collective::Gather || exchange.what == Collective::Scatter;
        vm::Team::Call call{name_of(exchange.what), m_members, const_cast<Exchange*>(&exchange)};
        if (exchange.tensor)
            call.what += cat(" of ", text_of(*exchange.tensor));
        if (has_root)
            call.what += cat(" with rank ", exchange.other);
        if (exchange.what == Collective::AllReduce || exchange.what == Collective::Reduce ||
            exchange.what == Collective::ReduceScatter)
            call.what +=
                distributed::by(distributed::find_reduction(exchange.reduction).value_or(distributed::Reduction::Sum));
        if (is_pair) {
            const int other = m_members.at(static_cast<std::size_t>(exchange.other));
            call.members = {std::min(other, m_place.rank), std::max(other, m_place.rank)};
        }
        const std::vector<int> members = call.members;
        return m_place.team->meet(m_place.rank, std::move(call), [&](std::span<void* const> met) {
            m_place.team->history().meet(members);
            return Together(met).perform();
        });
    }

    Result<Ref<lang::ProcessGroup>> part(const lang::PartRequest& request) override {
        std::vector<int> members;
        for (const int rank : request.ranks)
            members.push_back(m_members.at(static_cast<std::size_t>(rank)));
        if (std::ranges::find(members, m_place.rank) == members.end())
            return Ref<lang::ProcessGroup>();
        return Ref<lang::ProcessGroup>(new TeamGroup(m_place, std::move(members)));
    }

    Result<std::shared_ptr<lang::Storage>> symmetric(std::size_t bytes) override {
        auto own = std::make_shared<std::byte[]>(std::max<std::size_t>(bytes, 1));
        vm::Team::Call call{cat("symmetric_zeros of ", bytes, bytes == 1 ? " byte" : " bytes"), m_members, &own};
        const auto add = [&](std::span<void* const> met) -> Result<void> {
            vm::Team::Parts parts;
            for (void* each : met)
                parts.push_back(*static_cast<std::shared_ptr<std::byte[]>*>(each));
            m_place.team->add_parts(std::move(parts), bytes);
            return {};
        };
        if (auto met = m_place.team->meet(m_place.rank, std::move(call), add); !met)
            return met.error();
        return std::make_shared<lang::Storage>(std::move(own), bytes);
    }

private:
    RankPlace m_place;
    std::vector<int> m_members; // their ranks among all, ascending
    int m_rank;
};

class TeamCommunication final : public lang::Communication {
public:
    explicit TeamCommunication(RankPlace place) : m_place(std::move(place)) {}
    Result<Ref<lang::ProcessGroup>> join(const lang::GroupRequest& request) override {
        const int size = m_place.team->size();
        if (request.size.value_or(size) != size || request.rank.value_or(m_place.rank) != m_place.rank)
            return Error{"argument", cat("this is rank ", m_place.rank, " of ", size,
                                         ": leave world_size and rank out, as '--ranks' says them")};
        std::vector<int> all(static_cast<std::size_t>(size));
        std::iota(all.begin(), all.end(), 0);
        return Ref<lang::ProcessGroup>(new TeamGroup(m_place, std::move(all)));
    }
    Result<Ref<lang::SharedStore>> open_file(const std::string&) override { return refusal(); }
    Result<Ref<lang::SharedStore>> open_address(const lang::StoreAddress&) override { return refusal(); }
    bool has_nccl() const override { return false; }

private:
    static Error refusal() { return {"argument", "ranks of one process need no store to find each other"}; }

    RankPlace m_place;
};

} // namespace

std::shared_ptr<lang::Communication> make_team_communication(const RankPlace& place) {
    return std::make_shared<TeamCommunication>(place);
}

} // namespace hidet::session
