// SPDX-License-Identifier: Apache-2.0
// Entries of a package that several processes share, each of which has one: "main.rank0", "main.rank1", ...
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hidet::distributed {

constexpr int most_sharing = 64; // processes that a model is made for, and that a package starts

struct SharedEntry {
    std::string base; // "main"
    int size = 0;     // processes

    std::string of(int rank) const;
};

// `names` are the package's, in its order; `asked` is one without the rank, or empty, which is the first. Nothing: it is of one
// process, or there is none of this name.
std::optional<SharedEntry> shared_entry(std::span<const std::string> names, const std::string& asked);

// The processes with which that of a rank exchanges: `size` of them, whose ranks are `step` apart.
std::vector<int> partners_of(int rank, int size, int step);

} // namespace hidet::distributed
