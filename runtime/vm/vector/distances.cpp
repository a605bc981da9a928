// SPDX-License-Identifier: Apache-2.0
// Pointers of lanes as one pointer and the distances from it.
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

bool has_distances(const std::uint64_t* pointers, const std::int64_t* distances, int count) {
    std::uint64_t differs = 0;
    const std::uint64_t first = pointers[0];
    for (int i = 0; i < count; ++i)
        differs |= (pointers[i] - first) ^ static_cast<std::uint64_t>(distances[i]);
    return differs == 0;
}

void place_at(std::uint64_t* out, std::uint64_t base, const std::int64_t* distances, int count) {
#pragma GCC ivdep
    for (int i = 0; i < count; ++i)
        out[i] = base + static_cast<std::uint64_t>(distances[i]);
}

} // namespace hidet::vm::HIDET_VM_ISA
