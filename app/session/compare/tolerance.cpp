// SPDX-License-Identifier: Apache-2.0
#include "app/session/compare/tolerance.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "compiler/graph/core/product_precision.h"
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

// Factors have as many digits as those of half precision, but nothing else is rounded to them.
constexpr double share_of_tf32 = 2e-3, node_tf32 = 5e-3;

// Of a product whose matrix was given few bits, which the reference does not know. What a file has in few bits is exact.
double share_of_few_bits(const graph::Node& node) {
    if (node.rule != "quantize-weights")
        return 0;
    return node.get<std::int64_t>("bits") < 8 ? 0.3 : 0.1;
}

// The bits of what a float is quantised to; 0: it is not. A float that becomes a wide integer is an index or a count, and a
// bool is a decision: neither has steps.
int steps_of(ir::DType result) {
    const int bits = ir::info(result).bits;
    return !ir::is_float(result) && result != ir::DType::Bool && bits <= 16 ? bits : 0;
}
int coarser(int a, int b) {
    return a == 0 || b == 0 ? a + b : std::min(a, b);
}

void pass(Way& way, ir::DType result, bool reads_float) {
    way.share = std::max(way.share, share_of(result));
    if (reads_float)
        way.step_bits = coarser(way.step_bits, steps_of(result));
}

} // namespace

double greatest_magnitude(const lang::Doubles& numbers) {
    double greatest = 0;
    for (const double number : numbers)
        if (std::isfinite(number))
            greatest = std::max(greatest, std::fabs(number));
    return greatest;
}

double node_tolerance(ir::DType dtype) {
    switch (dtype) {
    case ir::DType::F64: return 1e-10;
    case ir::DType::F32: return 2e-4;
    case ir::DType::F16: return 1e-2;
    case ir::DType::BF16: return 6e-2;
    default: return ir::is_float(dtype) ? 0.2 : 0;
    }
}

double NodeTolerance::of(ir::DType dtype, double greatest) const {
    const double step = step_bits > 0 ? std::ldexp(1.0, 1 - step_bits) : 0;
    const double whole_step = is_in_steps && greatest > 0 ? 1 / greatest : 0;
    return std::max((ir::is_float(dtype) ? share : 0) + step, whole_step);
}

namespace {

// What rounds floats to steps, and what is done with steps before they become integers.
bool counts_steps(const graph::Graph& graph, const graph::Node& node, bool reads_steps) {
    using graph::OpId;
    const bool is_real = ir::is_float(graph.value(node.outputs[0]).spec.dtype);
    return is_real && (node.is(OpId::Round) ||
                       (reads_steps && graph::is_any_of(node.op->id, {OpId::Add, OpId::AddScalar, OpId::Subtract,
                                                                      OpId::SubScalar, OpId::Clip, OpId::Clamp})));
}

} // namespace

std::vector<NodeTolerance> node_tolerances(const graph::Graph& graph) {
    std::vector<NodeTolerance> tolerances(graph.value_slots());
    for (const graph::NodeId id : graph.topological()) {
        const graph::Node& node = graph.node(id);
        NodeTolerance before;
        bool reads_float = false;
        for (const graph::ValueId input : node.inputs) {
            if (!input.valid())
                continue;
            const NodeTolerance& each = tolerances[input.index];
            before.share = std::max(before.share, each.share);
            before.step_bits = coarser(before.step_bits, each.step_bits);
            before.is_in_steps |= each.is_in_steps;
            reads_float |= ir::is_float(graph.value(input).spec.dtype) && !graph.value(input).is_constant();
        }
        for (const graph::ValueId output : node.outputs) {
            const ir::DType dtype = graph.value(output).spec.dtype;
            NodeTolerance& made = tolerances[output.index];
            made.share = std::max({before.share, node_tolerance(dtype), graph::permits_tf32(node) ? node_tf32 : 0,
                                   share_of_few_bits(node)});
            made.step_bits = coarser(before.step_bits, reads_float ? steps_of(dtype) : 0);
            made.is_in_steps = ir::is_float(dtype) ? counts_steps(graph, node, before.is_in_steps) : made.step_bits > 0;
        }
    }
    return tolerances;
}

namespace {

bool reads_floats(const graph::Graph& graph, const graph::Node& node) {
    return std::ranges::any_of(node.inputs, [&](graph::ValueId input) {
        return input.valid() && ir::is_float(graph.value(input).spec.dtype) && !graph.value(input).is_constant();
    });
}

// By node: it is on the way.
std::vector<bool> follow(const graph::Graph& graph, graph::ValueId result, Way& way) {
    std::vector<bool> nodes(graph.node_slots());
    std::vector<bool> seen(graph.value_slots());
    std::vector<graph::ValueId> open = {result};
    while (!open.empty()) {
        const graph::ValueId id = open.back();
        open.pop_back();
        const graph::Value& value = graph.value(id);
        if (seen[id.index] || value.is_constant() || !value.producer.valid())
            continue;
        seen[id.index] = nodes[value.producer.index] = true;
        const graph::Node& node = graph.node(value.producer);
        std::ranges::copy_if(node.inputs, std::back_inserter(open), [](graph::ValueId input) { return input.valid(); });
        pass(way, value.spec.dtype, reads_floats(graph, node));
        if (graph::permits_tf32(node))
            way.share = std::max(way.share, share_of_tf32);
        way.share = std::max(way.share, share_of_few_bits(node));
    }
    return nodes;
}

// All of a branch or a loop is on the way to what comes out of it.
void pass_bodies(Way& way, const graph::Plan& plan, const artifact::PlanStep& step) {
    for (const artifact::Row row : step.bodies) {
        if (const graph::Graph* body = plan.bodies[row].graph.get())
            for (const graph::NodeId id : body->topological())
                for (const graph::ValueId output : body->node(id).outputs)
                    pass(way, body->value(output).spec.dtype, reads_floats(*body, body->node(id)));
        for (const artifact::PlanStep& inner : plan.launch.bodies[row].steps)
            pass_bodies(way, plan, inner);
    }
}

} // namespace

Way way_to(const graph::Graph& graph, graph::ValueId result) {
    Way way;
    follow(graph, result, way);
    return way;
}

Way way_to(const graph::CompiledGraph& compiled, graph::ValueId result) {
    Way way;
    const std::vector<bool> nodes = follow(compiled.graph, result, way);
    for (std::size_t i = 0; i < compiled.plan.sources.size(); ++i)
        if (nodes[compiled.plan.sources[i].node.index])
            pass_bodies(way, compiled.plan, compiled.plan.launch.steps[i]);
    return way;
}

namespace {

bool reads_floats(const artifact::PlanBody& body, const artifact::PlanStep& step) {
    return std::ranges::any_of(step.reads, [&](artifact::Row value) {
        const auto dtype = ir::find_dtype(body.values[value].dtype);
        return dtype && ir::is_float(*dtype);
    });
}

void pass(Way& way, const artifact::PlanBody& body, const artifact::PlanStep& step, artifact::Row result) {
    if (const auto dtype = ir::find_dtype(body.values[result].dtype))
        pass(way, *dtype, reads_floats(body, step));
}

void pass_bodies(Way& way, const artifact::LaunchPlan& plan, const artifact::PlanStep& step) {
    for (const artifact::Row row : step.bodies) {
        const artifact::PlanBody& body = plan.bodies[row];
        for (const artifact::PlanStep& inner : body.steps) {
            for (const artifact::Row value : inner.writes)
                pass(way, body, inner, value);
            pass_bodies(way, plan, inner);
        }
    }
}

} // namespace

Way way_to(const artifact::LaunchPlan& plan, artifact::Row result) {
    Way way;
    std::vector<bool> wanted(plan.values.size());
    wanted[result] = true;
    for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
        bool is_on_the_way = false;
        for (const artifact::Row value : step->writes)
            if (wanted[value]) {
                is_on_the_way = true;
                pass(way, plan, *step, value);
            }
        if (is_on_the_way)
            pass_bodies(way, plan, *step);
        for (const artifact::Row value : step->reads)
            wanted[value] = wanted[value] || is_on_the_way;
    }
    return way;
}

Tolerance recorded_tolerance(const lang::Tensor& recorded, const Way& way) {
    const double step = way.step_bits > 0 ? std::ldexp(1.0, 1 - way.step_bits) : 0;
    const double share = std::max(share_of(recorded.dtype), way.share);
    const double greatest = share + step > 0 ? greatest_magnitude(lang::read_doubles(recorded)) : 0;
    if (ir::is_float(recorded.dtype))
        return {(share + step) * greatest, 10 * share};
    return {step > 0 ? std::max(1.0, step * greatest) : 0, 0};
}

} // namespace hidet::session
