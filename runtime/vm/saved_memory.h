// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "runtime/vm/launch_context.h"

namespace hidet::vm {

// What the blocks of a launch may write, and what is noted of it, to begin again.
class SavedMemory {
public:
    explicit SavedMemory(const LaunchContext& context);
    bool fits() const { return m_bytes <= most_bytes; }
    std::int64_t bytes() const { return m_bytes; }
    void restore() const;

private:
    static constexpr std::int64_t most_bytes = 256 << 20;
    struct Copy {
        std::byte* place = nullptr;
        std::vector<std::byte> bytes;
    };
    std::int64_t m_bytes = 0;
    std::vector<Copy> m_copies;
    std::vector<std::pair<std::shared_ptr<InitBitmap>, std::vector<std::uint64_t>>> m_written;
    std::vector<std::pair<OwnerMap*, std::vector<std::uint64_t>>> m_owners;
};

} // namespace hidet::vm
