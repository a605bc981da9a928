// SPDX-License-Identifier: Apache-2.0
// The values of hidet.distributed.
#pragma once

#include <vector>

#include "lang/host/members.h"
#include "lang/host/modules.h"
#include "lang/host/modules/communication.h"

namespace hidet::lang {

[[noreturn]] void fail_exchange(const Error& error, Span span);
template <class T>
T exchanged(Result<T> result, Span span) {
    if (!result)
        fail_exchange(result.error(), span);
    return std::move(result).value();
}
inline void exchanged(const Result<void>& result, Span span) {
    if (!result)
        fail_exchange(result.error(), span);
}
double seconds_argument(const Arguments& a, std::size_t i, double otherwise);

// A group of processes; this one need not be in it.
class GroupObject : public WithMembers<GroupObject> {
public:
    GroupObject(int number, Ref<ProcessGroup> group, std::vector<int> ranks, int rank)
        : m_number(number), m_group(std::move(group)), m_ranks(std::move(ranks)), m_rank(rank) {}
    std::string type_name() const override { return "hidet.distributed.ProcessGroup"; }
    static std::span<const Member<GroupObject>> members();

    ProcessGroup* joined() const { return m_is_left || m_rank < 0 ? nullptr : m_group.get(); }
    ProcessGroup& group(Span span) const; // BadValue: it has been left, or this process is not in it
    void leave() { m_group.reset(), m_is_left = true; }
    const std::vector<int>& ranks() const { return m_ranks; } // of its processes among all
    int number() const { return m_number; }                   // as graphs of this process name it
    int size() const { return static_cast<int>(m_ranks.size()); }
    int rank() const { return m_rank; } // -1: it is not in it
    // BadValue: that process is not in it. A preview knows no other processes.
    int rank_of(const Evaluator& evaluator, const Arguments& a, std::size_t i) const;

private:
    int m_number;
    Ref<ProcessGroup> m_group;
    std::vector<int> m_ranks;
    int m_rank;
    bool m_is_left = false;
};

// What was begun with async_op=True. The stream of the GPU has it, or it is done: what comes behind it needs no wait().
class WorkObject : public WithMembers<WorkObject> {
public:
    std::string type_name() const override { return "hidet.distributed.Work"; }
    static std::span<const Member<WorkObject>> members();
};

// Null in preview.
class StoreObject : public WithMembers<StoreObject> {
public:
    explicit StoreObject(Ref<SharedStore> store) : m_store(std::move(store)) {}
    std::string type_name() const override { return "hidet.distributed.Store"; }
    static std::span<const Member<StoreObject>> members();
    const Ref<SharedStore>& store() const { return m_store; }

private:
    Ref<SharedStore> m_store;
};

void add_stores(HostModule& module);

} // namespace hidet::lang
