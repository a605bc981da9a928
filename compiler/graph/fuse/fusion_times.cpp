// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/fusion_times.h"

#include <algorithm>

#include "compiler/graph/fuse/measure.h"
#include "compiler/perf/expression_cost.h"
#include "compiler/perf/roofs.h"

namespace hidet::graph {

std::optional<FusionTimes> fusion_times(const Graph& graph, NodeId producer, double cost, double evaluations,
                                        const artifact::TargetSpec& target) {
    double elements = 0, bytes = 0;
    for (const ValueId output : graph.node(producer).outputs) {
        const TensorSpec& spec = graph.value(output).spec;
        if (!constant_shape(spec.shape))
            return std::nullopt;
        elements += perf::estimate(spec.shape);
        bytes += perf::estimate(spec.shape) * ir::info(spec.dtype).bits / 8;
    }
    const double operations = target.peak(artifact::Arithmetic::F32) / 2; // the peak counts a multiply-add as two
    FusionTimes times{0, perf::moving_seconds(2 * bytes, target)};
    if (operations > 0)
        times.again = std::max(evaluations - elements, 0.0) * std::max(cost, 1.0) / operations;
    return times;
}

// Few threads load its tiles and wait for each other: rotations of halves and of floats took 5 ps an element on an H200.
constexpr double seconds_in_attention = 5e-12;

std::optional<FusionTimes> attention_times(const Graph& graph, NodeId producer, const artifact::TargetSpec& target) {
    auto times = fusion_times(graph, producer, 1, 0, target);
    if (!times)
        return std::nullopt;
    for (const ValueId output : graph.node(producer).outputs)
        times->again += perf::estimate(graph.value(output).spec.shape) * seconds_in_attention;
    times->kept += target.launch_seconds;
    return times;
}

std::optional<FusionTimes> fusion_times(const Graph& graph, NodeId producer, NodeId consumer,
                                        const artifact::TargetSpec& target) {
    const Node& reader = graph.node(consumer);
    const TaskMeasure reads = measure(*reader.task);
    double evaluations = 0;
    for (std::size_t i = 0; i < reader.inputs.size(); ++i)
        evaluations += graph.value(reader.inputs[i]).producer == producer ? reads.inputs[i].done : 0;
    return fusion_times(graph, producer, measure(*graph.node(producer).task).cost, evaluations, target);
}

} // namespace hidet::graph
