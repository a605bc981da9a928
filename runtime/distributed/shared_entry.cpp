// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/shared_entry.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::distributed {

std::string SharedEntry::of(int rank) const {
    return cat(base, ".rank", rank);
}

std::optional<SharedEntry> shared_entry(std::span<const std::string> names, const std::string& asked) {
    const auto has = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
    SharedEntry shared{asked, 0};
    const std::string first = SharedEntry().of(0);
    if (asked.empty() && !names.empty() && names[0].ends_with(first))
        shared.base = names[0].substr(0, names[0].size() - first.size());
    while (!has(shared.base) && has(shared.of(shared.size)))
        ++shared.size;
    return shared.size > 1 ? std::optional(std::move(shared)) : std::nullopt;
}

std::vector<int> partners_of(int rank, int size, int step) {
    std::vector<int> out;
    for (int place = -(rank / step % size); std::ssize(out) < size; ++place)
        out.push_back(rank + place * step);
    return out;
}

} // namespace hidet::distributed
