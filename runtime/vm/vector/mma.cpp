// SPDX-License-Identifier: Apache-2.0
// Products of the tiles that a warp has in its registers.
//
// A register of 32 lanes is a tile of 8 rows, four words a row, which lie behind each other (mma.h). Sums stay as they lie: a
// vector of them has some rows, of each the even or the odd columns. Its product adds, for each k, what its rows have of a, each
// four times, times what the columns have of b, once for all rows. So a is laid out before in fours along k of all rows, of which
// a shuffle in each four makes a vector; and b is turned around, the even columns first and then the odd ones. Both serve many
// products. Sums are in ascending k, as the contract says.
#include "runtime/vm/matrix/mma.h"

#include "runtime/vm/vector/convert.h"
#include "runtime/vm/vector/lanes.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif
#if defined(__AVX512F__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // of what the intrinsics leave undefined on purpose
#endif

namespace hidet::vm::HIDET_VM_ISA {

namespace {

constexpr int tile_rows = 8;
constexpr int n_columns = 8;
constexpr int max_k = 32;
constexpr int row_words = 4;
constexpr int most_rows = 2 * tile_rows;
constexpr int four = 4;                   // elements along k of a that lie together
constexpr int a_words = most_rows * four; // of each such four, of all rows

#if defined(__AVX512F__)
constexpr int vector_words = 16;
constexpr int tiles_together = 2;
#elif defined(__AVX2__)
constexpr int vector_words = 8;
constexpr int tiles_together = 1;
#else
constexpr int vector_words = 4;
constexpr int tiles_together = 1;
#endif
constexpr int vector_rows = vector_words / row_words;
constexpr int most_vectors = 4; // of rows, that are summed together

template <class T, int count>
struct Vector {
    typedef T type __attribute__((vector_size(count * sizeof(T)), may_alias));
};
template <class T>
using Row = typename Vector<T, n_columns>::type;
template <class T>
using Sums = typename Vector<T, vector_words>::type;

template <class T, class Op, class Bits, int count>
inline void widen_row(const void* from, T* to) {
    Bits bits[count];
    __builtin_memcpy(bits, from, sizeof bits);
    for (int i = 0; i < count; ++i)
        to[i] = static_cast<T>(Op::apply(bits[i]));
}

struct Tf32Op {
    static float apply(std::uint32_t a) { return bits_to<float>(a & 0xFFFFE000u); }
};

template <class T>
inline void widen_halves(const std::uint32_t* words, T* to) {
    widen_row<T, HalfToFloatOp, std::uint16_t, 8>(words, to);
}
#if defined(__F16C__)
template <>
inline void widen_halves(const std::uint32_t* words, float* to) {
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words))));
}
#endif

// The elements of a row of a register's tile.
template <class T>
inline void widen(Scalar type, const std::uint32_t* words, T* to) {
    switch (type) {
    case Scalar::F16: return widen_halves(words, to);
    case Scalar::BF16: return widen_row<T, Bf16ToFloatOp, std::uint16_t, 8>(words, to);
    case Scalar::TF32: return widen_row<T, Tf32Op, std::uint32_t, 4>(words, to);
    case Scalar::I8: return widen_row<T, SameOp, std::int8_t, 16>(words, to);
    case Scalar::U8: return widen_row<T, SameOp, std::uint8_t, 16>(words, to);
    case Scalar::F8E4M3: return widen_row<T, E4m3ToFloatOp, std::uint8_t, 16>(words, to);
    default: return widen_row<T, E5m2ToFloatOp, std::uint8_t, 16>(words, to);
    }
}

// The transpose of eight rows.
template <class T>
inline void turn(const T (*rows)[max_k], int first, T (*columns)[n_columns]) {
    Row<T> r[8], s[8];
    for (int i = 0; i < 8; ++i)
        __builtin_memcpy(&r[i], rows[i] + first, sizeof r[i]);
    for (int i = 0; i < 8; i += 2) {
        s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; ++j) {
            r[i + j] = __builtin_shufflevector(s[i + j], s[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            r[i + j + 2] = __builtin_shufflevector(s[i + j], s[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        const Row<T> low = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        const Row<T> high = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        __builtin_memcpy(columns[first + i], &low, sizeof low);
        __builtin_memcpy(columns[first + i + 4], &high, sizeof high);
    }
}

constexpr int lane_row(int column) { // the lanes that have an even or odd column
    return column < 4 ? 2 * column : 2 * column - 7;
}

template <class T>
inline void spread_a_rows(const MmaShape& s, const std::uint32_t* const* a, T* out) {
    alignas(64) T rows[most_rows][max_k];
    const int deep = row_words * 4 / s.in_bytes; // elements of a row of a register
    for (int r = 0; r < s.a_registers; ++r) {
        const int first = s.m == 16 ? r % 2 * tile_rows : 0, k = (s.m == 16 ? r / 2 : r) * deep;
        for (int row = 0; row < tile_rows; ++row)
            widen(s.in, a[r] + row_words * row, rows[first + row] + k);
    }
    for (int k = 0; k < s.k; k += four)
        for (int row = 0; row < s.m; ++row)
            __builtin_memcpy(out + k / four * a_words + row * four, rows[row] + k, four * sizeof(T));
}

#if defined(__AVX512F__)
template <Scalar type>
inline __m512 widen_halves_of(__m256i bits) {
    if constexpr (type == Scalar::F16)
        return _mm512_cvtph_ps(bits);
    else
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

// `two(r, row)`: two rows of a register, which lie together or do not.
template <Scalar type, class Two>
inline void spread_a_shorts(const MmaShape& s, Two&& two, float* out) {
    for (int r = 0; r < s.a_registers; ++r)
        for (int row = 0; row < tile_rows; row += 4) {
            const __m512 first = widen_halves_of<type>(two(r, row));
            const __m512 second = widen_halves_of<type>(two(r, row + 2));
            const __m512 low = _mm512_shuffle_f32x4(first, second, 0x88);  // k 0 to 3 of four rows
            const __m512 high = _mm512_shuffle_f32x4(first, second, 0xDD); // k 4 to 7
            float* const to = out + r / 2 * 2 * a_words + (r % 2 * tile_rows + row) * four;
            _mm512_store_ps(to, low);
            _mm512_store_ps(to + a_words, high);
        }
}

inline __m256i two_rows(const std::byte* first, const std::byte* second) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(second)), 1);
}

// Eight rows of eight halves, turned around. `four(r, row)`: four rows of a register.
template <Scalar type, class Four>
inline void spread_b_shorts(const MmaShape& s, Four&& four_rows, float (*columns)[n_columns]) {
    alignas(64) static constexpr std::uint16_t places[2][32] = {
#define HIDET_K(k) k, k + 16, k + 32, k + 48, k + 8, k + 24, k + 40, k + 56
        {HIDET_K(0), HIDET_K(1), HIDET_K(2), HIDET_K(3)}, {HIDET_K(4), HIDET_K(5), HIDET_K(6), HIDET_K(7)}};
#undef HIDET_K
    for (int r = 0; r < s.b_registers; ++r) {
        const __m512i first = four_rows(r, 0), second = four_rows(r, 4);
        for (int half = 0; half < 2; ++half) {
            const __m512i turned = _mm512_permutex2var_epi16(first, _mm512_load_si512(places[half]), second);
            float* const to = columns[r * tile_rows + half * four];
            _mm512_store_ps(to, widen_halves_of<type>(_mm512_castsi512_si256(turned)));
            _mm512_store_ps(to + vector_words, widen_halves_of<type>(_mm512_extracti64x4_epi64(turned, 1)));
        }
    }
}
#elif defined(__AVX2__)
template <Scalar type>
inline __m256 widen_row_of_eight(const void* row) {
    const __m128i bits = _mm_loadu_si128(static_cast<const __m128i*>(row));
    if constexpr (type == Scalar::F16)
        return _mm256_cvtph_ps(bits);
    else
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

// `one(r, row)`: where a row of a register is.
template <Scalar type, class One>
inline void spread_a_shorts(const MmaShape& s, One&& one, float* out) {
    for (int r = 0; r < s.a_registers; ++r)
        for (int row = 0; row < tile_rows; row += 2) {
            const __m256 first = widen_row_of_eight<type>(one(r, row));
            const __m256 second = widen_row_of_eight<type>(one(r, row + 1));
            const __m256 low = _mm256_permute2f128_ps(first, second, 0x20);  // k 0 to 3 of two rows
            const __m256 high = _mm256_permute2f128_ps(first, second, 0x31); // k 4 to 7
            float* const to = out + r / 2 * 2 * a_words + (r % 2 * tile_rows + row) * four;
            _mm256_store_ps(to, low);
            _mm256_store_ps(to + a_words, high);
        }
}
#endif

template <class T>
inline void spread_b(const MmaShape& s, const std::uint32_t* const* b, T (*columns)[n_columns]) {
    alignas(64) T rows[n_columns][max_k];
    const int deep = row_words * 4 / s.in_bytes;
    for (int r = 0; r < s.b_registers; ++r)
        for (int column = 0; column < n_columns; ++column)
            widen(s.in, b[r] + row_words * lane_row(column), rows[column] + r * deep);
    if (s.k % 8 == 0) {
        for (int k = 0; k < s.k; k += 8)
            turn(rows, k, columns);
        return;
    }
    for (int k = 0; k < s.k; ++k)
        for (int column = 0; column < n_columns; ++column)
            columns[k][column] = rows[column][k];
}

// Four columns of b, for each row of a vector of sums.
template <class T>
inline Sums<T> for_all_rows(const T* columns) {
    Sums<T> out;
#if defined(__AVX512F__)
    const __m512 all = _mm512_broadcast_f32x4(_mm_load_ps(reinterpret_cast<const float*>(columns)));
    __builtin_memcpy(&out, &all, sizeof out);
#elif defined(__AVX2__)
    const __m256 all = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(columns));
    __builtin_memcpy(&out, &all, sizeof out);
#else
    __builtin_memcpy(&out, columns, sizeof out);
#endif
    return out;
}

// Of each four, one of them four times.
template <class T, int which>
inline Sums<T> spread_four(const Sums<T>& from) {
#if defined(__AVX512F__)
    const __m512 out = _mm512_permute_ps(bits_to<__m512>(from), which * 0x55);
#elif defined(__AVX2__)
    const __m256 out = _mm256_permute_ps(bits_to<__m256>(from), which * 0x55);
#else
    const Sums<T> out = __builtin_shufflevector(from, from, which, which, which, which);
#endif
    return bits_to<Sums<T>>(out);
}

template <class T>
inline void add_product(const Sums<T>& a, const Sums<T>& b, Sums<T>& sum) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>)
        sum = _mm512_fmadd_ps(a, b, sum);
    else
        sum += a * b;
#elif defined(__FMA__)
    if constexpr (std::is_same_v<T, float>)
        sum = _mm256_fmadd_ps(a, b, sum);
    else
        sum += a * b;
#else
    sum = a * b + sum;
#endif
}

struct TileSums { // registers of some tiles, and the word of them with which a warp's begin
    std::uint32_t* const* registers;
    std::size_t first;
};

// Some rows of some tiles: `c` has four registers of each.
template <class T, int vectors, int tiles, int first_row>
inline void accumulate(int depth, const T* a, const void* const* b, const TileSums& c, const MmaParts& parts) {
    Sums<T> held[tiles][2][vectors];
    const auto place = [&](int tile, int odd, int v) __attribute__((always_inline)) {
        const int row = first_row + v * vector_rows;
        return c.registers[4 * tile + row / tile_rows * 2 + odd] + c.first + row % tile_rows * row_words;
    };
#pragma GCC unroll 16
    for (int i = 0; i < tiles * 2 * vectors; ++i)
        __builtin_memcpy(&held[i / (2 * vectors)][i / vectors % 2][i % vectors],
                         place(i / (2 * vectors), i / vectors % 2, i % vectors), sizeof(Sums<T>));
    const T* columns[tiles];
    for (int tile = 0; tile < tiles; ++tile)
        columns[tile] = static_cast<const T*>(b[tile]);
    for (int part = 0; part < parts.count; ++part) {
        const T* rows = a + first_row * four;
        for (int k = 0; k < depth; k += four, rows += a_words) {
            Sums<T> left[vectors];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                __builtin_memcpy(&left[v], rows + v * vector_words, sizeof left[v]);
            const auto add = [&](auto which) __attribute__((always_inline)) {
                constexpr int i = decltype(which)::value;
                Sums<T> spread[vectors];
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v)
                    spread[v] = spread_four<T, i>(left[v]);
#pragma GCC unroll 2
                for (int tile = 0; tile < tiles; ++tile)
#pragma GCC unroll 2
                    for (int odd = 0; odd < 2; ++odd) {
                        const Sums<T> right = for_all_rows(columns[tile] + (k + i) * n_columns + odd * row_words);
#pragma GCC unroll 4
                        for (int v = 0; v < vectors; ++v)
                            add_product<T>(spread[v], right, held[tile][odd][v]);
                    }
            };
            add(std::integral_constant<int, 0>());
            add(std::integral_constant<int, 1>());
            add(std::integral_constant<int, 2>());
            add(std::integral_constant<int, 3>());
        }
        a += parts.a_step;
        for (int tile = 0; tile < tiles; ++tile)
            columns[tile] += parts.b_step;
    }
#pragma GCC unroll 16
    for (int i = 0; i < tiles * 2 * vectors; ++i)
        __builtin_memcpy(place(i / (2 * vectors), i / vectors % 2, i % vectors),
                         &held[i / (2 * vectors)][i / vectors % 2][i % vectors], sizeof(Sums<T>));
}

template <class T, int tiles>
inline void add_tiles(const MmaShape& s, const T* a, const void* const* b, const TileSums& c, const MmaParts& parts) {
    constexpr int rows = most_vectors * vector_rows; // at once
    if constexpr (rows > tile_rows) {
        if (s.m > tile_rows)
            accumulate<T, most_vectors, tiles, 0>(s.k, a, b, c, parts);
        else
            accumulate<T, tile_rows / vector_rows, tiles, 0>(s.k, a, b, c, parts);
    } else {
        accumulate<T, most_vectors, tiles, 0>(s.k, a, b, c, parts);
        if constexpr (rows < tile_rows)
            accumulate<T, most_vectors, tiles, rows>(s.k, a, b, c, parts);
        if (s.m == tile_rows)
            return;
        accumulate<T, most_vectors, tiles, tile_rows>(s.k, a, b, c, parts);
        if constexpr (rows < tile_rows)
            accumulate<T, most_vectors, tiles, tile_rows + rows>(s.k, a, b, c, parts);
    }
}

// Of f32 or i32 sums.
template <class T>
inline void add_words(const MmaShape& s, std::uint32_t* const* c, std::size_t first, const T* a, const void* const* b,
                      int tiles, const MmaParts& parts) {
    int tile = 0;
    for (; s.c_registers == 4 && tile + tiles_together <= tiles; tile += tiles_together)
        add_tiles<T, tiles_together>(s, a, b + tile, {c + 4 * tile, first}, parts);
    for (; tile < tiles; ++tile)
        add_tiles<T, 1>(s, a, b + tile, {c + tile * s.c_registers, first}, parts);
}

// Of f16 sums, two in a word: of the even and the odd column. They are rounded after each part.
inline void add_halves(const MmaShape& s, std::uint32_t* const* c, std::size_t first, const float* a,
                       const void* const* b, int tiles, const MmaParts& parts) {
    constexpr int words = tile_rows * row_words;
    alignas(64) std::uint32_t wide[4][words];
    std::uint32_t* const own[4] = {wide[0], wide[1], wide[2], wide[3]};
    for (int i = 0; i < tiles * parts.count; ++i) {
        std::uint32_t* const* const sums = c + i / parts.count * s.c_registers;
        const auto part = static_cast<std::size_t>(i % parts.count);
        for (int r = 0; r < s.c_registers; ++r)
            for (int word = 0; word < words; ++word) {
                const std::uint32_t both = sums[r][first + static_cast<std::size_t>(word)];
                wide[2 * r][word] = bits_to<std::uint32_t>(half_to_float(both & 0xFFFFu));
                wide[2 * r + 1][word] = bits_to<std::uint32_t>(half_to_float(both >> 16));
            }
        const void* const columns = static_cast<const float*>(b[i / parts.count]) + part * parts.b_step;
        add_tiles<float, 1>(s, a + part * parts.a_step, &columns, {own, 0}, MmaParts());
        for (int r = 0; r < s.c_registers; ++r)
            for (int word = 0; word < words; ++word)
                sums[r][first + static_cast<std::size_t>(word)] = float_to_half(bits_to<float>(wide[2 * r][word])) |
                                                                  float_to_half(bits_to<float>(wide[2 * r + 1][word]))
                                                                      << 16;
    }
}

#if defined(__AVX2__)
// Of elements of 16 bits; false: they are not.
template <class From>
inline bool are_shorts_spread_a(const MmaShape& shape, From&& from, void* out) {
    if (shape.in == Scalar::F16)
        spread_a_shorts<Scalar::F16>(shape, from, static_cast<float*>(out));
    else if (shape.in == Scalar::BF16)
        spread_a_shorts<Scalar::BF16>(shape, from, static_cast<float*>(out));
    return shape.in == Scalar::F16 || shape.in == Scalar::BF16;
}
#endif
#if defined(__AVX512F__)
template <class From>
inline bool are_shorts_spread_b(const MmaShape& shape, From&& from, void* out) {
    if (shape.in == Scalar::F16)
        spread_b_shorts<Scalar::F16>(shape, from, static_cast<float(*)[n_columns]>(out));
    else if (shape.in == Scalar::BF16)
        spread_b_shorts<Scalar::BF16>(shape, from, static_cast<float(*)[n_columns]>(out));
    return shape.in == Scalar::F16 || shape.in == Scalar::BF16;
}
#endif

} // namespace

void spread_mma_a(const MmaShape& shape, const std::uint32_t* const* a, void* out) {
    if (shape.out == Scalar::I32)
        return spread_a_rows(shape, a, static_cast<std::uint32_t*>(out));
#if defined(__AVX2__)
#if defined(__AVX512F__)
    const auto from = [&](int r, int row) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a[r] + row_words * row));
    };
#else
    const auto from = [&](int r, int row) { return a[r] + row_words * row; };
#endif
    if (are_shorts_spread_a(shape, from, out))
        return;
#endif
    spread_a_rows(shape, a, static_cast<float*>(out));
}

void spread_mma_b(const MmaShape& shape, const std::uint32_t* const* b, void* out) {
#if defined(__AVX512F__)
    const auto from = [&](int r, int row) { return _mm512_loadu_si512(b[r] + row_words * row); };
    if (are_shorts_spread_b(shape, from, out))
        return;
#endif
    if (shape.out == Scalar::I32)
        spread_b(shape, b, static_cast<std::uint32_t(*)[n_columns]>(out));
    else
        spread_b(shape, b, static_cast<float(*)[n_columns]>(out));
}

namespace {

// As registers of a warp.
inline void take_rows(const std::byte* const* rows, std::size_t step, std::uint32_t* words) {
    for (int row = 0; row < tile_rows; ++row)
        __builtin_memcpy(words + row_words * row, rows[step * static_cast<std::size_t>(row)],
                         row_words * sizeof *words);
}

// Of elements of 16 bits, each row of which has those of one k.
#if defined(__AVX512F__)
template <Scalar type>
inline void spread_turned_shorts(const MmaShape& shape, const std::byte* const* const* tiles,
                                 float (*columns)[n_columns]) {
    const __m512i places = _mm512_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    for (int r = 0; r < shape.b_registers; ++r)
        for (int row = 0; row < tile_rows; row += 2) {
            const __m512 both = widen_halves_of<type>(two_rows(tiles[r][row], tiles[r][row + 1]));
            _mm512_store_ps(columns[r * tile_rows + row], _mm512_permutexvar_ps(places, both));
        }
}
#else
inline void spread_turned_b(const MmaShape& shape, const std::byte* const* const* tiles, float (*columns)[n_columns]) {
    for (int r = 0; r < shape.b_registers; ++r)
        for (int row = 0; row < tile_rows; ++row) {
            alignas(32) float wide[2 * n_columns]; // as many as there are of 8 bits
            widen(shape.in, reinterpret_cast<const std::uint32_t*>(tiles[r][row]), wide);
            Row<float> all;
            __builtin_memcpy(&all, wide, sizeof all);
            all = __builtin_shufflevector(all, all, 0, 2, 4, 6, 1, 3, 5, 7);
            __builtin_memcpy(columns[r * tile_rows + row], &all, sizeof all);
        }
}
#endif

// So many registers, as ldmatrix loads them.
struct TileWords {
    TileWords(const std::byte* const* const* tiles, int count, bool turned) {
        for (int r = 0; r < count; ++r)
            gather_rows(tiles[r], 1, turned, all[r]);
    }
    alignas(64) std::uint32_t all[4][tile_rows * row_words];
    const std::uint32_t* const words[4] = {all[0], all[1], all[2], all[3]};
};

} // namespace

void spread_tiles_a(const MmaShape& shape, const std::byte* const* const* tiles, bool turned, void* out) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
    const auto from = [&](int r, int row) { return two_rows(tiles[r][row], tiles[r][row + 1]); };
#else
    const auto from = [&](int r, int row) { return tiles[r][row]; };
#endif
    if (!turned && are_shorts_spread_a(shape, from, out))
        return;
#endif
    spread_mma_a(shape, TileWords(tiles, shape.a_registers, turned).words, out);
}

void spread_tiles_b(const MmaShape& shape, const std::byte* const* const* tiles, bool turned, void* out) {
    auto* const columns = static_cast<float(*)[n_columns]>(out);
#if defined(__AVX512F__)
    const auto from = [&](int r, int row) {
        const __m256i low = two_rows(tiles[r][row], tiles[r][row + 1]);
        return _mm512_inserti64x4(_mm512_zextsi256_si512(low), two_rows(tiles[r][row + 2], tiles[r][row + 3]), 1);
    };
    if (!turned && are_shorts_spread_b(shape, from, out))
        return;
    if (turned && shape.in == Scalar::F16)
        return spread_turned_shorts<Scalar::F16>(shape, tiles, columns);
    if (turned && shape.in == Scalar::BF16)
        return spread_turned_shorts<Scalar::BF16>(shape, tiles, columns);
#else
    if (turned && (shape.in == Scalar::F16 || shape.in == Scalar::BF16))
        return spread_turned_b(shape, tiles, columns);
#endif
    spread_mma_b(shape, TileWords(tiles, shape.b_registers, turned).words, out);
}

void spread_rows_a(const MmaShape& shape, const std::byte* const* rows, std::size_t step, void* out) {
    const auto first = [&](int r) { return rows + static_cast<std::size_t>(r % 2 * tile_rows) * step + r / 2; };
#if defined(__AVX2__)
    const auto at = [&](int r, int row) { return first(r)[step * static_cast<std::size_t>(row)]; };
#if defined(__AVX512F__)
    const auto from = [&](int r, int row) { return two_rows(at(r, row), at(r, row + 1)); };
#else
    const auto& from = at;
#endif
    if (are_shorts_spread_a(shape, from, out))
        return;
#endif
    std::uint32_t words[4][tile_rows * row_words];
    const std::uint32_t* const registers[4] = {words[0], words[1], words[2], words[3]};
    for (int r = 0; r < shape.a_registers; ++r)
        take_rows(first(r), step, words[r]);
    spread_mma_a(shape, registers, out);
}

void spread_rows_b(const MmaShape& shape, const std::byte* const* rows, std::size_t step, int tiles, void* out) {
    const std::size_t tile_words = static_cast<std::size_t>(shape.k) * n_columns;
    auto* to = static_cast<std::uint32_t*>(out);
    for (int tile = 0; tile < tiles; ++tile, rows += step * n_columns, to += tile_words) {
#if defined(__AVX512F__)
        const auto two = [&](int r, int row) {
            const std::byte* const* const at = rows + step * static_cast<std::size_t>(row) + r;
            return two_rows(at[0], at[step]);
        };
        const auto from = [&](int r, int row) {
            return _mm512_inserti64x4(_mm512_zextsi256_si512(two(r, row)), two(r, row + 2), 1);
        };
        if (are_shorts_spread_b(shape, from, to))
            continue;
#endif
        std::uint32_t words[2][tile_rows * row_words];
        const std::uint32_t* const registers[2] = {words[0], words[1]};
        for (int r = 0; r < shape.b_registers; ++r)
            take_rows(rows + r, step, words[r]);
        spread_mma_b(shape, registers, to);
    }
}

void mma(const MmaShape& shape, std::uint32_t* const* c, std::size_t first, const void* a, const void* const* b,
         int tiles, const MmaParts& parts) {
    static_assert(max_k / four * a_words == mma_a_words && max_k * n_columns == mma_b_words);
    if (shape.out == Scalar::I32)
        add_words(shape, c, first, static_cast<const std::uint32_t*>(a), b, tiles, parts);
    else if (shape.out == Scalar::F16)
        add_halves(shape, c, first, static_cast<const float*>(a), b, tiles, parts);
    else
        add_words(shape, c, first, static_cast<const float*>(a), b, tiles, parts);
}

} // namespace hidet::vm::HIDET_VM_ISA
