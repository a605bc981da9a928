// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "compiler/graph/ops/creation/sequence.h"
#include "compiler/graph/ops/elementwise/values.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::DType;
using ir::ExprRef;

// Start, stop or step: a number, or a dimension as a Shape of one.
ExprRef term(const OpCall& call, const char* name, std::int64_t otherwise) {
    const Attribute* found = call.attributes.find(name);
    if (!found)
        return dim(otherwise);
    if (const auto* real = std::get_if<double>(found))
        return ir::float_constant(*real, DType::F64);
    if (const auto* whole = std::get_if<std::int64_t>(found))
        return dim(*whole);
    if (const auto* shape = std::get_if<Shape>(found); shape && shape->size() == 1)
        return simplified(shape->front());
    throw OpError(std::string("arange: '") + name + "' is not a number");
}

struct Sequence {
    ExprRef start, stop, step;
    bool is_whole = true;
};

Dim length_of(const Sequence& s, TaskBuilder& builder) {
    if (!s.is_whole)
        return dim(
            sequence_length(*ir::constant_number(s.start), *ir::constant_number(s.stop), *ir::constant_number(s.step)));
    const auto step = constant_of(s.step);
    if (!step)
        throw OpError("arange wants a constant step");
    if (constant_of(s.start) && constant_of(s.stop))
        return dim(sequence_length(*constant_of(s.start), *constant_of(s.stop), *step));
    if (*step == 0)
        throw OpError("arange: the step is 0");
    const std::int64_t round = *step > 0 ? *step - 1 : *step + 1;
    const Dim span = simplified(ir::sub(s.stop, s.start));
    const Dim length = *step == 1 ? span : simplified(ir::floor_div(ir::add(span, dim(round)), s.step));
    builder.require(ir::less_equal(dim(0), length), "arange has a length below 0");
    return length;
}

Task define_arange(const OpCall& call) {
    Sequence s{term(call, "start", 0), term(call, "stop", 0), term(call, "step", 1)};
    if (!call.attributes.find("stop"))
        std::swap(s.start, s.stop);
    s.is_whole = ir::is_integer(scalar_dtype(s.start)) && ir::is_integer(scalar_dtype(s.stop)) &&
                 ir::is_integer(scalar_dtype(s.step));
    const bool is_known =
        s.is_whole || (ir::constant_number(s.start) && ir::constant_number(s.stop) && ir::constant_number(s.step));
    if (!is_known)
        throw OpError("arange wants whole numbers where one is symbolic");
    const auto dtype = call.attributes.get_or("dtype", s.is_whole ? DType::I64 : DType::F32);
    TaskBuilder builder("arange");
    const Dim length = length_of(s, builder);
    // Steps are counted and multiplied, not added up; floats in double.
    return builder.finish({builder.compute("arange", dtype, {length}, [&](const Indices& axes) {
        const ExprRef count = s.is_whole ? axes[0] : ir::cast_to(axes[0], DType::F64);
        return ir::cast_to(ir::add(s.start, ir::mul(count, s.step)), dtype);
    })});
}

} // namespace

const OpInfo& op_info::Arange() {
    static const OpInfo info = {
        .id = OpId::Arange,
        .python = "arange",
        .parameters = "start: number, stop: number = None, step: number = 1, dtype: dtype = None, device: str = 'cpu'",
        .cls = OpClass::Transform,
        .summary = "start, start + step, ... up to but not including stop, or from 0 to start without a stop; int64, "
                   "or float32 when one "
                   "of them is a float",
        .example = "hidet.ops.arange(0, 10, 2)",
        .define = define_arange,
    };
    return info;
}

} // namespace hidet::graph
