// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/values.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_linspace(const OpCall& call) {
    const double start = number_attribute(call.attributes, "start");
    const double stop = number_attribute(call.attributes, "stop");
    const auto count = call.attributes.get<std::int64_t>("num");
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    if (count < 0)
        throw OpError("linspace of " + std::to_string(count) + " numbers");
    const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
    const auto f64 = [](double value) { return ir::float_constant(value, ir::DType::F64); };
    TaskBuilder builder("linspace");
    return builder.finish({builder.compute("linspace", dtype, {dim(count)}, [&](const Indices& axes) {
        const ir::ExprRef place = ir::mul(ir::cast_to(axes[0], ir::DType::F64), f64(step));
        const ir::ExprRef value = ir::add(f64(start), place);
        // The last one is stop, however the step was rounded.
        return count > 1 ? ir::cast_to(ir::select(ir::equal(axes[0], dim(count - 1)), f64(stop), value), dtype)
                         : ir::cast_to(f64(start), dtype);
    })});
}

} // namespace

const OpInfo& op_info::LinSpace() {
    static const OpInfo info = {
        .id = OpId::LinSpace,
        .python = "linspace",
        .parameters = "start: number, stop: number, num: int, dtype: dtype = 'float32', device: str = 'cpu'",
        .cls = OpClass::Transform,
        .summary = "`num` numbers at equal distances from start to stop, both included",
        .example = "hidet.ops.linspace(0.0, 1.0, 5)",
        .define = define_linspace,
    };
    return info;
}

} // namespace hidet::graph
