// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/spectrum.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Inputs: a signal [batch, length] or [batch, length, 1 or 2] and, if it is given, a window.
Task define_stft(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const bool has_window = call.inputs.size() > 1;
    const bool has_parts = x.shape.size() == 3;
    const auto parts = has_parts ? constant_of(x.shape[2]) : std::optional<std::int64_t>(1);
    if (x.shape.size() < 2 || x.shape.size() > 3 || !ir::is_float(x.dtype) || (parts != 1 && parts != 2))
        throw OpError("stft wants a signal [batch, length, 1 or 2] of floats, not " + text_of(x));
    const std::int64_t step = call.attributes.get<std::int64_t>("frame_step");
    const std::int64_t given = call.attributes.get<std::int64_t>("frame_length");
    if (step < 1 || given < 0 || (given == 0 && !has_window))
        throw OpError("stft wants a positive step, and a frame length or a window");
    const Dim length = given > 0 ? dim(given) : call.inputs[1].shape[0];
    const auto differ = [](const Dim& a, const Dim& b) { return constant_of(a) && constant_of(b) && !same_dim(a, b); };
    if (has_window && (call.inputs[1].shape.size() != 1 || differ(call.inputs[1].shape[0], length)))
        throw OpError("stft: the window " + text_of(call.inputs[1]) + " is not one for frames of " +
                      text_of(Shape{length}));
    const bool is_onesided = call.attributes.get<bool>("onesided");
    const Dim frames = simplified(ir::add(ir::floor_div(ir::sub(x.shape[1], length), dim(step)), dim(1)));
    if (const auto count = constant_of(frames); count && *count < 1)
        throw OpError("stft: the signal " + text_of(x) + " is shorter than a frame");
    TaskBuilder builder("stft");
    const ir::VarRef signal = builder.input("signal", x.dtype, x.shape);
    const ir::VarRef window =
        has_window ? builder.input("window", call.inputs[1].dtype, call.inputs[1].shape) : nullptr;
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

const OpInfo& op_info::STFT() {
    static const OpInfo info = {
        .id = OpId::STFT,
        .python = "stft",
        .parameters = "signal, frame_step: int, frame_length: int = 0, onesided: bool = True, window: tensor = None",
        .cls = OpClass::Reduction,
        .summary = "the discrete Fourier transforms of the frames of a signal",
        .example = "hidet.ops.stft(hidet.randn([1, 16, 1]), frame_step=4, frame_length=8)",
        .define = define_stft,
    };
    return info;
}

} // namespace hidet::graph
