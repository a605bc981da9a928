// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/mma.h"

#include "runtime/vm/vector/convert.h"
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

namespace {

constexpr int n_columns = 8;
constexpr int max_k = 32;

// One element of a register.
template <class T>
inline T element(Scalar type, std::uint32_t word, int e) {
    switch (type) {
    case Scalar::F16: return static_cast<T>(half_to_float(word >> (16 * e) & 0xFFFFu));
    case Scalar::BF16: return static_cast<T>(bf16_to_float(word >> (16 * e) & 0xFFFFu));
    case Scalar::TF32: return static_cast<T>(bits_to<float>(word & 0xFFFFE000u));
    case Scalar::I8: return static_cast<T>(static_cast<std::int8_t>(word >> (8 * e)));
    case Scalar::U8: return static_cast<T>(static_cast<std::uint8_t>(word >> (8 * e)));
    case Scalar::F8E4M3: return static_cast<T>(E4m3ToFloatOp::apply(word >> (8 * e) & 0xFFu));
    default: return static_cast<T>(E5m2ToFloatOp::apply(word >> (8 * e) & 0xFFu));
    }
}

template <class T>
inline void spread(const MmaShape& s, const std::uint32_t* const* a, const std::uint32_t* const* b, T (*rows)[max_k],
                   T (*columns)[n_columns]) {
    int per = 4 / s.in_bytes;
    for (int r = 0; r < s.a_registers; ++r)
        for (int lane = 0; lane < 32; ++lane) {
            int row = s.m == 16 ? r % 2 * 8 + lane / 4 : lane / 4;
            int k = ((s.m == 16 ? r / 2 : r) * 4 + lane % 4) * per;
            for (int e = 0; e < per; ++e)
                rows[row][k + e] = element<T>(s.in, a[r][lane], e);
        }
    for (int r = 0; r < s.b_registers; ++r)
        for (int lane = 0; lane < 32; ++lane)
            for (int e = 0; e < per; ++e)
                columns[(r * 4 + lane % 4) * per + e][lane / 4] = element<T>(s.in, b[r][lane], e);
}

template <class T>
inline void accumulate(const MmaShape& s, const T (*rows)[max_k], const T (*columns)[n_columns], T (*sums)[n_columns]) {
    for (int i = 0; i < s.m; ++i) {
        T sum[n_columns];
        for (int j = 0; j < n_columns; ++j)
            sum[j] = sums[i][j];
        for (int k = 0; k < s.k; ++k)
            for (int j = 0; j < n_columns; ++j)
                sum[j] = MulAddOp::apply(rows[i][k], columns[k][j], sum[j]);
        for (int j = 0; j < n_columns; ++j)
            sums[i][j] = sum[j];
    }
}

template <class T>
void multiply(const MmaShape& s, std::uint32_t* const* c, const std::uint32_t* const* a,
              const std::uint32_t* const* b) {
    alignas(64) T rows[16][max_k];
    alignas(64) T columns[max_k][n_columns];
    alignas(64) T sums[16][n_columns];
    spread(s, a, b, rows, columns);
    int elements = s.m * s.n / 32;
    bool halves = s.out == Scalar::F16;
    for (int e = 0; e < elements; ++e)
        for (int lane = 0; lane < 32; ++lane) {
            T& sum = sums[e / 2 * 8 + lane / 4][lane % 4 * 2 + e % 2];
            if (halves)
                sum = static_cast<T>(half_to_float(c[e / 2][lane] >> (16 * (e % 2)) & 0xFFFFu));
            else
                sum = bits_to<T>(c[e][lane]);
        }
    accumulate(s, rows, columns, sums);
    for (int e = 0; e < elements; ++e)
        for (int lane = 0; lane < 32; ++lane) {
            T sum = sums[e / 2 * 8 + lane / 4][lane % 4 * 2 + e % 2];
            if (!halves) {
                c[e][lane] = bits_to<std::uint32_t>(sum);
                continue;
            }
            std::uint32_t half = float_to_half(static_cast<float>(sum));
            std::uint32_t& word = c[e / 2][lane];
            word = e % 2 ? (word & 0xFFFFu) | half << 16 : (word & 0xFFFF0000u) | half;
        }
}

} // namespace

void mma(const MmaShape& shape, std::uint32_t* const* c, const std::uint32_t* const* a, const std::uint32_t* const* b) {
    if (shape.out == Scalar::I32)
        multiply<std::int32_t>(shape, c, a, b);
    else
        multiply<float>(shape, c, a, b);
}

} // namespace hidet::vm::HIDET_VM_ISA
