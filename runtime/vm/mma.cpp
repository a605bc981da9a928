// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/mma.h"

#include <map>
#include <string>
#include <vector>

namespace hidet::vm {

namespace {

using artifact::Scalar;

struct Family {
    std::vector<int> ks;
    int m;
    std::vector<Scalar> in;
    std::vector<Scalar> out;
};

std::map<std::string, MmaShape, std::less<>> make_shapes() {
    const Family families[] = {
        {{8, 16}, 16, {Scalar::F16}, {Scalar::F16, Scalar::F32}},
        {{8, 16}, 16, {Scalar::BF16}, {Scalar::F32}},
        {{4, 8}, 16, {Scalar::TF32}, {Scalar::F32}},
        {{16}, 8, {Scalar::I8, Scalar::U8}, {Scalar::I32}},
        {{16, 32}, 16, {Scalar::I8, Scalar::U8}, {Scalar::I32}},
        {{16, 32}, 16, {Scalar::F8E4M3, Scalar::F8E5M2}, {Scalar::F16, Scalar::F32}},
    };
    std::map<std::string, MmaShape, std::less<>> shapes;
    for (const Family& family : families)
        for (int k : family.ks)
            for (Scalar in : family.in)
                for (Scalar out : family.out) {
                    std::string name = "m" + std::to_string(family.m) + "n8k" + std::to_string(k) + "_" +
                                       artifact::scalar_name(in) + "_" + artifact::scalar_name(out);
                    int in_bytes = artifact::scalar_bytes(in), out_bytes = artifact::scalar_bytes(out);
                    shapes[name] = {.m = family.m,
                                    .n = 8,
                                    .k = k,
                                    .in = in,
                                    .out = out,
                                    .in_bytes = in_bytes,
                                    .out_bytes = out_bytes,
                                    .a_registers = family.m * k * in_bytes / 128,
                                    .b_registers = k * 8 * in_bytes / 128,
                                    .c_registers = family.m * 8 * out_bytes / 128};
                }
    return shapes;
}

} // namespace

const MmaShape* find_mma(std::string_view name) {
    static const auto shapes = make_shapes();
    auto it = shapes.find(name);
    return it == shapes.end() ? nullptr : &it->second;
}

} // namespace hidet::vm
