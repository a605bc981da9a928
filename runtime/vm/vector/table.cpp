// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/lanes.h"

#define HIDET_TEXT_(x) #x
#define HIDET_TEXT(x) HIDET_TEXT_(x)

namespace hidet::vm::HIDET_VM_ISA {

static VectorFn find(Op op, Scalar type, int x, unsigned shared) {
    if (VectorFn fn = find_convert(op, type, x, shared))
        return fn;
    if (type == Scalar::F32)
        return find_single(op, shared);
    return type == Scalar::F64 ? find_double(op, shared) : find_integer(op, type, shared);
}

const VectorTable& table() {
    static constexpr VectorTable the_table = {
        .name = HIDET_TEXT(HIDET_VM_ISA),
        .find = find,
        .blend = blend,
        .add_scaled = add_scaled,
        .range = range,
        .classify = classify,
        .load = load,
        .store = store,
        .to_bits = to_bits,
        .to_words = to_words,
        .muladd_all = muladd_all,
        .muladd_memory = muladd_memory,
        .has_distances = has_distances,
        .place_at = place_at,
        .gather_rows = gather_rows,
        .gather_tiles = gather_tiles,
        .move_lines = move_lines,
        .move_swizzled = move_swizzled,
        .spread_mma_a = spread_mma_a,
        .spread_mma_b = spread_mma_b,
        .spread_rows_a = spread_rows_a,
        .spread_rows_b = spread_rows_b,
        .spread_tiles_a = spread_tiles_a,
        .spread_tiles_b = spread_tiles_b,
        .mma = mma,
    };
    return the_table;
}

} // namespace hidet::vm::HIDET_VM_ISA
