// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/spectrum.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// A spectrum without the half that its conjugates give, back to a real signal: bins that have a conjugate count twice.
Task define_real_inverse(const TensorSpec& x, std::size_t axis, const Dim& length) {
    Shape shape = x.shape;
    shape[axis] = length;
    shape.back() = dim(1);
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("dft");
    const ir::VarRef spectrum = builder.input("x", x.dtype, x.shape);
    const Dim terms = simplified(min_index(bins_of(length, true), x.shape[axis]));
    const ir::VarRef y =
        builder.reduce("y", x.dtype, shape, ReduceOp::Sum, {terms}, [&](const Indices& axes, const Indices& over) {
            const auto part = [&](std::int64_t which) {
                Indices index = axes;
                index[axis] = over[0];
                index.back() = dim(which);
                return ir::cast_to(at(spectrum, index), work);
            };
            const Expr is_alone =
                ir::logical_or(ir::equal(over[0], dim(0)), ir::equal(ir::mul(over[0], dim(2)), length));
            return ir::mul(ir::select(is_alone, number(1, work), number(2, work)),
                           spectrum_term(part(0), part(1), over[0], axes[axis], length, dim(0), true));
        });
    return builder.finish({y});
}

// The last dimension has the real part and, if there are two elements, the imaginary one.
Task define_dft(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const auto parts = x.shape.empty() ? std::nullopt : constant_of(x.shape.back());
    if (x.shape.size() < 2 || !ir::is_float(x.dtype) || (parts != 1 && parts != 2))
        throw OpError("dft wants floats whose last dimension is 1 or 2, not " + text_of(x));
    const auto axis =
        static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), x.shape.size(), "axis"));
    if (axis + 1 == x.shape.size())
        throw OpError("dft cannot transform the dimension of real and imaginary parts");
    const bool is_inverse = call.attributes.get<bool>("inverse");
    const bool is_onesided = call.attributes.get<bool>("onesided");
    const Shape given = call.attributes.get<Shape>("dft_length");
    if (is_inverse && is_onesided) {
        if (parts != 2)
            throw OpError("dft back to a real signal wants complex numbers, not " + text_of(x));
        const Dim whole = simplified(ir::mul(ir::sub(x.shape[axis], dim(1)), dim(2)));
        return define_real_inverse(x, axis, given.empty() ? whole : given[0]);
    }
    const Dim length = given.empty() ? x.shape[axis] : given[0];
    Shape shape = x.shape;
    shape[axis] = bins_of(length, is_onesided);
    shape.back() = dim(2);
    TaskBuilder builder("dft");
    const ir::VarRef signal = builder.input("x", x.dtype, x.shape);
    // What is longer than the transform is cut off, what is shorter has zeros at its end.
    const Dim terms = same_dim(length, x.shape[axis]) ? length : simplified(min_index(length, x.shape[axis]));
    const ir::VarRef y =
        builder.reduce("y", x.dtype, shape, ReduceOp::Sum, {terms}, [&](const Indices& axes, const Indices& over) {
            const auto part = [&](std::int64_t which) {
                Indices index = axes;
                index[axis] = over[0];
                index.back() = dim(which);
                return ir::cast_to(at(signal, index), spectrum_type);
            };
            return spectrum_term(part(0), parts == 2 ? part(1) : nullptr, over[0], axes[axis], length, axes.back(),
                                 is_inverse);
        });
    builder.task().stages.back().reduction->accumulate = spectrum_type;
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::DFT() {
    static const OpInfo info = {
        .id = OpId::DFT,
        .python = "dft",
        .parameters = "x, axis: int = -2, inverse: bool = False, onesided: bool = False, dft_length: shape = []",
        .cls = OpClass::Reduction,
        .summary = "the discrete Fourier transform along `axis`; the last dimension has real and imaginary parts; "
                   "`onesided` is the half that says all of a real signal",
        .example = "hidet.ops.dft(hidet.randn([1, 8, 1]), axis=1)",
        .define = define_dft,
    };
    return info;
}

} // namespace hidet::graph
