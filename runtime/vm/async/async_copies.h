// SPDX-License-Identifier: Apache-2.0
// Copies of cp.async of a block, from their instruction until somebody waits for them.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/vm/async/async_copy.h"
#include "runtime/vm/async/copies.h"
#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

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
