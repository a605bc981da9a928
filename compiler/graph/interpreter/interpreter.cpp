// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/interpreter/interpreter.h"

#include "compiler/graph/core/indices.h"
#include "compiler/graph/interpreter/casts.h"
#include "compiler/graph/interpreter/lanes.h"
#include "compiler/ir/ops.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (std::int64_t each : shape)
        if (__builtin_mul_overflow(count, each, &count))
            throw OpError("a tensor with more elements than memory can have");
    return count;
}

} // namespace

lang::TensorRef make_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape) {
    constexpr std::int64_t largest = 64ll << 30;
    const std::int64_t count = count_of(shape);
    if (count < 0 || count > largest / ir::bytes_of(dtype))
        throw OpError("a tensor of shape ", text_of(shape_of(shape)), " does not fit into memory");
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = shape;
    tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(count * ir::bytes_of(dtype)));
    return tensor;
}

lang::TensorRef make_ints(const std::vector<std::int64_t>& values) {
    lang::TensorRef tensor = make_tensor(ir::DType::I64, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        lanes::store(ir::DType::I64, tensor->data(), static_cast<std::int64_t>(i), {.i = values[i]});
    return tensor;
}
lang::TensorRef make_int(std::int64_t value) {
    lang::TensorRef tensor = make_ints({value});
    tensor->shape.clear();
    return tensor;
}

lang::TensorRef make_scalar(ir::DType dtype, double value) {
    lang::TensorRef tensor = make_tensor(dtype, {});
    lanes::store(dtype, tensor->data(), 0, ir::converted({.d = value}, ir::DType::F64, dtype));
    return tensor;
}

TensorSpec spec_of(const lang::Tensor& tensor) {
    return {tensor.dtype, shape_of(tensor.shape)};
}

std::vector<std::int64_t> integers_of(const lang::Tensor& tensor) {
    std::vector<std::int64_t> values;
    const std::byte* data = tensor.read();
    for (std::int64_t i = 0; i < tensor.count(); ++i)
        values.push_back(ir::converted(lanes::load(tensor.dtype, data, i), tensor.dtype, ir::DType::I64).i);
    return values;
}

std::vector<double> numbers_of(const lang::Tensor& tensor) {
    std::vector<double> values;
    const std::byte* data = tensor.read();
    for (std::int64_t i = 0; i < tensor.count(); ++i)
        values.push_back(ir::converted(lanes::load(tensor.dtype, data, i), tensor.dtype, ir::DType::F64).d);
    return values;
}

namespace {

lanes::Cell cell_of(const ir::ExprRef& expr, const SymbolValues& symbols) {
    lanes::Environment names;
    names.symbols = &symbols;
    lanes::Code code(expr, names);
    return code.run(1, lanes::Active(lanes::lane_count, 1))[0];
}

} // namespace

std::int64_t value_of(const Dim& dim, const SymbolValues& symbols) {
    const auto extent = constant_of(dim);
    return extent ? *extent : cell_of(dim, symbols).i;
}

void bind_symbols(const Shape& shape, const std::vector<std::int64_t>& extents, SymbolValues& symbols,
                  const std::string& what) {
    const auto refuse = [&] {
        throw OpError("'", what, "' is of shape ", text_of(shape_of(extents)), ", not ", text_of(shape));
    };
    if (shape.size() != extents.size())
        refuse();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto* symbol = ir::as<ir::SymbolVar>(shape[i]);
        if (symbol && symbols.emplace(symbol->name, extents[i]).second)
            continue;
        if (constant_of(shape[i]) && *constant_of(shape[i]) != extents[i])
            refuse();
    }
}

Attributes with_values(const Attributes& attributes, const SymbolValues& symbols) {
    Attributes result;
    for (const auto& [name, value] : attributes.items()) {
        if (const auto* shape = std::get_if<Shape>(&value)) {
            Shape known;
            for (const Dim& each : *shape) {
                const ir::DType dtype = *ir::scalar_of(each->type); // shape arithmetic has floats, too
                known.push_back(ir::is_float(dtype) ? ir::float_constant(cell_of(each, symbols).d, dtype)
                                                    : dim(value_of(each, symbols)));
            }
            result.set(name, std::move(known));
        } else {
            result.set(name, value);
        }
    }
    return result;
}

namespace {

// The same bytes in the same order need no copy.
std::optional<lang::TensorRef> as_view(const OpCall& call, const Task& task, const Tensors& inputs) {
    if (!call.op->shares_memory)
        return std::nullopt;
    const auto shape = constant_shape(shape_of(task.outputs[0]));
    if (!shape || dtype_of(task.outputs[0]) != inputs[0]->dtype || count_of(*shape) != inputs[0]->count())
        return std::nullopt;
    return lang::view_of(inputs[0], *shape);
}

} // namespace

Tensors evaluate(const OpCall& call, const Tensors& inputs) {
    if (call.op->run)
        return call.op->run({call, inputs});
    if (const lang::TensorRef cast = cast_natively(call, inputs))
        return {cast};
    const Task task = call.op->define(call);
    if (const auto view = as_view(call, task, inputs))
        return {*view};
    check_indices(call, inputs);
    return run_task(task, inputs);
}

namespace {

class AnySymbols : public FreshSymbols {
public:
    Dim fresh(std::string_view hint) override { return symbol_dim(std::string(hint)); }
};

// Of an operator of the host, as far as its extents are known before it runs.
bool makes_more(const OpCall& call, std::int64_t elements) {
    if (!call.op->infer)
        return false;
    AnySymbols symbols;
    for (const TensorSpec& each : call.op->infer(call, symbols)) {
        const auto extents = constant_shape(each.shape);
        if (extents && count_of(*extents) > elements)
            return true;
    }
    return false;
}

} // namespace

std::optional<Tensors> fold(const OpCall& call, const Tensors& inputs, std::int64_t max_elements) {
    if (call.op->is_random || (!call.op->define && !call.op->run))
        return std::nullopt;
    try {
        if (call.op->run)
            return makes_more(call, max_elements) ? std::nullopt : std::optional(call.op->run({call, inputs}));
        const bool is_small = !inputs.empty() && inputs[0]->count() <= max_elements;
        if (const lang::TensorRef cast = is_small ? cast_natively(call, inputs) : nullptr)
            return Tensors{cast};
        const Task task = call.op->define(call);
        if (const auto view = as_view(call, task, inputs))
            return Tensors{*view};
        std::int64_t elements = 0;
        for (const Stage& stage : task.stages) {
            const auto extents = constant_shape(shape_of(stage.tensor));
            if (!extents || __builtin_add_overflow(elements, count_of(*extents), &elements) || elements > max_elements)
                return std::nullopt;
        }
        check_indices(call, inputs);
        return run_task(task, inputs);
    } catch (const OpError&) {
        return std::nullopt; // it says so when it runs
    }
}

namespace {

// Extents that are expressions, once all symbols are bound.
void check_extents(const Value& value, const lang::Tensor& given, const SymbolValues& symbols) {
    for (std::size_t d = 0; d < value.spec.shape.size(); ++d)
        if (value_of(value.spec.shape[d], symbols) != given.shape[d])
            throw OpError("'", value.name, "' is of shape ", text_of(shape_of(given.shape)), ", not ",
                          text_of(value.spec.shape));
}

} // namespace

Tensors evaluate_graph(const Graph& graph, const Tensors& inputs, Observer seen, void* context) {
    HIDET_CHECK(inputs.size() == graph.inputs.size(), "a graph with other inputs");
    SymbolValues symbols;
    Tensors values(graph.value_slots());
    std::vector<std::size_t> readers(graph.value_slots(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Value& value = graph.value(graph.inputs[i]);
        if (value.spec.dtype != inputs[i]->dtype)
            throw OpError("'", value.name, "' is of ", ir::info(inputs[i]->dtype).name, ", not ",
                          ir::info(value.spec.dtype).name);
        bind_symbols(value.spec.shape, inputs[i]->shape, symbols, value.name);
        values[graph.inputs[i].index] = inputs[i];
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_extents(graph.value(graph.inputs[i]), *inputs[i], symbols);
    const auto tensor_of = [&](ValueId id) {
        return graph.value(id).is_constant() ? graph.value(id).data : values[id.index];
    };
    for (NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        Tensors operands;
        OpCall call(*node.op, {}, with_values(node.attributes, symbols));
        for (ValueId input : node.inputs) {
            operands.push_back(tensor_of(input));
            call.inputs.push_back(spec_of(*operands.back()));
        }
        Tensors results = evaluate(call, operands);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const ValueId output = node.outputs[i];
            bind_symbols(graph.value(output).spec.shape, results[i]->shape, symbols, node.name);
            values[output.index] = results[i];
            if (seen)
                seen(context, output, results[i]);
        }
        for (ValueId input : node.inputs)
            if (++readers[input.index] == graph.value(input).uses.size() && !graph.is_output(input))
                values[input.index] = nullptr;
    }
    return transformed(graph.outputs(), [&](ValueId output) { return tensor_of(output); });
}

} // namespace hidet::graph
