// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/matrix/mma.h"

#include <map>

namespace hidet::vm {

static MmaShape shape_of(int m, int n, int k, Scalar in, Scalar out) {
    int in_bytes = artifact::scalar_bytes(in), out_bytes = artifact::scalar_bytes(out);
    return {.m = m,
            .n = n,
            .k = k,
            .in = in,
            .out = out,
            .in_bytes = in_bytes,
            .a_registers = m * k * in_bytes / 128,
            .b_registers = k * n * in_bytes / 128,
            .c_registers = m * n * out_bytes / 128};
}

const MmaShape* find_mma(std::string_view name) {
    static const std::map<std::string_view, MmaShape> shapes = {
#define HIDET_MMA(name, m, n, k, in, out, needs) {#name, shape_of(m, n, k, Scalar::in, Scalar::out)},
#include "lang/base/mma.def"
#undef HIDET_MMA
    };
    auto it = shapes.find(name);
    return it == shapes.end() ? nullptr : &it->second;
}

} // namespace hidet::vm
