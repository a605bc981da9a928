// SPDX-License-Identifier: Apache-2.0
// The shapes of mma.sync, and which lane's register holds which element. A 32-bit register holds `per` neighbours in k of
// a or b (two 16-bit values, four bytes, one tf32):
//   a, register r: row r % 2 * 8 + lane / 4 (of 8 rows: lane / 4), k from (r / 2 * 4 + lane % 4) * per
//   b, register r: column lane / 4, k from (r * 4 + lane % 4) * per
//   c, element e: row e / 2 * 8 + lane / 4, column lane % 4 * 2 + e % 2
// Sums are f32 in ascending k; tensor cores add in another order, so results are compared with a bound.
#pragma once

#include <string_view>

#include "compiler/artifact/program.h"

namespace hidet::vm {

struct MmaShape {
    int m = 0, n = 0, k = 0;
    artifact::Scalar in{}, out{};
    int in_bytes = 0;
    int a_registers = 0, b_registers = 0, c_registers = 0;
};

const MmaShape* find_mma(std::string_view name); // "m16n8k16_f16_f32"; null: there is none

} // namespace hidet::vm
