// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tolerance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

// Of a float, as a share of the greatest magnitude; 0: it is none.
double share_of(ir::DType dtype) {
    switch (dtype) {
    case ir::DType::F64: return 1e-9;
    case ir::DType::F32: return 2e-5;
    case ir::DType::F16: return 5e-3;
    case ir::DType::BF16: return 4e-2;
    default: return ir::is_float(dtype) ? 0.1 : 0;
    }
}

// A float that becomes a wide integer is an index or a count, and a bool is a decision: neither has steps.
void pass(Way& way, ir::DType result, bool reads_float) {
    way.share = std::max(way.share, share_of(result));
    const int bits = ir::info(result).bits;
    if (reads_float && !ir::is_float(result) && result != ir::DType::Bool && bits <= 16)
        way.step_bits = way.step_bits == 0 ? bits : std::min(way.step_bits, bits);
}

} // namespace

double node_tolerance(ir::DType dtype) {
    switch (dtype) {
    case ir::DType::F64: return 1e-10;
    case ir::DType::F32: return 2e-4;
    case ir::DType::F16: return 1e-2;
    case ir::DType::BF16: return 6e-2;
    default: return ir::is_float(dtype) ? 0.2 : 0;
    }
}

std::vector<double> node_tolerances(const graph::Graph& graph) {
    std::vector<double> tolerances(graph.value_slots());
    for (const graph::NodeId id : graph.topological()) {
        const graph::Node& node = graph.node(id);
        double least_precise = 0;
        for (const graph::ValueId input : node.inputs)
            if (input.valid())
                least_precise = std::max(least_precise, tolerances[input.index]);
        for (const graph::ValueId output : node.outputs)
            tolerances[output.index] = std::max(least_precise, node_tolerance(graph.value(output).spec.dtype));
    }
    return tolerances;
}

Way way_to(const graph::Graph& graph, graph::ValueId result) {
    Way way;
    std::vector<bool> seen(graph.value_slots());
    std::vector<graph::ValueId> open = {result};
    while (!open.empty()) {
        const graph::ValueId id = open.back();
        open.pop_back();
        if (seen[id.index])
            continue;
        seen[id.index] = true;
        const graph::Value& value = graph.value(id);
        if (value.is_constant() || !value.producer.valid())
            continue;
        const graph::Node& node = graph.node(value.producer);
        bool reads_float = false;
        for (const graph::ValueId input : node.inputs) {
            if (!input.valid())
                continue;
            open.push_back(input);
            reads_float |= ir::is_float(graph.value(input).spec.dtype) && !graph.value(input).is_constant();
        }
        pass(way, value.spec.dtype, reads_float);
    }
    return way;
}

Way way_to(const artifact::LaunchPlan& plan, artifact::Row result) {
    Way way;
    std::vector<bool> wanted(plan.values.size());
    wanted[result] = true;
    const auto dtype_of = [&](artifact::Row value) { return ir::find_dtype(plan.values[value].dtype); };
    for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
        bool reads_float = false, is_on_the_way = false;
        for (const artifact::Row value : step->reads)
            reads_float |= dtype_of(value) && ir::is_float(*dtype_of(value));
        for (const artifact::Row value : step->writes)
            if (wanted[value]) {
                is_on_the_way = true;
                if (const auto dtype = dtype_of(value))
                    pass(way, *dtype, reads_float);
            }
        for (const artifact::Row value : step->reads)
            wanted[value] = wanted[value] || is_on_the_way;
    }
    return way;
}

Tolerance recorded_tolerance(const lang::Tensor& recorded, const Way& way) {
    const double step = way.step_bits > 0 ? std::ldexp(1.0, 1 - way.step_bits) : 0;
    const double share = std::max(share_of(recorded.dtype), way.share);
    double greatest = 0;
    if (share + step > 0)
        for (const double number : lang::read_doubles(recorded))
            if (std::isfinite(number))
                greatest = std::max(greatest, std::fabs(number));
    if (ir::is_float(recorded.dtype))
        return {(share + step) * greatest, 10 * share};
    return {step > 0 ? std::max(1.0, step * greatest) : 0, 0};
}

} // namespace hidet::session
