// SPDX-License-Identifier: Apache-2.0
// How a process of a group waits for others, and sees that they will not come.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lang/base/result.h"
#include "runtime/distributed/patience.h"
#include "runtime/distributed/peer.h"
#include "runtime/distributed/segment.h"

namespace hidet::distributed {

// "rank 3": of `ranks` among all processes, or where there are no others itself.
std::string name_in(const std::vector<int>& ranks, int rank);

class Waiting {
public:
    // `ranks` as those of GroupOptions; `whole` is that of the group of which it is a part, or null.
    Waiting(std::shared_ptr<Segment> segment, std::shared_ptr<Segment> whole, std::vector<Peer> peers, int rank,
            std::vector<int> ranks, Patience patience)
        : m_segment(std::move(segment)), m_whole(std::move(whole)), m_peers(std::move(peers)), m_rank(rank),
          m_ranks(std::move(ranks)), m_patience(std::move(patience)) {}

    Segment& segment() const { return *m_segment; }
    const std::shared_ptr<Segment>& whole() const { return m_whole ? m_whole : m_segment; }
    int rank() const { return m_rank; }
    int size() const { return static_cast<int>(m_peers.size()); }
    std::string name_of(int rank) const { return name_in(m_ranks, rank); }

    // Until `is_missing` says so of nobody; `call` is what this process does meanwhile.
    Result<void> wait(const std::function<bool(int rank)>& is_missing, const std::string& call) const;
    // Until it is done by other means, as long as all others live.
    Result<void> watch(const std::function<Result<bool>()>& is_done, const std::string& call) const;
    // Who is not there any more: "rank 1 (process 7) has ended"; empty: all are. From any thread.
    std::string gone() const;
    // Fails on all processes, with the first reason that anybody gave, in other parts of the whole, too: who ends because of
    // one is missed in the next.
    Error fail(const std::string& reason) const;

private:
    bool is_cancelled(const std::string& call) const;
    bool is_any_missing(const std::function<bool(int)>& is_missing) const;
    std::string gone(int rank) const;
    std::string why_gone(int rank, const std::string& waits) const; // empty: it is there
    std::string why_gone(const std::string& call) const;            // the first of them
    std::string why_not(int rank, const std::string& call) const;   // empty: it may come yet

    std::shared_ptr<Segment> m_segment, m_whole; // null: it is the whole
    std::vector<Peer> m_peers;
    int m_rank;
    std::vector<int> m_ranks;
    Patience m_patience;
};

} // namespace hidet::distributed
