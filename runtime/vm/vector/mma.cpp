// SPDX-License-Identifier: Apache-2.0
// Products of the tiles that a warp has in its registers.
//
// A register of 32 lanes is a tile of 8 rows, four words a row, which lie behind each other (mma.h). So a is widened row by row
// as it lies. Of b a register has columns: they are widened and then turned around, the even ones first and then the odd
// ones, because the two registers of c that belong together have a row's even and odd columns. A row of sums is then one
// vector, and a product a multiplication of it by each element of a row of a: sums in ascending k, as the contract says.
#include "runtime/vm/mma.h"

#include "runtime/vm/vector/convert.h"
#include "runtime/vm/vector/lanes.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace hidet::vm::HIDET_VM_ISA {

namespace {

constexpr int tile_rows = 8;
constexpr int n_columns = 8;
constexpr int max_k = 32;
constexpr int row_words = 4;

template <class T>
struct Vector {
    typedef T type __attribute__((vector_size(n_columns * sizeof(T)), may_alias));
};
template <class T>
using Row = typename Vector<T>::type;

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
inline void spread_a(const MmaShape& s, const std::uint32_t* const* a, T (*rows)[max_k]) {
    const int deep = row_words * 4 / s.in_bytes; // elements of a row of a register
    for (int r = 0; r < s.a_registers; ++r) {
        const int first = s.m == 16 ? r % 2 * tile_rows : 0, k = (s.m == 16 ? r / 2 : r) * deep;
        for (int row = 0; row < tile_rows; ++row)
            widen(s.in, a[r] + row_words * row, rows[first + row] + k);
    }
}

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

template <class T>
inline void add_product(T a, const Row<T>& b, Row<T>& sum) {
    for (int j = 0; j < n_columns; ++j)
        sum[j] = MulAddOp::apply(a, b[j], sum[j]);
}
#if defined(__FMA__)
template <>
inline void add_product<float>(float a, const Row<float>& b, Row<float>& sum) {
    sum = _mm256_fmadd_ps(_mm256_set1_ps(a), b, sum);
}
#endif

// Eight rows.
template <class T>
inline void accumulate(int depth, const T (*rows)[max_k], const T (*columns)[n_columns], Row<T>* sums) {
    Row<T> held[tile_rows];
    for (int i = 0; i < tile_rows; ++i)
        held[i] = sums[i];
    for (int k = 0; k < depth; ++k) {
        Row<T> b;
        __builtin_memcpy(&b, columns[k], sizeof b);
#pragma GCC unroll 8
        for (int i = 0; i < tile_rows; ++i)
            add_product<T>(rows[i][k], b, held[i]);
    }
    for (int i = 0; i < tile_rows; ++i)
        sums[i] = held[i];
}

// Eight rows of c: of two registers, or of one that has two halves a word.
template <class T>
inline void read_sums(bool halves, std::uint32_t* const* c, Row<T>* sums) {
    for (int row = 0; row < tile_rows; ++row)
        for (int j = 0; j < row_words; ++j) {
            const std::uint32_t first = c[0][row_words * row + j];
            const std::uint32_t second = halves ? first >> 16 : c[1][row_words * row + j];
            sums[row][j] = halves ? static_cast<T>(half_to_float(first & 0xFFFFu)) : bits_to<T>(first);
            sums[row][j + row_words] = halves ? static_cast<T>(half_to_float(second)) : bits_to<T>(second);
        }
}

template <class T>
inline void write_sums(bool halves, const Row<T>* sums, std::uint32_t* const* c) {
    for (int row = 0; row < tile_rows; ++row)
        for (int j = 0; j < row_words; ++j) {
            const T even = sums[row][j], odd = sums[row][j + row_words];
            if (halves) {
                c[0][row_words * row + j] =
                    float_to_half(static_cast<float>(even)) | float_to_half(static_cast<float>(odd)) << 16;
                continue;
            }
            c[0][row_words * row + j] = bits_to<std::uint32_t>(even);
            c[1][row_words * row + j] = bits_to<std::uint32_t>(odd);
        }
}

template <class T>
void multiply(const MmaShape& s, std::uint32_t* const* c, const std::uint32_t* const* a, const std::uint32_t* const* b,
              int tiles) {
    alignas(64) T rows[2 * tile_rows][max_k];
    alignas(64) T columns[max_k][n_columns];
    Row<T> sums[tile_rows];
    spread_a(s, a, rows);
    const bool halves = s.out == Scalar::F16;
    const int of_rows = halves ? 1 : 2; // registers of c that eight rows have
    for (int tile = 0; tile < tiles; ++tile) {
        spread_b(s, b + tile * s.b_registers, columns);
        for (int first = 0; first < s.m; first += tile_rows) {
            std::uint32_t* const* const own = c + tile * s.c_registers + first / tile_rows * of_rows;
            read_sums<T>(halves, own, sums);
            accumulate<T>(s.k, rows + first, columns, sums);
            write_sums<T>(halves, sums, own);
        }
    }
}

} // namespace

void mma(const MmaShape& shape, std::uint32_t* const* c, const std::uint32_t* const* a, const std::uint32_t* const* b,
         int tiles) {
    if (shape.out == Scalar::I32)
        multiply<std::int32_t>(shape, c, a, b, tiles);
    else
        multiply<float>(shape, c, a, b, tiles);
}

} // namespace hidet::vm::HIDET_VM_ISA
