// SPDX-License-Identifier: Apache-2.0
// Control flow. What is decided by constants is taken or unrolled here; the rest is left to the host (host_control.cpp).
#include "compiler/graph/onnx/control.h"

#include <algorithm>
#include <limits>

#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/onnx/operands.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

std::string inner_prefix(const NodeCall& call, const Scope& scope, const std::string& what) {
    const Node& node = call.node();
    const std::string name = !node.name.empty() ? node.name : !node.outputs.empty() ? node.outputs[0] : node.op_type;
    return scope.prefix() + name + "/" + what;
}

Vals run_body(Importer& importer, const GraphDef& body, const Vals& inputs, const Scope& outer, std::string prefix,
              const Opsets& opsets) {
    if (body.inputs.size() != inputs.size())
        throw OpError("the body has ", body.inputs.size(), " inputs, not ", inputs.size());
    Scope scope(&outer, std::move(prefix));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        check_declared(body.inputs[i], inputs[i], "what the body takes as");
        scope.set(body.inputs[i].name, inputs[i]);
    }
    return importer.read(body, scope, opsets);
}

namespace {

constexpr std::int64_t most_repeats = 20'000;  // of a scan with a batch
constexpr std::int64_t most_unrolled = 20'000; // nodes of a loop or scan; a longer one stays one
constexpr std::int64_t most_tried = 4'000;     // of one whose condition alone says when it ends

std::optional<bool> truth_of(const Val& value) {
    if (!value)
        return true;
    if (value->items)
        return std::nullopt;
    if (value->spec.dtype != ir::DType::Bool)
        throw OpError("the condition is of ", ir::info(value->spec.dtype).name, ", not bool");
    const std::optional<Contents> contents = contents_of(value);
    if (!contents || contents->elements.size() != 1)
        return std::nullopt;
    const auto known = ir::constant_int(contents->elements[0]);
    return known ? std::optional(*known != 0) : std::nullopt;
}

std::optional<std::int64_t> count_of(const Val& value) {
    if (!value)
        return std::numeric_limits<std::int64_t>::max();
    const std::optional<Contents> contents = contents_of(value);
    if (!contents || contents->elements.size() != 1)
        return std::nullopt;
    return constant_of(contents->elements[0]);
}

Val stacked(NodeCall& call, const Vals& values, std::int64_t axis) {
    Vals parts;
    for (const Val& each : values) {
        if (!each || each->items)
            throw OpError("a loop collects what is not a tensor");
        parts.push_back(call.unsqueeze(each, {axis}));
    }
    return parts.size() == 1 ? parts[0] : call.add(OpId::Concat, parts, {{"axis", axis}});
}

// The result of a loop that never ran, from what the body says of the type.
Val none_of(NodeCall& call, const ValueInfo& info, std::int64_t axis) {
    const std::optional<ir::DType> dtype = dtype_of(info.elem_type);
    if (!dtype)
        throw OpError("a loop that never runs says nothing of the type of '", info.name, "'");
    Shape shape =
        transformed(info.shape, [&](const Dimension& each) { return dim(std::max<std::int64_t>(each.value, 0)); });
    shape.insert(shape.begin() + normalise_axis(axis, shape.size() + 1, "axis"), dim(0));
    return call.full(shape, 0, *dtype);
}

Vals convert_if(Importer& importer, NodeCall& call, Scope& scope, const Opsets& opsets) {
    const GraphDef& then_branch = body_of(call, "then_branch");
    const GraphDef& else_branch = body_of(call, "else_branch");
    const std::optional<bool> condition = truth_of(call.in());
    if (!condition)
        return host_if(importer, call, then_branch, else_branch, scope, opsets);
    return run_body(importer, *condition ? then_branch : else_branch, {}, scope, inner_prefix(call, scope, ""), opsets);
}

struct LoopRun {
    Vals carried;
    std::vector<Vals> scanned;
};

// Nothing when a condition is not known, or a loop without a number of trips goes on after `trips`.
std::optional<Vals> unrolled_loop(Importer& importer, NodeCall& call, const GraphDef& body, Scope& scope,
                                  const Opsets& opsets, std::int64_t trips, bool is_counted) {
    const std::size_t carried = call.count() - 2;
    Vals values(call.inputs().begin() + 2, call.inputs().end());
    std::vector<Vals> scanned(body.outputs.size() - 1 - carried);
    Val condition = call.builder().constant(make_scalar(ir::DType::Bool, 1));
    for (std::int64_t i = 0; i < trips; ++i) {
        Vals inputs = {call.builder().constant(make_int(i)), condition};
        inputs.insert(inputs.end(), values.begin(), values.end());
        const Vals results =
            run_body(importer, body, inputs, scope, inner_prefix(call, scope, std::to_string(i) + "/"), opsets);
        values.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
        for (std::size_t k = 0; k < scanned.size(); ++k)
            scanned[k].push_back(results[1 + carried + k]);
        const std::optional<bool> goes_on = truth_of(results[0]);
        if (!goes_on)
            return std::nullopt;
        if (!*goes_on)
            break;
        if (!is_counted && i + 1 == trips)
            return std::nullopt;
    }
    for (std::size_t k = 0; k < scanned.size(); ++k)
        values.push_back(scanned[k].empty() ? none_of(call, body.outputs[1 + carried + k], 0)
                                            : stacked(call, scanned[k], 0));
    return values;
}

// Whether the body hands on the condition that it gets, so that only the count ends the loop.
bool keeps_condition(const GraphDef& body) {
    const std::string& in = body.inputs[1].name;
    const std::string& out = body.outputs[0].name;
    return out == in || std::ranges::any_of(body.nodes, [&](const Node& node) {
               return node.op_type == "Identity" && node.inputs == std::vector{in} && node.outputs == std::vector{out};
           });
}

Vals convert_loop(Importer& importer, NodeCall& call, Scope& scope, const Opsets& opsets) {
    const GraphDef& body = body_of(call, "body");
    if (call.count() < 2 || body.inputs.size() != call.count() || body.outputs.size() < call.count() - 1)
        throw OpError("the body does not fit to the loop");
    std::optional<std::int64_t> trips = count_of(call.optional_in(0));
    const std::optional<bool> starts = truth_of(call.optional_in(1));
    const auto nodes = static_cast<std::int64_t>(body.nodes.size()) + 1;
    if (trips && *trips > artifact::most_trips && starts && *starts && keeps_condition(body))
        throw OpError(call.has(0) ? "the loop runs " + std::to_string(*trips) + " times; at most " +
                                        std::to_string(artifact::most_trips) + " are supported"
                                  : "the loop never ends");
    const bool is_counted = trips && *trips < std::numeric_limits<std::int64_t>::max();
    if (trips && !is_counted)
        trips = std::max<std::int64_t>(most_tried / nodes, 1);
    if (trips && starts && (!*starts || *trips <= most_unrolled / nodes)) {
        std::optional<Vals> results =
            unrolled_loop(importer, call, body, scope, opsets, *starts ? *trips : 0, is_counted);
        if (results)
            return *results;
    }
    return host_loop(importer, call, body, scope, opsets);
}

// ---- Scan ---------------------------------------------------------------------------------------------------------

std::int64_t axis_in(const Val& scanned, std::int64_t axis) {
    return normalise_axis(axis, scanned->spec.shape.size(), "axis");
}
const Dim& extent_along(const Val& scanned, std::int64_t axis) {
    return scanned->spec.shape[static_cast<std::size_t>(axis_in(scanned, axis))];
}

struct ScanAxes {
    Ints inputs;
    Ints outputs;
    Ints input_directions;
    Ints output_directions;
};

// A scan over what has a length that is not known is a loop that takes a part of each operand in turn.
Vals scan_as_loop(Importer& importer, NodeCall& call, const GraphDef& body, const Vals& state, const Vals& scanned,
                  const ScanAxes& axes, const Scope& outer, const Opsets& opsets) {
    const std::string own = inner_prefix(call, outer, "scan");
    const auto named = [&](const std::string& what) { return own + "." + what; };
    const auto integer = [&](const Dim& value) {
        return call.builder().contents(ir::DType::I64, {{}, {simplified(value)}});
    };
    const Dim length = extent_along(scanned[0], axes.inputs[0]);
    Scope scope(&outer, outer.prefix());
    scope.set(named("last"), integer(ir::sub(length, dim(1))));
    GraphDef loop;
    loop.name = body.name;
    loop.initializers = body.initializers;
    loop.inputs = {{named("i"), "tensor", Int64, true, {}}, {named("goes_on"), "tensor", Bool, true, {}}};
    loop.inputs.insert(loop.inputs.end(), body.inputs.begin(),
                       body.inputs.begin() + static_cast<std::ptrdiff_t>(state.size()));
    const auto add = [&](const char* op, std::vector<std::string> inputs, const std::string& output) {
        Node& node = loop.nodes.emplace_back();
        node.op_type = op;
        node.inputs = std::move(inputs);
        node.outputs = {output};
        return &node;
    };
    add("Identity", {named("goes_on")}, named("goes_on_after"));
    add("Sub", {named("last"), named("i")}, named("from_end"));
    for (std::size_t k = 0; k < scanned.size(); ++k) {
        const std::string operand = named("operand" + std::to_string(k));
        scope.set(operand, scanned[k]);
        Attribute axis;
        axis.name = "axis";
        axis.kind = Attribute::Kind::Int;
        axis.i = axis_in(scanned[k], axes.inputs[k]);
        add("Gather", {operand, named(axes.input_directions[k] ? "from_end" : "i")}, body.inputs[state.size() + k].name)
            ->attributes.push_back(axis);
    }
    loop.nodes.insert(loop.nodes.end(), body.nodes.begin(), body.nodes.end());
    loop.outputs = {{named("goes_on_after"), "tensor", Bool, true, {}}};
    loop.outputs.insert(loop.outputs.end(), body.outputs.begin(), body.outputs.end());

    Vals operands = {integer(length), nullptr};
    operands.insert(operands.end(), state.begin(), state.end());
    NodeCall loop_call(call.builder(), call.node(), operands, call.opset());
    Vals results = host_loop(importer, loop_call, loop, scope, opsets);
    for (std::size_t k = 0; k < axes.outputs.size(); ++k) {
        Val& result = results[state.size() + k];
        const std::size_t rank = result->spec.shape.size();
        if (axes.output_directions[k])
            result = call.slice(result, 0, dim(-1), dim(std::numeric_limits<std::int64_t>::min()), -1);
        Ints order = dims_from(1, rank);
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(normalise_axis(axes.outputs[k], rank, "axis")), 0);
        result = call.transpose(result, order);
    }
    return results;
}

Vals scan_once(Importer& importer, NodeCall& call, const GraphDef& body, Vals state, const Vals& scanned,
               const ScanAxes& axes, Scope& scope, const Opsets& opsets) {
    const auto length = constant_of(extent_along(scanned[0], axes.inputs[0]));
    if (!length || *length > most_unrolled / (static_cast<std::int64_t>(body.nodes.size()) + 1))
        return scan_as_loop(importer, call, body, state, scanned, axes, scope, opsets);
    std::vector<Vals> results(body.outputs.size() - state.size());
    for (std::int64_t i = 0; i < *length; ++i) {
        Vals inputs = state;
        for (std::size_t k = 0; k < scanned.size(); ++k) {
            const std::int64_t at = axes.input_directions[k] ? *length - 1 - i : i;
            const Val part = call.slice(scanned[k], axis_in(scanned[k], axes.inputs[k]), dim(at), dim(at + 1));
            inputs.push_back(call.squeeze(part, {axis_in(scanned[k], axes.inputs[k])}));
        }
        const Vals made =
            run_body(importer, body, inputs, scope, inner_prefix(call, scope, std::to_string(i) + "/"), opsets);
        std::copy_n(made.begin(), state.size(), state.begin());
        for (std::size_t k = 0; k < results.size(); ++k)
            results[k].push_back(made[state.size() + k]);
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
        if (axes.output_directions[k])
            std::reverse(results[k].begin(), results[k].end());
        state.push_back(results[k].empty() ? none_of(call, body.outputs[state.size()], axes.outputs[k])
                                           : stacked(call, results[k], axes.outputs[k]));
    }
    return state;
}

// Operands of a scan are as long as the first one: known now, or a requirement of the run.
Vals of_one_length(NodeCall& call, Vals scanned, const Ints& axes) {
    const Dim length = extent_along(scanned[0], axes[0]);
    for (std::size_t k = 1; k < scanned.size(); ++k) {
        const Dim own = extent_along(scanned[k], axes[k]);
        if (differ(own, length))
            throw OpError("the scan goes over ", text_of({length}), " and ", text_of({own}),
                          ", which are different lengths");
        scanned[k] = call.with_extent(scanned[k], static_cast<std::size_t>(axis_in(scanned[k], axes[k])), length);
    }
    return scanned;
}

// Up to version 8 a scan had a batch, and lengths of its sequences.
Vals convert_old_scan(Importer& importer, NodeCall& call, const GraphDef& body, std::size_t scans, Scope& scope,
                      const Opsets& opsets) {
    if (call.has(0))
        throw OpError("sequence lengths are not supported");
    const Vals all(call.inputs().begin() + 1, call.inputs().end());
    const std::size_t states = all.size() - scans;
    const Shape& first = all[0]->spec.shape;
    const auto batch = first.empty() ? std::nullopt : constant_of(first[0]);
    if (!batch || *batch == 0 || *batch > most_repeats)
        throw OpError("the batch is not known");
    if (call.ints("directions", Ints(scans, 0)).size() != scans)
        throw OpError("directions do not fit to the scan");
    ScanAxes axes{Ints(scans, 0), Ints(body.outputs.size() - states, 0), call.ints("directions", Ints(scans, 0)),
                  Ints(body.outputs.size() - states, 0)};
    std::vector<Vals> results(body.outputs.size());
    for (std::int64_t b = 0; b < *batch; ++b) {
        Vals parts = transformed(
            all, [&](const Val& each) { return call.squeeze(call.slice(each, 0, dim(b), dim(b + 1)), {0}); });
        const Vals state(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(states));
        const Vals given(parts.begin() + static_cast<std::ptrdiff_t>(states), parts.end());
        const Vals scanned = of_one_length(call, given, axes.inputs);
        const Vals made = scan_once(importer, call, body, state, scanned, axes, scope, opsets);
        for (std::size_t k = 0; k < made.size(); ++k)
            results[k].push_back(made[k]);
    }
    return transformed(results, [&](const Vals& each) { return stacked(call, each, 0); });
}

Vals convert_scan(Importer& importer, NodeCall& call, Scope& scope, const Opsets& opsets) {
    const GraphDef& body = body_of(call, "body");
    const std::int64_t scans = call.i("num_scan_inputs");
    const std::size_t operands = call.opset() < 9 ? call.count() - 1 : call.count();
    if (scans < 1 || call.count() == 0 || static_cast<std::size_t>(scans) > operands ||
        body.outputs.size() < operands - static_cast<std::size_t>(scans))
        throw OpError("the body does not fit to the scan");
    const auto count = static_cast<std::size_t>(scans);
    for (std::size_t i = call.count() - operands; i < call.count(); ++i)
        call.in(i); // OpError: it is left out, or no tensor
    if (call.opset() < 9)
        return convert_old_scan(importer, call, body, count, scope, opsets);
    const std::size_t states = operands - count;
    const std::size_t made = body.outputs.size() - states;
    const ScanAxes axes{call.ints("scan_input_axes", Ints(count, 0)), call.ints("scan_output_axes", Ints(made, 0)),
                        call.ints("scan_input_directions", Ints(count, 0)),
                        call.ints("scan_output_directions", Ints(made, 0))};
    if (body.inputs.size() != operands)
        throw OpError("the body has ", body.inputs.size(), " inputs, not ", operands);
    if (axes.inputs.size() != count || axes.input_directions.size() != count || axes.outputs.size() != made ||
        axes.output_directions.size() != made)
        throw OpError("axes or directions do not fit to the scan");
    const Vals state(call.inputs().begin(), call.inputs().begin() + static_cast<std::ptrdiff_t>(states));
    const Vals given(call.inputs().begin() + static_cast<std::ptrdiff_t>(states), call.inputs().end());
    const Vals scanned = of_one_length(call, given, axes.inputs);
    return scan_once(importer, call, body, state, scanned, axes, scope, opsets);
}

} // namespace

const GraphDef& body_of(const NodeCall& call, std::string_view name) {
    const Attribute* found = call.attribute(name);
    if (!found || !found->g)
        throw OpError("the graph '", name, "' is missing");
    return *found->g;
}

bool is_control(const Node& node) {
    return (node.domain.empty() && (node.op_type == "If" || node.op_type == "Loop" || node.op_type == "Scan")) ||
           (node.domain == "ai.onnx.preview" && node.op_type == "FlexAttention");
}

Vals convert_control(Importer& importer, NodeCall& call, Scope& scope, const Opsets& opsets) {
    if (call.node().op_type == "If")
        return convert_if(importer, call, scope, opsets);
    if (call.node().op_type == "FlexAttention")
        return flex_attention(importer, call, scope, opsets);
    return call.node().op_type == "Loop" ? convert_loop(importer, call, scope, opsets)
                                         : convert_scan(importer, call, scope, opsets);
}

} // namespace hidet::graph::onnx
