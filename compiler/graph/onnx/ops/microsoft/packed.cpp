// SPDX-License-Identifier: Apache-2.0
// Weights of two, four or eight bits in blocks, each of which has a scale and a zero point of its own.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"
#include "compiler/graph/onnx/ops/quantised.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

using ir::DType;

std::int64_t bits_of(const NodeCall& node) {
    const std::int64_t bits = node.i("bits", 4);
    if (bits != 2 && bits != 4 && bits != 8)
        throw OpError("bits ", bits, " is not supported; 2, 4 and 8 are");
    return bits;
}

std::int64_t checked_block(std::int64_t block) {
    if (block < 16 || block > 1 << 20 || (block & (block - 1)) != 0)
        throw OpError("block_size ", block, " is not a power of two from 16 on");
    return block;
}

// The numbers in the bytes of the last dimension, lowest bits first.
Val unpacked(NodeCall& node, const Val& bytes, std::int64_t bits) {
    if (bytes->spec.dtype != DType::U8 || bytes->spec.shape.empty())
        throw OpError("packed numbers are ", text_of(bytes->spec), ", not bytes");
    if (bits == 8)
        return bytes;
    const std::int64_t each = 8 / bits;
    const lang::TensorRef shifts = make_tensor(DType::U8, {each});
    for (std::int64_t k = 0; k < each; ++k)
        shifts->data()[k] = static_cast<std::byte>(k * bits);
    const Val shifted = node.add(OpId::RightShift, {node.unsqueeze(bytes, {-1}), node.builder().constant(shifts)});
    const Val mask = node.scalar(DType::U8, static_cast<double>((1 << bits) - 1));
    Shape shape = bytes->spec.shape;
    shape.back() = simplified(ir::mul(shape.back(), dim(each)));
    return node.reshape(node.add(OpId::BitwiseAnd, {shifted, mask}), shape);
}

// Of [rows, blocks]: what the file has as a list as well.
Val of_blocks(NodeCall& node, const Val& x, std::int64_t rows, std::int64_t columns, const char* name) {
    const auto count = constant_of(element_count(x->spec.shape));
    if (!count || *count != rows * columns)
        throw OpError("the ", name, " are of shape ", text_of(x->spec.shape), ", not [", rows, ", ", columns, "]");
    return node.reshape(x, {dim(rows), dim(columns)});
}

// Packed as the weights are, or floats. As floats, of which each holds every number of a byte.
Val zero_points(NodeCall& node, std::int64_t rows, std::int64_t blocks, std::int64_t bits) {
    if (ir::is_float(node.dtype(3)))
        return of_blocks(node, node.in(3), rows, blocks, "zero points");
    const std::int64_t bytes = (blocks * bits + 7) / 8;
    const Val all = unpacked(node, of_blocks(node, node.in(3), rows, bytes, "zero points"), bits);
    return node.cast(node.slice(all, 1, dim(0), dim(blocks)), node.dtype(0));
}

} // namespace

// Operands: a, the packed transposed weight [N, blocks, bytes], scales, zero points, g_idx, a bias.
Vals matmul_nbits(NodeCall& node) {
    refuse_input(node, 4, "g_idx");
    refuse_attribute(node, "weight_prepacked");
    const std::int64_t bits = bits_of(node);
    const std::int64_t block = checked_block(node.i("block_size"));
    const std::int64_t n = node.i("N");
    const std::int64_t k = node.i("K");
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (n < 1 || k < 1 || n > most || k > most)
        throw OpError("N ", n, " and K ", k, " make no matrix");
    const std::int64_t blocks = (k + block - 1) / block;
    const std::int64_t bytes = block * bits / 8;
    const auto have = constant_of(element_count(node.shape(1)));
    if (!have || *have / blocks / bytes != n || *have % (blocks * bytes) != 0)
        throw OpError("the weight is of shape ", text_of(node.shape(1)), ", not ",
                      text_of(Shape{dim(n), dim(blocks), dim(bytes)}));
    if (node.rank(0) == 0 || differ(node.shape(0).back(), dim(k)))
        throw OpError("A is of shape ", text_of(node.shape(0)), ", and K is ", k);
    Vals inputs = {node.in(0), node.reshape(node.in(1), {dim(n), dim(blocks * bytes)}),
                   of_blocks(node, node.in(2), n, blocks, "scales")};
    if (node.has(3))
        inputs.push_back(zero_points(node, n, blocks, bits));
    const Val y = node.add(OpId::PackedMatmul, inputs, {{"bits", bits}, {"group_size", block}});
    return {biased(node, y, node.optional_in(5))};
}

// Rows of a table whose numbers have a scale for each block. Operands: the table, indices, scales, zero points.
Vals gather_block_quantized(NodeCall& node) {
    const bool is_packed = node.in(0)->elem_type != Int4 && node.in(0)->elem_type != Uint4;
    const std::int64_t bits = bits_of(node);
    const std::int64_t block = checked_block(node.i("block_size", 128));
    const std::size_t rank = node.rank();
    const std::int64_t at = normalise_axis(node.i("gather_axis", 0), rank, "gather_axis");
    const std::int64_t along = normalise_axis(node.i("quantize_axis", 1), rank, "quantize_axis");
    if (at == along)
        throw OpError("gather_axis and quantize_axis are both ", at);
    if (is_packed && (node.dtype() != DType::U8 || (bits != 8 && at == static_cast<std::int64_t>(rank) - 1)))
        throw OpError("a table of ", text_of(node.in()->spec), " is not supported");
    node.check_indices(1, node.shape()[static_cast<std::size_t>(at)]);
    const auto taken = [&](std::size_t i) {
        if (node.rank(i) != rank)
            throw OpError("input ", i, " is of shape ", text_of(node.shape(i)), " for a table of ",
                          text_of(node.shape()));
        return node.add(OpId::Take, {node.in(i), node.in(1)}, {{"axis", at}});
    };
    const auto numbers = [&](std::size_t i) { return is_packed ? unpacked(node, taken(i), bits) : taken(i); };
    const Val table = node.cast(numbers(0), DType::F32);
    const std::int64_t axis = along > at ? along + static_cast<std::int64_t>(node.rank(1)) - 1 : along;
    const auto spread = [&](const Val& x) {
        return aligned_parameter(node, node.cast(x, DType::F32), table, axis, block);
    };
    Val zero = node.scalar(DType::F32, is_packed ? static_cast<double>(1 << (bits - 1)) : 0);
    if (node.has(3))
        zero = spread(numbers(3));
    const Val moved = node.add(OpId::Subtract, {table, zero});
    return {node.cast(node.add(OpId::Multiply, {moved, spread(taken(2))}), node.dtype(2))};
}

} // namespace hidet::graph::onnx
