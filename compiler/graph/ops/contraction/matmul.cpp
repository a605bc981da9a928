// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// The dimensions of a product: NumPy's rule, where a vector is a row on the left and a column on the right.
struct Extents {
    Shape batch;
    Dim m; // null: the left operand is a vector
    Dim n; // null: the right operand is one
    Dim k;
    Dim k_of_b;
    bool transpose_b = false;
};

Shape batch_of(const Shape& shape) {
    return Shape(shape.begin(), shape.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(shape.size())));
}

Extents extents_of(const OpCall& call) {
    const Shape& a = call.inputs[0].shape;
    const Shape& b = call.inputs[1].shape;
    if (a.empty() || b.empty())
        throw OpError("matmul wants tensors of at least one dimension, not " + text_of(a) + " and " + text_of(b));
    Extents e;
    e.transpose_b = b.size() >= 2 && call.attributes.get<bool>("transpose_b");
    e.k = a.back();
    if (a.size() >= 2)
        e.m = a[a.size() - 2];
    if (b.size() >= 2)
        e.n = b[b.size() - (e.transpose_b ? 2 : 1)];
    e.k_of_b = b.size() == 1 || e.transpose_b ? b.back() : b[b.size() - 2];
    if (constant_of(e.k) && constant_of(e.k_of_b) && !same_dim(e.k, e.k_of_b))
        throw OpError("matmul of " + text_of(a) + " and " + text_of(b) + ": inner extents differ");
    e.batch = broadcast(batch_of(a), batch_of(b));
    return e;
}

Task define_matmul(const OpCall& call) {
    check_precision(call);
    const Extents e = extents_of(call);
    TaskBuilder builder("matmul");
    const ir::VarRef a = builder.input("a", call.inputs[0].dtype, call.inputs[0].shape);
    const ir::VarRef b = builder.input("b", call.inputs[1].dtype, call.inputs[1].shape);
    Shape shape = e.batch;
    if (e.m)
        shape.push_back(e.m);
    if (e.n)
        shape.push_back(e.n);
    const auto dtype = ir::promote(call.inputs[0].dtype, call.inputs[1].dtype);
    if (!dtype)
        throw OpError("matmul does not take " + text_of(call.inputs[0]) + " and " + text_of(call.inputs[1]));
    builder.require_equal(e.k, e.k_of_b, "matmul: inner extents differ");
    for (const TensorSpec& input : call.inputs)
        require_broadcast(builder, batch_of(input.shape), e.batch, "matmul");
    const ir::VarRef c =
        builder.reduce("c", *dtype, shape, ReduceOp::Sum, {e.k}, [&](const Indices& axes, const Indices& reduced) {
            const Indices batch(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(e.batch.size()));
            Indices left = broadcast_index(batch_of(call.inputs[0].shape), batch);
            Indices right = broadcast_index(batch_of(call.inputs[1].shape), batch);
            if (e.m)
                left.push_back(axes[e.batch.size()]);
            left.push_back(reduced[0]);
            if (e.n && e.transpose_b)
                right.push_back(axes.back());
            right.push_back(reduced[0]);
            if (e.n && !e.transpose_b)
                right.push_back(axes.back());
            const ir::DType sum = accumulator_of(*dtype);
            return ir::mul(ir::cast_to(at(a, left), sum), ir::cast_to(at(b, right), sum));
        });
    return builder.finish({c});
}

} // namespace

const OpInfo& op_info::Matmul() {
    static const OpInfo info = {
        .id = OpId::Matmul,
        .python = "matmul",
        .parameters = "a, b, transpose_b: bool = False",
        .more = "precision: str = ''",
        .cls = OpClass::Contraction,
        .summary = "the matrix product, batched over leading dimensions, which broadcast",
        .example = "hidet.ops.matmul(hidet.randn([2, 3]), hidet.randn([3, 4]))",
        .define = define_matmul,
    };
    return info;
}

} // namespace hidet::graph
