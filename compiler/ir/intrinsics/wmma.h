// SPDX-License-Identifier: Apache-2.0
// The shapes of the matrix instructions wmma: c (m x n) += a (m x k) * b (k x n).
#pragma once

#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

struct WmmaShape {
    Wmma id;
    int m, n, k;
    DType in, out; // of a and b; of c

    // Registers of 32 bits of a lane. Lanes share tiles of f16, each element of which two have.
    int a_registers() const { return in == DType::F16 ? 8 : m * k * bytes_of(in) / 128; }
    int b_registers() const { return in == DType::F16 ? 8 : k * n * bytes_of(in) / 128; }
    int c_registers() const { return m * n * bytes_of(out) / 128; }
    int needs() const { return in == DType::F16 ? 70 : 80; } // the number of the first architecture
};

inline constexpr WmmaShape wmma_shapes[] = {
    {Wmma::m16n16k16_f16_f16, 16, 16, 16, DType::F16, DType::F16},
    {Wmma::m8n32k16_f16_f16, 8, 32, 16, DType::F16, DType::F16},
    {Wmma::m32n8k16_f16_f16, 32, 8, 16, DType::F16, DType::F16},
    {Wmma::m16n16k16_f16_f32, 16, 16, 16, DType::F16, DType::F32},
    {Wmma::m8n32k16_f16_f32, 8, 32, 16, DType::F16, DType::F32},
    {Wmma::m32n8k16_f16_f32, 32, 8, 16, DType::F16, DType::F32},
    {Wmma::m16n16k16_bf16_f32, 16, 16, 16, DType::BF16, DType::F32},
    {Wmma::m8n32k16_bf16_f32, 8, 32, 16, DType::BF16, DType::F32},
    {Wmma::m32n8k16_bf16_f32, 32, 8, 16, DType::BF16, DType::F32},
    {Wmma::m16n16k8_tf32_f32, 16, 16, 8, DType::TF32, DType::F32},
};
constexpr const WmmaShape& info(Wmma which) {
    return wmma_shapes[static_cast<std::size_t>(which)];
}
static_assert([] {
    for (const WmmaShape& shape : wmma_shapes)
        if (&info(shape.id) != &shape)
            return false;
    return true;
}());

} // namespace hidet::ir
