// SPDX-License-Identifier: Apache-2.0
// Results in the place of an input, where the caller asked for that (Graph::in_place): a cache that grows by a token, a weight
// that an optimiser changes.
#pragma once

#include "compiler/graph/fuse/lower.h"

namespace hidet::graph {

// The value whose memory it is seen in, through views.
ValueId memory_of(const Graph& graph, ValueId value);

// Groups whose results only leave the graph come last, so that what they overwrite has been read, and among them those that read
// what others overwrite first, as caches are written where counters say that count on; each group gets `in_place`:
// it makes the result, the input is of the same kind and no result itself, and nobody reads it behind the group.
void order_in_place(const Graph& graph, Partition& partition);

// Needs a program of the group that wants this. Those stay in the input's memory, and go to `program.in_place`, whose element
// a kernel stores after it has read of the input that element alone. Where the element is kept or changed by a condition, only
// what changes is stored: a token's keys, and not the whole cache.
void write_in_place(const Graph& graph, const std::vector<Updated>& wanted, GroupProgram& program);

} // namespace hidet::graph
