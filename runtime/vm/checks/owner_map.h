// SPDX-License-Identifier: Apache-2.0
// Which thread wrote each element of a tensor last, where somebody asks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/launch_shape.h"

namespace hidet::vm {

class OwnerMap {
public:
    struct Launch {
        std::string kernel;
        artifact::LaunchShape shape;
    };
    struct Owner {
        std::size_t launch = 0;
        std::int64_t block = 0; // linear
        int thread = 0;         // likewise, of the block
    };
    OwnerMap(const std::byte* data, std::int64_t count, int element_bytes);

    void begin_launch(Launch launch) { m_launches.push_back(std::move(launch)); }
    const std::vector<Launch>& launches() const { return m_launches; }
    bool has(const std::byte* address) const { return address >= m_begin && address < m_end; }
    // By a thread of the launch that began last; from any host thread.
    void write(const std::byte* address, std::int64_t bytes, std::int64_t block, int thread);
    std::int64_t count() const { return static_cast<std::int64_t>(m_words.size()); }
    std::optional<Owner> owner_of(std::int64_t element) const; // nothing: no kernel wrote it
    // What is known now, to go back to it.
    std::vector<std::uint64_t> words() const { return {m_words.begin(), m_words.end()}; }
    void restore(const std::vector<std::uint64_t>& words);

private:
    const std::byte* m_begin;
    const std::byte* m_end;
    int m_element_bytes;
    std::vector<Launch> m_launches;
    std::vector<std::atomic<std::uint64_t>> m_words; // 0: nobody
};

} // namespace hidet::vm
