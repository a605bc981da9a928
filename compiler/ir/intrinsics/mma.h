// SPDX-License-Identifier: Apache-2.0
// The shapes of the matrix instruction mma.sync: c (m x n) += a (m x k) * b (k x n), which a warp does together.
#pragma once

#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

struct MmaShape {
    const char* name; // "m16n8k16_f16_f32"
    int m, n, k;
    DType in, out; // of a and b; of c
    int needs;     // the number of the first architecture

    // 32-bit registers of a lane; a warp holds every element once.
    int a_registers() const { return m * k * bytes_of(in) / 128; }
    int b_registers() const { return k * n * bytes_of(in) / 128; }
    int c_registers() const { return m * n * bytes_of(out) / 128; }
};

inline constexpr MmaShape mma_shapes[] = {
#define HIDET_MMA(name, m, n, k, in, out, needs) {#name, m, n, k, DType::in, DType::out, needs},
#include "lang/base/mma.def"
#undef HIDET_MMA
};
constexpr const MmaShape& info(Mma mma) {
    return mma_shapes[static_cast<std::size_t>(mma)];
}

} // namespace hidet::ir
