// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms as sums.
#include <numbers>

#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Terms cancel, and an angle that is rounded to f32 is off by more than what is left of them.
constexpr ir::DType spectrum_type = ir::DType::F64;

// Term n of bin k of a transform of `length`: the real part when `part` is 0, the imaginary one when it is 1. The value is
// `real` + i `imaginary` (null: none), both of `spectrum_type`.
Expr spectrum_term(const Expr& real, const Expr& imaginary, const Expr& n, const Expr& k, const Dim& length,
                   const Expr& part, bool is_inverse) {
    // The angle is one of a full turn, whatever n and k are: the remainder is taken in integers.
    const Expr steps = ir::cast_to(ir::floor_mod(ir::mul(n, k), length), spectrum_type);
    const double turn = (is_inverse ? 2 : -2) * std::numbers::pi;
    const Expr angle = ir::div(ir::mul(steps, number(turn, spectrum_type)), ir::cast_to(length, spectrum_type));
    const Expr is_real = ir::equal(part, dim(0));
    const Expr cosine = cos_of(angle);
    const Expr sine = sin_of(angle);
    Expr value = ir::mul(real, ir::select(is_real, cosine, sine));
    if (imaginary)
        value = ir::add(value, ir::mul(imaginary, ir::select(is_real, ir::negate(sine), cosine)));
    return is_inverse ? ir::div(value, ir::cast_to(length, spectrum_type)) : value;
}

Dim bins_of(const Dim& length, bool is_onesided) {
    return is_onesided ? simplified(ir::add(ir::floor_div(length, dim(2)), dim(1))) : length;
}

// The real part (0) or the imaginary one (1) of an element along an axis.
Expr part_of(const ir::VarRef& numbers, Indices index, std::size_t axis, const Expr& place, std::int64_t which,
             ir::DType work) {
    index[axis] = place;
    index.back() = dim(which);
    return ir::cast_to(at(numbers, index), work);
}

// A spectrum without the half that its conjugates give, back to a real signal: bins that have a conjugate count twice.
Task define_real_inverse(const TensorSpec& x, std::size_t axis, const Dim& length) {
    Shape shape = x.shape;
    shape[axis] = length;
    shape.back() = dim(1);
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("dft");
    const ir::VarRef spectrum = builder.input("x", x);
    const Dim terms = simplified(min_index(bins_of(length, true), x.shape[axis]));
    return builder.finish(
        {builder.reduce("y", x.dtype, shape, ReduceOp::Sum, {terms}, [&](const Indices& axes, const Indices& over) {
            const auto part = [&](std::int64_t which) { return part_of(spectrum, axes, axis, over[0], which, work); };
            const Expr is_alone =
                ir::logical_or(ir::equal(over[0], dim(0)), ir::equal(ir::mul(over[0], dim(2)), length));
            return ir::mul(ir::select(is_alone, number(1, work), number(2, work)),
                           spectrum_term(part(0), part(1), over[0], axes[axis], length, dim(0), true));
        })});
}

// The last dimension has the real part and, if there are two elements, the imaginary one.
Task define_dft(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const auto parts = x.shape.empty() ? std::nullopt : constant_of(x.shape.back());
    if (x.shape.size() < 2 || !ir::is_float(x.dtype) || (parts != 1 && parts != 2))
        throw OpError("dft wants floats whose last dimension is 1 or 2, not ", text_of(x));
    const std::size_t axis = axis_attribute(call, "axis", x.shape.size());
    if (axis + 1 == x.shape.size())
        throw OpError("dft cannot transform the dimension of real and imaginary parts");
    const bool is_inverse = call.attributes.get<bool>("inverse");
    const bool is_onesided = call.attributes.get<bool>("onesided");
    const Shape given = call.attributes.get<Shape>("dft_length");
    if (is_inverse && is_onesided) {
        if (parts != 2)
            throw OpError("dft back to a real signal wants complex numbers, not ", text_of(x));
        const Dim whole = simplified(ir::mul(ir::sub(x.shape[axis], dim(1)), dim(2)));
        return define_real_inverse(x, axis, given.empty() ? whole : given[0]);
    }
    const Dim length = given.empty() ? x.shape[axis] : given[0];
    Shape shape = x.shape;
    shape[axis] = bins_of(length, is_onesided);
    shape.back() = dim(2);
    TaskBuilder builder("dft");
    const ir::VarRef signal = builder.input("x", x);
    // What is longer than the transform is cut off, what is shorter has zeros at its end.
    const Dim terms = same_dim(length, x.shape[axis]) ? length : simplified(min_index(length, x.shape[axis]));
    const ir::VarRef y =
        builder.reduce("y", x.dtype, shape, ReduceOp::Sum, {terms}, [&](const Indices& axes, const Indices& over) {
            const auto part = [&](std::int64_t which) {
                return part_of(signal, axes, axis, over[0], which, spectrum_type);
            };
            return spectrum_term(part(0), parts == 2 ? part(1) : nullptr, over[0], axes[axis], length, axes.back(),
                                 is_inverse);
        });
    builder.task().stages.back().reduction->accumulate = spectrum_type;
    return builder.finish({y});
}

// Inputs: a signal [batch, length] or [batch, length, 1 or 2] and, if it is given, a window.
Task define_stft(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const bool has_window = call.inputs.size() > 1;
    const bool has_parts = x.shape.size() == 3;
    const auto parts = has_parts ? constant_of(x.shape[2]) : std::optional<std::int64_t>(1);
    if (x.shape.size() < 2 || x.shape.size() > 3 || !ir::is_float(x.dtype) || (parts != 1 && parts != 2))
        throw OpError("stft wants a signal [batch, length, 1 or 2] of floats, not ", text_of(x));
    const std::int64_t step = call.attributes.get<std::int64_t>("frame_step");
    const std::int64_t given = call.attributes.get<std::int64_t>("frame_length");
    if (step < 1 || given < 0 || (given == 0 && !has_window))
        throw OpError("stft wants a positive step, and a frame length or a window");
    const Dim length = given > 0 ? dim(given) : call.inputs[1].shape[0];
    if (has_window && (call.inputs[1].shape.size() != 1 || differ(call.inputs[1].shape[0], length)))
        throw OpError("stft: the window ", text_of(call.inputs[1]), " is not one for frames of ",
                      text_of(Shape{length}));
    const bool is_onesided = call.attributes.get<bool>("onesided");
    const Dim frames = simplified(ir::add(ir::floor_div(ir::sub(x.shape[1], length), dim(step)), dim(1)));
    if (const auto count = constant_of(frames); count && *count < 1)
        throw OpError("stft: the signal ", text_of(x), " is shorter than a frame");
    TaskBuilder builder("stft");
    const ir::VarRef signal = builder.input("signal", x);
    const ir::VarRef window = has_window ? builder.input("window", call.inputs[1]) : nullptr;
    const ir::VarRef y = builder.reduce(
        "y", x.dtype, {x.shape[0], frames, bins_of(length, is_onesided), dim(2)}, ReduceOp::Sum, {length},
        [&](const Indices& axes, const Indices& over) {
            const auto part = [&](std::int64_t which) {
                Indices index = {axes[0], ir::add(ir::mul(axes[1], dim(step)), over[0])};
                if (has_parts)
                    index.push_back(dim(which));
                const Expr value = ir::cast_to(at(signal, index), spectrum_type);
                return window ? ir::mul(value, ir::cast_to(at(window, {over[0]}), spectrum_type)) : value;
            };
            return spectrum_term(part(0), parts == 2 ? part(1) : nullptr, over[0], axes[2], length, axes[3], false);
        });
    builder.task().stages.back().reduction->accumulate = spectrum_type;
    return builder.finish({y});
}

} // namespace

std::span<const OpInfo> op_tables::spectrum() {
    static const OpInfo table[] = {
        {OpId::DFT, "dft", "x, axis: int = -2, inverse: bool = False, onesided: bool = False, dft_length: shape = []",
         OpClass::Reduction,
         "the discrete Fourier transform along `axis`; the last dimension has real and imaginary parts; `onesided` is "
         "the half that says all of a real signal",
         "hidet.ops.dft(hidet.randn([1, 8, 1]), axis=1)", define_dft},
        {OpId::STFT, "stft",
         "signal, frame_step: int, frame_length: int = 0, onesided: bool = True, window: tensor = None",
         OpClass::Reduction, "the discrete Fourier transforms of the frames of a signal",
         "hidet.ops.stft(hidet.randn([1, 16, 1]), frame_step=4, frame_length=8)", define_stft},
    };
    return table;
}

} // namespace hidet::graph
