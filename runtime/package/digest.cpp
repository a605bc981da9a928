// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/digest.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hidet::package {

Checksum checksum_of(const void* bytes, std::size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(bytes, count);
    return {hash.low64, hash.high64};
}

namespace {

constexpr std::uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t block_bytes = 64;

constexpr std::uint32_t turned(std::uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

void add_block(std::uint32_t (&state)[8], const unsigned char* block) {
    std::uint32_t words[64];
    for (int i = 0; i < 16; ++i) {
        std::memcpy(&words[i], block + 4 * i, 4);
        words[i] = __builtin_bswap32(words[i]);
    }
    for (int i = 16; i < 64; ++i) {
        const std::uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + words[i - 7] +
                   (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    std::uint32_t s[8];
    std::memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; ++i) {
        const std::uint32_t first = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                                    ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + words[i];
        const std::uint32_t second =
            (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        std::memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; ++i)
        state[i] += s[i];
}

} // namespace

Sha256 sha256_of(const void* bytes, std::size_t count) {
    std::uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto* next = static_cast<const unsigned char*>(bytes);
    std::size_t left = count;
    for (; left >= block_bytes; left -= block_bytes, next += block_bytes)
        add_block(state, next);
    unsigned char last[2 * block_bytes] = {}; // the rest, a one, zeros, the number of bits
    if (left > 0)
        std::memcpy(last, next, left);
    last[left] = 0x80;
    const std::size_t end = left + 1 + 8 > block_bytes ? 2 * block_bytes : block_bytes;
    const std::uint64_t bits = __builtin_bswap64(std::uint64_t{count} * 8);
    std::memcpy(last + end - 8, &bits, 8);
    for (std::size_t at = 0; at < end; at += block_bytes)
        add_block(state, last + at);
    Sha256 out;
    for (std::uint32_t& word : state)
        word = __builtin_bswap32(word);
    std::memcpy(out.words, state, sizeof state);
    return out;
}

} // namespace hidet::package
