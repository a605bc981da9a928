// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/init_bitmap.h"

#include <algorithm>
#include <bit>

namespace hidet::vm {

namespace {

constexpr std::int64_t word_bits = 64;

// Calls f(word, mask) for the words of [begin, begin + count), until one says false.
template <class F>
void for_each_word(std::int64_t begin, std::int64_t count, F&& f) {
    for (std::int64_t at = begin, end = begin + count; at < end;) {
        const std::int64_t word = at / word_bits, next = std::min(end, (word + 1) * word_bits);
        const std::uint64_t mask = ~std::uint64_t{0} >> (word_bits - (next - at)) << (at % word_bits);
        if (!f(static_cast<std::size_t>(word), mask))
            return;
        at = next;
    }
}

} // namespace

InitBitmap::InitBitmap(std::int64_t bytes)
    : m_bytes(bytes), m_words(static_cast<std::size_t>(bytes / word_bits + 1)), m_left(bytes) {}

void InitBitmap::write(std::int64_t begin, std::int64_t count) {
    std::int64_t fresh = 0;
    for_each_word(begin, count, [&](std::size_t word, std::uint64_t mask) {
        if (mask & ~m_words[word].load(std::memory_order_relaxed))
            fresh += std::popcount(mask & ~m_words[word].fetch_or(mask, std::memory_order_relaxed));
        return true;
    });
    if (fresh)
        m_left.fetch_sub(fresh, std::memory_order_relaxed);
}

std::int64_t InitBitmap::first_unwritten(std::int64_t begin, std::int64_t count) const {
    std::int64_t found = -1;
    for_each_word(begin, count, [&](std::size_t word, std::uint64_t mask) {
        const std::uint64_t missing = mask & ~m_words[word].load(std::memory_order_relaxed);
        if (missing)
            found = static_cast<std::int64_t>(word) * word_bits + std::countr_zero(missing);
        return !missing;
    });
    return found;
}

void InitBitmap::restore(const std::vector<std::uint64_t>& words) {
    m_left = m_bytes;
    for (std::size_t w = 0; w < words.size(); ++w) {
        m_words[w] = words[w];
        m_left -= std::popcount(words[w]);
    }
}

} // namespace hidet::vm
