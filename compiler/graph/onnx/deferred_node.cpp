// SPDX-License-Identifier: Apache-2.0
// A node of the model whose parameters (a shape, axes, a count) are data that is known when the model runs. It is kept as
// it is and runs on the host: then its operands are constants, so that converting it again evaluates it.
#include <algorithm>
#include <limits>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/onnx/host_node.h"
#include "compiler/graph/onnx/importer.h"
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph::onnx {

namespace {

const Dim unknown = dim(-1);

// What an operand says of the number of dimensions: how many elements it has.
std::size_t length_of(const NodeCall& node, std::size_t i) {
    const auto length = constant_of(element_count(node.shape(i)));
    if (!length)
        throw NodeError(node.node().op_type, ": not even how many dimensions the result has is known before it runs");
    return static_cast<std::size_t>(*length);
}

Shape unknown_shape(std::size_t rank) {
    check_rank(rank);
    return Shape(rank, unknown);
}

// The dimensions that are reduced are not known, but how many are.
TensorSpec reduced(const NodeCall& node) {
    const bool keeps = node.i("keepdims", 1) != 0;
    const std::size_t count = length_of(node, 1);
    if (keeps || (count == 0 && node.i("noop_with_empty_axes", 0) != 0))
        return {node.dtype(), unknown_shape(node.rank())};
    return {node.dtype(), unknown_shape(count == 0 || count > node.rank() ? 0 : node.rank() - count)};
}

// Operators on elements: their operands are broadcast.
std::optional<ir::DType> elementwise_dtype(const NodeCall& node) {
    static const char* const same[] = {"Add",   "BitShift", "BitwiseAnd", "BitwiseOr",  "BitwiseXor", "Clip",
                                       "Div",   "Max",      "Mean",       "Min",        "Mod",        "Mul",
                                       "PRelu", "Pow",      "QLinearAdd", "QLinearMul", "Sub",        "Sum"};
    static const char* const logic[] = {"And",  "Equal",       "Greater", "GreaterOrEqual",
                                        "Less", "LessOrEqual", "Or",      "Xor"};
    const std::string& op = node.node().op_type;
    if (std::ranges::find(same, op) != std::end(same))
        return node.dtype();
    if (std::ranges::find(logic, op) != std::end(logic))
        return ir::DType::Bool;
    return op == "Where" ? std::optional(node.dtype(1)) : std::nullopt;
}

std::vector<TensorSpec> results_of(const NodeCall& node) {
    if (const auto dtype = elementwise_dtype(node)) {
        std::size_t rank = 0;
        for (const Val& each : node.present())
            rank = std::max(rank, each->spec.shape.size());
        return {{*dtype, unknown_shape(rank)}};
    }
    const std::string& op = node.node().op_type;
    const auto one = [&](std::size_t rank) { return std::vector<TensorSpec>{{node.dtype(), unknown_shape(rank)}}; };
    if (op.starts_with("Reduce"))
        return {reduced(node)};
    if (op == "Reshape" || op == "AffineGrid")
        return one(length_of(node, 1));
    if (op == "ConstantOfShape") {
        const Attribute* value = node.attribute("value");
        return {{value && value->t && value->t->data ? value->t->data->dtype : ir::DType::F32,
                 unknown_shape(length_of(node, 0))}};
    }
    if (op == "Expand")
        return one(std::max(node.rank(), length_of(node, 1)));
    if (op == "Squeeze")
        return one(node.rank() - std::min(node.rank(), length_of(node, 1)));
    if (op == "Unsqueeze")
        return one(node.rank() + length_of(node, 1));
    if (op == "Slice" || op == "Pad" || op == "Tile" || op == "Resize" || op == "Upsample" || op == "CenterCropPad" ||
        op == "MaxUnpool" || op == "DFT")
        return one(node.rank());
    if (op == "CumProd" || op == "CumSum" || op == "Trilu" || op == "Clip")
        return {{node.dtype(), node.shape()}};
    if (op == "Split")
        return std::vector<TensorSpec>(node.node().outputs.size(), {node.dtype(), unknown_shape(node.rank())});
    if (op == "TopK")
        return {{node.dtype(), unknown_shape(node.rank())}, {ir::DType::I64, unknown_shape(node.rank())}};
    if (op == "OneHot")
        return {{node.dtype(2), unknown_shape(node.rank() + 1)}};
    if (op == "Range")
        return one(1);
    if (op == "Col2Im")
        return one(2 + length_of(node, 1));
    if (op == "STFT")
        return one(4);
    if (op == "BlackmanWindow" || op == "HannWindow" || op == "HammingWindow")
        return {{node.type("output_datatype", Float), unknown_shape(1)}};
    if (op == "MelWeightMatrix")
        return {{node.type("output_datatype", Float), unknown_shape(2)}};
    if (op == "NonMaxSuppression")
        return {{ir::DType::I64, {unknown, dim(3)}}};
    if (op == "Dropout") {
        std::vector<TensorSpec> results = {{node.dtype(), node.shape()}};
        if (node.wants_output(1))
            results.push_back({ir::DType::Bool, node.shape()});
        return results;
    }
    throw NodeError(op, " wants input values that are known only when the model runs");
}

Attribute as_onnx(const std::string& name, const graph::Attribute& value) {
    Attribute result;
    result.name = name;
    if (const auto* f = std::get_if<double>(&value)) {
        result.kind = Attribute::Kind::Float;
        result.f = static_cast<float>(*f);
    } else if (const auto* i = std::get_if<std::int64_t>(&value)) {
        result.kind = Attribute::Kind::Int;
        result.i = *i;
    } else if (const auto* s = std::get_if<std::string>(&value)) {
        result.kind = Attribute::Kind::String;
        result.s = *s;
    } else if (const auto* floats = std::get_if<Floats>(&value)) {
        result.kind = Attribute::Kind::Floats;
        result.floats.assign(floats->begin(), floats->end());
    } else if (const auto* ints = std::get_if<Ints>(&value)) {
        result.kind = Attribute::Kind::Ints;
        result.ints = *ints;
    } else if (const auto* texts = std::get_if<Texts>(&value)) {
        result.kind = Attribute::Kind::Strings;
        result.strings = *texts;
    } else if (const auto* tensor = std::get_if<lang::TensorRef>(&value)) {
        Tensor held;
        held.type = elem_type_of((*tensor)->dtype);
        held.dims = (*tensor)->shape;
        held.data = *tensor;
        result.kind = Attribute::Kind::Tensor;
        result.t = std::make_shared<const Tensor>(std::move(held));
    }
    return result;
}

constexpr std::string_view own = "onnx.";

// By its name, which has the domain before it where that is not the standard's own: "com.microsoft.QLinearAdd".
const Conversion* conversion_of(std::string_view op, std::int64_t opset) {
    const std::size_t dot = op.rfind('.');
    return dot == std::string_view::npos ? find_conversion("", op, opset)
                                         : find_conversion(op.substr(0, dot), op.substr(dot + 1), opset);
}

std::vector<TensorSpec> infer(const OpCall& call, FreshSymbols& symbols) {
    const auto& op = call.attributes.get<std::string>("op");
    const Ints& present = call.attributes.get<Ints>("present");
    const auto given = std::ranges::count_if(present, [](std::int64_t each) { return each != 0; });
    if (!conversion_of(op, call.attributes.get<std::int64_t>("opset")) ||
        given != static_cast<std::ptrdiff_t>(call.inputs.size()))
        throw OpError("OnnxNode: there is no operator '", op, "' of ", call.inputs.size(), " operands in this version");
    return described_results(call, symbols);
}

Tensors run(const HostCall& host) {
    const Attributes& attributes = host.call.attributes;
    Node node;
    node.op_type = attributes.get<std::string>("op");
    if (runs_on_host(node.op_type))
        return run_on_host(host);
    for (const auto& [name, value] : attributes.items())
        if (name.starts_with(own))
            node.attributes.push_back(as_onnx(name.substr(own.size()), value));
    node.outputs.assign(attributes.get<Texts>("dtypes").size(), "y");
    Graph graph;
    Builder builder(graph, {.fold_elements = std::numeric_limits<std::int64_t>::max()});
    Vals inputs;
    std::size_t next = 0;
    for (std::int64_t is_there : attributes.get<Ints>("present"))
        inputs.push_back(is_there ? builder.constant(host.inputs[next++]) : nullptr);
    const auto opset = attributes.get<std::int64_t>("opset");
    NodeCall call(builder, node, std::move(inputs), opset);
    const Conversion* row = conversion_of(node.op_type, opset);
    HIDET_CHECK(row, "a node of the host without a converter: " + node.op_type);
    const auto refuse = [&] { throw OpError(node.op_type, " with these values is refused"); };
    Vals values;
    try {
        values = row->convert(call);
    } catch (const NeedsValue&) {
        refuse();
    }
    Tensors results;
    for (const Val& each : values) {
        if (!each || !each->data)
            refuse();
        results.push_back(each->data);
    }
    results.resize(node.outputs.size());
    return results;
}

} // namespace

Vals defer(NodeCall& call) {
    const std::string& domain = call.node().domain;
    const std::string op = domain.empty() ? call.node().op_type : domain + "." + call.node().op_type;
    Attributes attributes = {{"op", op}, {"opset", call.opset()}};
    Ints present;
    for (std::size_t i = 0; i < call.count(); ++i)
        present.push_back(call.has(i));
    attributes.set("present", present);
    describe_results(attributes, results_of(call));
    for (const Attribute& each : call.node().attributes)
        if (std::optional<graph::Attribute> value = as_ours(each))
            attributes.set(std::string(own) + each.name, std::move(*value));
    return call.add_all(OpId::OnnxNode, call.present(), std::move(attributes));
}

} // namespace hidet::graph::onnx

namespace hidet::graph {

std::span<const OpInfo> op_tables::deferred_node() {
    static const OpInfo table[] = {
        {.id = OpId::OnnxNode,
         .parameters = "xs: tensors, op: str, opset: int, present: ints, dtypes: strs",
         .cls = OpClass::Host,
         .summary = "an operator of ONNX whose parameters are data: it runs on the host",
         .has_any_attribute = true,
         .infer = onnx::infer,
         .run = onnx::run,
         .never_fuses = true},
    };
    return table;
}

} // namespace hidet::graph
