// SPDX-License-Identifier: Apache-2.0
// How values lie in memory that are less than a byte, and that are several values side by side.
#pragma once

#include "compiler/ir/dtype.h"

namespace hidet::ir {

// Values of less than a byte lie in units: `per_unit` of them in each, the first in the lowest bits. Three bits leave two of
// a unit's 32 unused.
struct Packing {
    DType unit;
    int per_unit;
    int bits;
};
Packing packing_of(DType dtype); // of sub-byte types
DType carrier_of(DType dtype);   // the whole byte that a sub-byte value is computed in: i8 or u8
// Of so many values in memory; -1: more than 63 bits hold.
std::int64_t packed_bytes(DType dtype, std::int64_t count);

bool has_lanes(DType dtype); // vectors and complex numbers
int lanes_of(DType dtype);   // of those: as many as a vector has, the real and the imaginary part; of others 1

} // namespace hidet::ir
