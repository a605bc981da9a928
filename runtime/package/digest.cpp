// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/digest.h"

#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

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

constexpr std::uint32_t rotated(std::uint32_t word, int bits) {
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
        words[i] = words[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    std::uint32_t s[8];
    std::memcpy(s, state, sizeof s);
    for (int eight = 0; eight < 64; eight += 8) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) { // each round renames the words instead of moving them
            const std::uint32_t a = s[-i & 7], b = s[(1 - i) & 7], c = s[(2 - i) & 7];
            const std::uint32_t e = s[(4 - i) & 7], f = s[(5 - i) & 7], g = s[(6 - i) & 7];
            const std::uint32_t first = s[(7 - i) & 7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                                        ((e & f) ^ (~e & g)) + rounds[eight + i] + words[eight + i];
            s[(3 - i) & 7] += first;
            s[(7 - i) & 7] = first + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        }
    }
    for (int i = 0; i < 8; ++i)
        state[i] += s[i];
}

void add_blocks_portable(std::uint32_t (&state)[8], const unsigned char* blocks, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        add_block(state, blocks + i * block_bytes);
}

#if defined(__x86_64__)

bool has_sha_instructions() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool has_sse41 = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1);
    return has_sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

// Two rounds an instruction, on the words of the state in the order that the instructions have: a, b, e, f and c, d, g, h,
// the first one highest.
__attribute__((target("sha,sse4.1"))) void add_blocks_by_instructions(std::uint32_t (&state)[8],
                                                                      const unsigned char* blocks, std::size_t count) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state)), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, efgh, 8), cdgh = _mm_blend_epi16(efgh, badc, 0xf0);
    for (std::size_t block = 0; block < count; ++block) {
        const __m128i first = abef, second = cdgh;
        __m128i words[16];
        for (int i = 0; i < 16; ++i) {
            const auto* from = reinterpret_cast<const __m128i*>(blocks + block * block_bytes) + i;
            words[i] = i < 4 ? _mm_shuffle_epi8(_mm_loadu_si128(from), big_endian)
                             : _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(words[i - 4], words[i - 3]),
                                                                  _mm_alignr_epi8(words[i - 1], words[i - 2], 4)),
                                                    words[i - 1]);
            const __m128i constants = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rounds + 4 * i));
            const __m128i sums = _mm_add_epi32(words[i], constants);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
        }
        abef = _mm_add_epi32(abef, first);
        cdgh = _mm_add_epi32(cdgh, second);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool has_sha_instructions() {
    return false;
}
constexpr auto add_blocks_by_instructions = add_blocks_portable;

#endif

} // namespace

Sha256 sha256_of(const void* bytes, std::size_t count, Sha256By by) {
    const bool is_fast = by == Sha256By::Instructions && has_sha_instructions();
    const auto add_blocks = is_fast ? add_blocks_by_instructions : add_blocks_portable;
    std::uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto* begin = static_cast<const unsigned char*>(bytes);
    const std::size_t left = count % block_bytes;
    add_blocks(state, begin, count / block_bytes);
    unsigned char last[2 * block_bytes] = {}; // the rest, a one, zeros, the number of bits
    if (left > 0)
        std::memcpy(last, begin + (count - left), left);
    last[left] = 0x80;
    const std::size_t end = left + 1 + 8 > block_bytes ? 2 * block_bytes : block_bytes;
    const std::uint64_t bits = __builtin_bswap64(std::uint64_t{count} * 8);
    std::memcpy(last + end - 8, &bits, 8);
    add_blocks(state, last, end / block_bytes);
    Sha256 out;
    for (std::uint32_t& word : state)
        word = __builtin_bswap32(word);
    std::memcpy(out.words, state, sizeof state);
    return out;
}

} // namespace hidet::package
