// SPDX-License-Identifier: Apache-2.0
// What quantising operators share. Scales and zero points are of the whole tensor (one element), of each index along `axis`
// (one dimension), or of each block of `block_size` along it (as many dimensions as the tensor).
//
// A tensor of four-bit integers is one of bytes: dtype int4b or uint4b as an attribute gives int8 or uint8 elements in the
// range of four bits.
#pragma once

#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

struct Granularity {
    Granularity(const OpCall& call, const std::string& name); // of inputs 0 and 1; OpError when they do not go together
    Indices index(const Shape& parameter, const Indices& axes) const; // into a scale or zero point

    std::size_t axis = 0;
    std::int64_t block_size = 0;
};

ir::DType stored_as(ir::DType dtype); // int8 for int4b
// Rounded to the nearest even integer, plus the zero point (null: 0), limited to the range of the type; floats of 8 bits
// are converted.
Expr quantised(const Expr& value, const Expr& zero_point, ir::DType dtype);

} // namespace hidet::graph
