// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/packing.h"

#include "lang/base/check.h"

namespace hidet::ir {

bool has_lanes(DType dtype) {
    return is_vector(dtype) || is_complex(dtype);
}

Packing packing_of(DType dtype) {
    HIDET_CHECK(is_subbyte(dtype), info(dtype).name);
    const DTypeInfo& row = info(dtype);
    return {row.storage, info(row.storage).bits / row.bits, row.bits};
}

DType carrier_of(DType dtype) {
    return is_signed(dtype) ? DType::I8 : DType::U8;
}

std::int64_t packed_bytes(DType dtype, std::int64_t count) {
    std::int64_t units = count;
    int each = info(dtype).bits / 8;
    if (is_subbyte(dtype)) {
        const Packing packing = packing_of(dtype);
        units = count / packing.per_unit + (count % packing.per_unit != 0);
        each = bytes_of(packing.unit);
    }
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(units, each, &bytes) ? -1 : bytes;
}

int lanes_of(DType dtype) {
    return is_complex(dtype) ? 2 : info(dtype).lanes;
}

} // namespace hidet::ir
