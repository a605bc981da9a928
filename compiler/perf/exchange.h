// SPDX-License-Identifier: Apache-2.0
// How long the processes of a group take to gather or to sum a tensor over the links of their machines.
//
// The model is that of NCCL's collectives. A group has p processes on each of h hosts. Within a host the tensor of S bytes goes
// around first, so that each process has 1 / p of it to send to other hosts, over its own port. Both are done in pieces, one
// behind the other, so that the slower link alone counts:
//
//     seconds = passes * max(S (p - 1) / p / link, S / p (h - 1) / h / network)
//             + until the first bytes are there: the link's seconds, if p > 1, and passes * ceil(log2 h) * the network's
//
// with one pass to gather and two to sum. The bytes are those of nccl-tests, doc/PERFORMANCE.md; the hops of a tree between
// hosts those of NCCL, src/graph/tuning.cc.
#pragma once

#include "compiler/artifact/target_spec.h"

namespace hidet::perf {

// Of a target, or usual ones where it does not tell.
artifact::Links links_of(const artifact::TargetSpec& target);

// Ranks that are `step` apart, of which a host has as many as follow each other.
struct ExchangeGroup {
    std::int64_t count = 1;
    std::int64_t step = 1;
};

enum class Exchange : std::uint8_t { Gather, Reduce };

enum class Link : std::uint8_t { None, Host, Network };

struct ExchangeTime {
    double seconds = 0;
    Link slower = Link::None; // which of both takes longer
};
// `bytes`: of the tensor that all have in the end.
ExchangeTime exchange_time(const artifact::Links& links, const ExchangeGroup& group, Exchange kind, double bytes);

} // namespace hidet::perf
