// SPDX-License-Identifier: Apache-2.0
// Weights of products in few bits, as PackedMatmul reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// Kernels that read a weight of few bits as it is: for half precision on a GPU, which a float32 may yet become, by matrix
// units.
bool has_kernels_for_few_bits(const GraphOptions& options, ir::DType activations);
// And whether they take weights of that form: their threads read 16 bytes, which have one scale.
bool is_form_of_kernels(std::int64_t k, std::int64_t bits, std::int64_t group_size);

struct PackedWeight {
    lang::TensorRef numbers;    // [n, bytes]: each row begins at a multiple of 16 bytes
    lang::TensorRef scale;      // [n, groups]
    lang::TensorRef zero_point; // likewise; null: that of PackedMatmul
    std::int64_t bits = 8;
    std::int64_t group_size = 0; // 0: a row
};
std::int64_t bytes_of(const PackedWeight& weight);

// How a weight of floats is stored in few bits.
struct QuantizeKind {
    const char* name; // "int4"
    ir::DType dtype;
    std::int64_t bits;
    std::int64_t group_size;
    double largest; // number, whose scale is that of the largest magnitude of its group
    double limit;   // of the error, by default
};
const std::vector<QuantizeKind>& quantize_kinds();
const QuantizeKind* find_quantize_kind(std::string_view name); // null: there is none

struct QuantizedWeight : PackedWeight {
    // The root of the mean square of what rounding changed, over that of the weight, which is also that of the product with
    // random numbers. Not finite where the weight is not.
    double error = 0;
};
// A matrix [n, k] if it is transposed, else [k, n], of float32, float16 or bfloat16.
QuantizedWeight quantized(const lang::Tensor& weight, bool is_transposed, const QuantizeKind& kind);

// A matrix that is there as int8, uint8 or float8_e4m3, with its scales and zero points by [n, groups] (the latter may be
// empty: 0). As few bits as hold all numbers.
PackedWeight packed(const lang::Tensor& numbers, bool is_transposed, lang::TensorRef scale,
                    const std::vector<double>& zero_points, std::int64_t group_size);

// The numbers less their zero points times their scales, [n, k] of float32.
lang::TensorRef unpacked(const PackedWeight& weight, std::int64_t k);
// Of a product, all of whose operands but the first are constants.
lang::TensorRef unpacked(const Graph& graph, const Node& packed_matmul);

// It as constants of a graph, for any number of products.
struct PackedOperands {
    std::vector<ValueId> values;
    Attributes attributes;
};
PackedOperands add_packed(Graph& graph, const PackedWeight& weight, const std::string& name);

// The product becomes one with the packed matrix.
void take_place_of_matmul(PassState& state, NodeId matmul, const PackedOperands& weight, const char* rule,
                          std::string note);

} // namespace hidet::graph
