// SPDX-License-Identifier: Apache-2.0
// Weights for graphs that travel without theirs: from a seed and the hash of what they stand for, so that every run and
// every machine has the same.
#pragma once

#include "compiler/graph/document/document.h"

namespace hidet::session {

// How many bytes were made is added to `bytes`; beyond 4 GiB there are none.
graph::WeightSource seeded_weights(std::uint64_t seed, std::int64_t& bytes);

} // namespace hidet::session
