// SPDX-License-Identifier: Apache-2.0
// The shapes of the matrix instruction wgmma: c (64 x n) += a (64 x k) * b (k x n), which a warp group does together.
#pragma once

#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

struct WgmmaOperands {
    WgmmaTypes types{};
    DType in, out; // of a and b; of c
    int k() const { return 32 / bytes_of(in); }
};

inline constexpr WgmmaOperands wgmma_operands[] = {
    // in the order of WgmmaTypes
    {WgmmaTypes::f16_f16, DType::F16, DType::F16},     {WgmmaTypes::f16_f32, DType::F16, DType::F32},
    {WgmmaTypes::bf16_f32, DType::BF16, DType::F32},   {WgmmaTypes::tf32_f32, DType::TF32, DType::F32},
    {WgmmaTypes::e4m3_f16, DType::F8E4M3, DType::F16}, {WgmmaTypes::e4m3_f32, DType::F8E4M3, DType::F32},
    {WgmmaTypes::e5m2_f16, DType::F8E5M2, DType::F16}, {WgmmaTypes::e5m2_f32, DType::F8E5M2, DType::F32},
    {WgmmaTypes::i8_i32, DType::I8, DType::I32},       {WgmmaTypes::u8_i32, DType::U8, DType::I32},
};
constexpr const WgmmaOperands& info(WgmmaTypes types) {
    return wgmma_operands[static_cast<std::size_t>(types)];
}

inline constexpr int wgmma_rows = 64;
constexpr int columns_of(WgmmaN n) {
    return 8 * (static_cast<int>(n) + 1);
}

} // namespace hidet::ir
