// SPDX-License-Identifier: Apache-2.0
// Copies of cp.async: threads that issue them together with one instruction have one record. Where the threads' places lie from
// the first one's is looked at once for an instruction and its threads.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

// Distances in bytes from the first lane of `lanes`, of all lanes from there to the last one of them.
struct CopyPlaces {
    std::vector<std::int64_t> of_lanes;
    std::int64_t lowest = 0, highest = 0;
    std::uint64_t low_bits = 0;
    std::uint64_t parts = 0; // the number of addresses that lie so; 0: not known
};
struct CopyPattern {
    Mask lanes;
    int first = 0; // lane
    CopyPlaces to, from;
    std::vector<int> rows; // the lanes, from the first one on
    struct Move {
        std::int64_t to = 0, from = 0;
    };
    std::vector<Move> moves;     // of those, the distances
    std::vector<LineMove> lines; // of the first so many of those, four together
    struct Run {
        std::int64_t at = 0, bytes = 0;
    };
    std::vector<Run> written, read; // what lies together of what they copy to and from
    std::vector<Touch> touches;     // of the destination, in the order of the granules
    std::vector<Cell> tags;
};

// Copies that were issued and not waited for.
struct PendingCopies {
    std::shared_ptr<const CopyPattern> pattern;
    Mask lanes; // of the pattern, whose copies are not done
    bool is_whole = true;
    std::uint64_t number = 0; // in the order in which the block issued them
    int group = -1;           // commit group, -1: not committed
    std::byte* to = nullptr;  // of the first lane
    const std::byte* from = nullptr;
    int bytes = 0, source_bytes = 0;
    std::uint32_t pc = 0;
    std::int64_t place = 0; // in the shared window
    std::size_t asked = 0;  // runs that are read for which the cache has been asked
};

// A thread arrives at a barrier when its copies of cp.async are done.
struct CopyArrival {
    const std::byte* barrier = nullptr;
    int lane = 0;
    std::uint64_t before = 0; // copies with smaller numbers
    Epoch at = 0;             // when it said so, and what the thread knew then
    Clock knows;
};

class AsyncCopies : BlockView {
public:
    explicit AsyncCopies(const BlockView& view) : BlockView(view), m_commits(static_cast<std::size_t>(m_lanes)) {}
    void begin();
    void ask_ahead(int lines); // see CopyUnit
    void issue_copy(Group& group, const Step& step);
    void commit_copies(Group& group);
    void wait_copies(Group& group, const Step& step);
    void arrive_with_copies(Group& group, const Step& step);
    bool finish_copies();

private:
    std::shared_ptr<const CopyPattern> copy_pattern(Group& group, const Step& step, const Mask& lanes);
    std::shared_ptr<CopyPattern> learn_copies(Group& group, const Step& step, const Mask& lanes);
    bool has_places(const Group& group, std::int32_t operand, const CopyPattern& pattern, CopyPlaces& places);
    bool issue_together(Group& group, const Step& step, const Mask& lanes, int source);
    void issue_alone(Group& group, const Step& step, int lane, int source);
    void tell_debugger(Group& group, const Step& step);
    void check_source(Group& group, std::uint64_t from, int bytes, int lane);
    template <class F>
    Mask lanes_where(const Mask& lanes, F&& f) const;
    std::size_t part_copies(std::size_t at, const Mask& lanes);
    int common_commits(const Mask& lanes, const Mask& active) const;
    bool are_some_done(const PendingCopies& copies, const Mask& active, int pending) const;
    Mask done_lanes(const PendingCopies& copies, const Mask& active, int pending) const;
    void complete(const PendingCopies& copies, const Mask& lanes, Epoch at);

    std::vector<PendingCopies> m_copies;
    std::unordered_map<std::uint64_t, std::shared_ptr<CopyPattern>> m_copy_patterns;
    std::uint64_t m_issued = 0;
    std::deque<CopyArrival> m_copy_arrivals;
    std::vector<int> m_commits;  // commit groups of each lane so far
    bool m_commits_alike = true; // the lanes of a warp have committed together
};

} // namespace hidet::vm
