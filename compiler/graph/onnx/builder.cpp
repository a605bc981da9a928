// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/builder.h"

#include <algorithm>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/interpreter/lanes.h"
#include "compiler/graph/onnx/model.h"
#include "lang/base/transformed.h"

namespace hidet::graph::onnx {

namespace {

constexpr std::int64_t most_known = 256;

lang::TensorRef tensor_of(ir::DType dtype, const Contents& contents) {
    lang::TensorRef tensor = make_tensor(dtype, contents.shape);
    std::byte* data = tensor->data();
    for (std::size_t i = 0; i < contents.elements.size(); ++i) {
        const ir::ExprRef& element = contents.elements[i];
        lanes::Cell cell;
        if (ir::is_float(dtype))
            cell.d = *ir::constant_number(element);
        else
            cell.i = ir::wrap_to(*ir::constant_int(element), dtype);
        lanes::store(dtype, data, static_cast<std::int64_t>(i), cell);
    }
    return tensor;
}

void check_size(const TensorSpec& spec) {
    constexpr std::int64_t largest = std::int64_t{1} << 42;
    check_rank(spec.shape.size());
    std::int64_t count = 1;
    for (const Dim& each : spec.shape)
        if (const auto extent = constant_of(each); extent == 0)
            return;
    for (const Dim& each : spec.shape)
        if (const auto extent = constant_of(each))
            if (*extent < 0 || __builtin_mul_overflow(count, *extent, &count) || count > largest)
                throw OpError("a result of shape ", text_of(spec.shape), " does not fit into any memory");
}

bool is_constant(const Contents& contents, ir::DType dtype) {
    return std::ranges::all_of(contents.elements, [&](const ir::ExprRef& element) {
        return ir::is_float(dtype) ? ir::constant_number(element).has_value() : ir::constant_int(element).has_value();
    });
}

} // namespace

std::optional<Contents> contents_of(const Val& value) {
    if (value->known)
        return value->known;
    if (!value->data || value->data->count() > most_known)
        return std::nullopt;
    Contents contents;
    contents.shape = value->data->shape;
    const ir::DType dtype = value->data->dtype;
    if (ir::is_float(dtype)) {
        for (double each : numbers_of(*value->data))
            contents.elements.push_back(ir::float_constant(each, dtype));
    } else {
        const bool is_bool = dtype == ir::DType::Bool;
        for (std::int64_t each : integers_of(*value->data))
            contents.elements.push_back(is_bool ? ir::bool_constant(each != 0) : dim(each));
    }
    return contents;
}

Val Builder::input(const std::string& name, TensorSpec spec) {
    Val value = in_graph(m_graph.add_input(name, std::move(spec)));
    value->name = name;
    return value;
}

Val Builder::constant(lang::TensorRef data, const std::string& name) {
    Val value = std::make_shared<ValueState>();
    value->spec = spec_of(*data);
    value->data = std::move(data);
    value->name = name;
    return value;
}

Val Builder::contents(ir::DType dtype, Contents contents) {
    if (is_constant(contents, dtype))
        return constant(tensor_of(dtype, contents));
    Val value = std::make_shared<ValueState>();
    value->spec = {dtype, shape_of(contents.shape)};
    value->known = std::move(contents);
    return value;
}

Val Builder::in_graph(ValueId id) {
    Val value = std::make_shared<ValueState>();
    value->spec = m_graph.value(id).spec;
    value->id = id;
    value->data = m_graph.value(id).data;
    return value;
}

// Passes decide whether products take it as it is.
static bool is_matrix_in_few_bits(const OpCall& call) {
    return call.op->id == OpId::DequantizeLinear && call.inputs[0].shape.size() > 1;
}

ValueId Builder::id_of(const Val& value) {
    if (value->id.valid())
        return value->id;
    if (value->data) {
        value->id = m_graph.add_constant(value->data, value->name);
        return value->id;
    }
    Attributes attributes = {
        {"values", Shape(value->known->elements)}, {"shape", Ints(value->known->shape)}, {"dtype", value->spec.dtype}};
    value->id = m_graph.add_one(op_info::Extents(), {}, std::move(attributes), NodeOrigin{m_node, {}, {}, {}});
    return value->id;
}

std::optional<Vals> Builder::folded(const OpCall& call, const Vals& inputs) {
    if (is_matrix_in_few_bits(call))
        return std::nullopt;
    if (std::ranges::all_of(inputs, [](const Val& each) { return each->data != nullptr; })) {
        Tensors tensors = transformed(inputs, [&](const Val& each) { return each->data; });
        std::optional<Tensors> results = fold(call, tensors, m_options.fold_elements);
        if (!results)
            return std::nullopt;
        return transformed(*results, [&](lang::TensorRef& each) { return constant(std::move(each)); });
    }
    std::vector<Contents> known;
    for (const Val& each : inputs) {
        std::optional<Contents> contents = contents_of(each);
        if (!contents)
            return std::nullopt;
        known.push_back(std::move(*contents));
    }
    std::vector<const Contents*> operands = transformed(known, [&](const Contents& each) { return &each; });
    std::optional<std::vector<Contents>> results = fold_symbolic(call, operands);
    if (!results)
        return std::nullopt;
    Vals values;
    const Task task = call.op->define(call);
    for (std::size_t i = 0; i < results->size(); ++i)
        values.push_back(contents(graph::dtype_of(task.outputs[i]), std::move((*results)[i])));
    return values;
}

Vals Builder::add_all(OpId id, const Vals& inputs, Attributes attributes) {
    const OpInfo& op = info_of(id);
    check_arity(op, inputs.size());
    check_attributes(op, attributes);
    OpCall call(op, {}, attributes);
    for (const Val& each : inputs) {
        if (!each || each->items)
            throw OpError(each ? "an operand is a sequence, not a tensor" : "an operand is missing");
        call.inputs.push_back(each->spec);
    }
    if (std::optional<Vals> values = folded(call, inputs))
        return *values;
    if (static_cast<std::int64_t>(m_graph.node_slots()) >= m_options.max_nodes)
        throw OpError("the model has more than ", m_options.max_nodes, " operators");
    std::vector<ValueId> ids = transformed(inputs, [&](const Val& each) { return id_of(each); });
    Vals values;
    for (ValueId each : m_graph.add(op, std::move(ids), std::move(attributes), NodeOrigin{m_node, {}, {}, {}})) {
        check_size(m_graph.value(each).spec);
        values.push_back(in_graph(each));
    }
    return values;
}

} // namespace hidet::graph::onnx
