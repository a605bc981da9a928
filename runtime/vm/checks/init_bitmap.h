// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory that began undefined hold something: a bit for each. Blocks on several host threads write them; once all
// are written nobody looks any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace hidet::vm {

class InitBitmap {
public:
    explicit InitBitmap(std::int64_t bytes);
    bool is_complete() const { return m_left.load(std::memory_order_relaxed) == 0; }
    void write(std::int64_t begin, std::int64_t count);
    // The first of these bytes that nothing was written to; -1: there is none.
    std::int64_t first_unwritten(std::int64_t begin, std::int64_t count) const;
    // What is known now, to go back to it.
    std::vector<std::uint64_t> words() const { return {m_words.begin(), m_words.end()}; }
    void restore(const std::vector<std::uint64_t>& words);

private:
    std::int64_t m_bytes = 0;
    std::vector<std::atomic<std::uint64_t>> m_words;
    std::atomic<std::int64_t> m_left;
};

} // namespace hidet::vm
