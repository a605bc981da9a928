// SPDX-License-Identifier: Apache-2.0
// Processes that work together, and what they tell each other. All of them call the same operations in the same order; who
// calls another one, ends or does not come is named in an error that all get, and the group is of no use from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lang/base/result.h"
#include "runtime/distributed/reduction.h"
#include "runtime/distributed/store.h"

namespace hidet::distributed {

// Elements in the memory of the host, dense.
struct Elements {
    package::Scalar dtype = package::Scalar::U8;
    std::span<const std::int64_t> shape = {};
    std::byte* data = nullptr;

    std::size_t count() const;
    std::string text() const; // "f32[2, 3]"
};

class ProcessGroup {
public:
    ProcessGroup(int rank, int size) : m_rank(rank), m_size(size) {}
    virtual ~ProcessGroup() = default;
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    int rank() const { return m_rank; }
    int size() const { return m_size; }
    virtual const char* backend() const = 0; // "shm"

    // One item for each process, of the same shape and dtype as the other argument.
    struct List : std::span<std::byte* const> {
        using std::span<std::byte* const>::span;
        bool is_of_one_tensor = false; // in all processes: the items lie one behind the other
    };
    virtual Result<void> all_reduce(const Elements& from, std::byte* into, Reduction reduction) = 0; // may be the same
    virtual Result<void> reduce(const Elements& data, int root, Reduction reduction) = 0;            // into the root's
    virtual Result<void> broadcast(const Elements& data, int root) = 0;
    virtual Result<void> all_gather(const Elements& from, List into) = 0;
    virtual Result<void> gather(const Elements& from, List into, int root) = 0; // others than the root give no list
    virtual Result<void> scatter(List from, const Elements& into, int root) = 0;
    virtual Result<void> reduce_scatter(List from, const Elements& into, Reduction reduction) = 0;
    virtual Result<void> all_to_all(List from, const Elements& one, List into) = 0;
    virtual Result<void> send(const Elements& data, int to) = 0; // returns when it is there
    virtual Result<void> receive(const Elements& data, int from) = 0;
    virtual Result<void> barrier() = 0;

private:
    int m_rank, m_size;
};

// One that others stand on, which exchange the elements by themselves.
class MeetingGroup : public ProcessGroup {
public:
    using ProcessGroup::ProcessGroup;
    // All of them call the same.
    virtual Result<void> agree(const std::string& call) = 0;
    // Until that is so, as long as all of them live. What goes wrong, in it or elsewhere, is an error of all.
    virtual Result<void> watch(const std::string& call, const std::function<Result<bool>()>& is_done) = 0;
    virtual Error fail(const std::string& reason) = 0;
    virtual std::string failure() const = 0; // of the group, on any process; empty: none. From any thread
    // Who is not there any more: "rank 1 (process 7) has ended"; empty: all are. From any thread.
    virtual std::string gone() const = 0;
    virtual std::string name_of(int rank) const = 0; // "rank 3", of all processes

    // Some of its processes, this one among them, by their ranks in rising order: a group of their own, under a name in the
    // store. What goes wrong in it is an error of this one, too.
    virtual Result<std::unique_ptr<MeetingGroup>> part(Store& store, const std::string& name, std::vector<int> ranks,
                                                       const Patience& patience) = 0;
    // The same, made when it is first asked for; all of them are this one.
    Result<MeetingGroup*> only(Store& store, const std::vector<int>& ranks);

protected:
    virtual const Patience& patience() const = 0;

private:
    std::map<std::vector<int>, std::unique_ptr<MeetingGroup>> m_parts;
};

struct GroupOptions {
    std::string name = "world"; // in the store: another one for each group
    int rank = 0;
    int size = 1;
    Patience patience = {};            // with a process that lives
    std::size_t slot_bytes = 1u << 20; // what a process gives at a time
    std::vector<int> ranks = {}; // of its processes among all, by which errors name them; empty: there are no others
};

// Between processes of one machine, by shared memory. Returns when all of them are there.
Result<std::unique_ptr<MeetingGroup>> make_shared_memory_group(Store& store, const GroupOptions& options);

} // namespace hidet::distributed
