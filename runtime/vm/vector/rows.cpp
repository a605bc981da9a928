// SPDX-License-Identifier: Apache-2.0
// Tiles of eight rows of 16 bytes, from places of their own; turned around as tiles of 16-bit values, if that is asked for.
#include "runtime/vm/vector/lanes.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized" // of what the intrinsics leave undefined on purpose
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace hidet::vm::HIDET_VM_ISA {

namespace {

constexpr int rows_of_tile = 8;
using Halves = std::uint16_t __attribute__((vector_size(16), may_alias));

#if !defined(__AVX512BW__)
inline void turn_tile(Halves* rows) {
    Halves by_two[rows_of_tile], by_four[rows_of_tile];
    for (int i = 0; i < 4; ++i) { // rows i and i + 4, element by element
        by_two[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        by_two[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; ++i) {
        by_four[2 * i] = __builtin_shufflevector(by_two[i], by_two[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        by_four[2 * i + 1] = __builtin_shufflevector(by_two[i], by_two[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; ++i) {
        rows[2 * i] = __builtin_shufflevector(by_four[i], by_four[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        rows[2 * i + 1] = __builtin_shufflevector(by_four[i], by_four[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
}
#endif

constexpr int piece_bytes = 16;
constexpr int rows_ahead = 16; // which the cache is asked for

// `by`: what the pieces' places are exchanged by.
template <int bytes>
inline void move_row(std::byte* to, const std::byte* from, int by) {
#if defined(__AVX512BW__)
    if constexpr (bytes == 128) {
        alignas(64) static constexpr std::int64_t places[4][8] = {
            {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}};
        const __m512i order = _mm512_load_si512(places[by / piece_bytes % 4]);
        const __m512i first = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(from));
        const __m512i second = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(from + 64));
        _mm512_storeu_si512(to + (by & 64), first);
        _mm512_storeu_si512(to + (64 - (by & 64)), second);
        return;
    }
#endif
    for (int at = 0; at < bytes; at += piece_bytes)
        __builtin_memcpy(to + (at ^ by), from + at, piece_bytes);
}

template <int bytes>
inline void move_all(std::byte* to, const std::byte* from, std::int64_t pitch, int rows, std::int64_t place) {
    for (int row = 0; row < rows; ++row, to += bytes, from += pitch, place += bytes) {
        if (row + rows_ahead < rows) {
            __builtin_prefetch(from + rows_ahead * pitch);
            __builtin_prefetch(from + rows_ahead * pitch + bytes - 1);
        }
        move_row<bytes>(to, from, static_cast<int>(place >> 7 & (bytes / piece_bytes - 1)) * piece_bytes);
    }
}

} // namespace

void move_lines(std::byte* to, const std::byte* from, const LineMove* lines, std::size_t count) {
    for (const LineMove* line = lines; line != lines + count; ++line) {
#if defined(__AVX512BW__)
        const __m512i order = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(line->order)));
        _mm512_storeu_si512(to + line->to, _mm512_permutexvar_epi64(order, _mm512_loadu_si512(from + line->from)));
#else
        for (std::size_t piece = 0; piece < LineMove::pieces; ++piece)
            __builtin_memcpy(to + line->to + piece * piece_bytes, from + line->from + line->order[2 * piece] * 8,
                             piece_bytes);
#endif
    }
}

void move_swizzled(std::byte* to, const std::byte* from, std::int64_t pitch, int rows, int bytes, std::int64_t place) {
    if (bytes == 128)
        move_all<128>(to, from, pitch, rows, place);
    else if (bytes == 64)
        move_all<64>(to, from, pitch, rows, place);
    else
        move_all<32>(to, from, pitch, rows, place);
}

void gather_rows(const std::byte* const* rows, std::size_t step, bool turned, void* out) {
#if defined(__AVX512BW__)
    const auto row = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[step * r])); };
    const auto four = [&](int r) {
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(row(r)), row(r + 1), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(row(r + 2)), row(r + 3), 1);
        return _mm512_inserti64x4(_mm512_zextsi256_si512(low), high, 1);
    };
    __m512i first = four(0), second = four(4);
    if (turned) {
        alignas(64) static constexpr std::uint16_t places[2][32] = {
#define HIDET_COLUMN(k) k, k + 8, k + 16, k + 24, k + 32, k + 40, k + 48, k + 56
            {HIDET_COLUMN(0), HIDET_COLUMN(1), HIDET_COLUMN(2), HIDET_COLUMN(3)},
            {HIDET_COLUMN(4), HIDET_COLUMN(5), HIDET_COLUMN(6), HIDET_COLUMN(7)}};
#undef HIDET_COLUMN
        const __m512i low = _mm512_permutex2var_epi16(first, _mm512_load_si512(places[0]), second);
        second = _mm512_permutex2var_epi16(first, _mm512_load_si512(places[1]), second);
        first = low;
    }
    _mm512_storeu_si512(out, first);
    _mm512_storeu_si512(static_cast<std::byte*>(out) + sizeof first, second);
#else
    Halves tile[rows_of_tile];
    for (int r = 0; r < rows_of_tile; ++r)
        __builtin_memcpy(&tile[r], rows[step * static_cast<std::size_t>(r)], sizeof tile[r]);
    if (turned)
        turn_tile(tile);
    __builtin_memcpy(out, tile, sizeof tile);
#endif
}

void gather_tiles(const std::byte* const* rows, int tiles, bool turned, std::byte* const* to, std::size_t at) {
    for (int tile = 0; tile < tiles; ++tile, rows += rows_of_tile)
        gather_rows(rows, 1, turned, to[tile] + at);
}

} // namespace hidet::vm::HIDET_VM_ISA
