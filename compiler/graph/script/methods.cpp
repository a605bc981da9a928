// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/methods.h"

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/parameters.h"
#include "compiler/graph/script/script_graphs.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

HostValue self_value(SymbolicTensor& self) {
    return self.graphs.symbolic(self.id);
}

HostValue applied(Evaluator& evaluator, SymbolicTensor& self, OpId op, Attributes attributes, Span span) {
    return self.graphs.apply(evaluator, info_of(op), {self_value(self)}, std::move(attributes), span).front();
}

// f([2, 3]) and f(2, 3) alike.
HostValue as_list(const Args& args) {
    if (args.positional.size() == 1 && !args.positional[0].is_number() && !args.positional[0].is(ValueKind::Expr))
        return args.positional[0];
    return HostValue::tuple(args.positional);
}

Ints ints_of(Evaluator& evaluator, const HostValue& list, Span span) {
    Ints values;
    for (const HostValue& item : list.is(ValueKind::Int) ? std::vector{list} : evaluator.iterate(list, span)) {
        if (!item.is(ValueKind::Int))
            fail(DiagId::BadType, span, cat("an int is wanted, not '", lang::type_name(item), "'"));
        values.push_back(item.as_int());
    }
    return values;
}

HostValue reshape(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    return applied(evaluator, self, OpId::Reshape, {{"shape", symbolic_shape(evaluator, as_list(args), span)}}, span);
}

HostValue expand(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    Shape shape = symbolic_shape(evaluator, as_list(args), span);
    const Shape& own = self.value().spec.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) // -1 keeps an extent
        if (ir::is_constant(shape[i], -1) && shape.size() - i <= own.size())
            shape[i] = own[own.size() - (shape.size() - i)];
    return applied(evaluator, self, OpId::Broadcast, {{"shape", std::move(shape)}}, span);
}

HostValue permute(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    return applied(evaluator, self, OpId::PermuteDims, {{"axes", ints_of(evaluator, as_list(args), span)}}, span);
}

HostValue transpose(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    const std::size_t rank = self.value().spec.shape.size();
    Ints axes = dims_from(0, rank);
    lang::Arguments a(args, span, "transpose", {"dim0", "dim1"});
    const auto checked = [&](std::size_t i) {
        return static_cast<std::size_t>(lang::checked_dim(a.integer(i), rank, a.span(i)));
    };
    std::swap(axes[checked(0)], axes[checked(1)]);
    return applied(evaluator, self, OpId::PermuteDims, {{"axes", std::move(axes)}}, span);
}

HostValue squeeze(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    const Ints dims = args.positional.empty() ? Ints() : ints_of(evaluator, as_list(args), span);
    return applied(evaluator, self, OpId::Squeeze, {{"dims", dims}}, span);
}

HostValue unsqueeze(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    return applied(evaluator, self, OpId::Unsqueeze, {{"dims", ints_of(evaluator, as_list(args), span)}}, span);
}

template <OpId op>
HostValue reduce(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    lang::Arguments a(args, span, "reduce", {"dims=", "keep_dim="});
    const Ints dims = a.given(0) && !a[0].is(ValueKind::None) ? ints_of(evaluator, a[0], a.span(0)) : Ints();
    return applied(evaluator, self, op, {{"dims", dims}, {"keepdims", a.boolean(1, false)}}, span);
}
HostValue cast(Evaluator& evaluator, SymbolicTensor& self, ir::DType dtype, Span span) {
    return self.value().spec.dtype == dtype ? self_value(self)
                                            : applied(evaluator, self, OpId::Cast, {{"dtype", dtype}}, span);
}

HostValue astype(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    lang::Arguments a(args, span, "astype", {"dtype"});
    return cast(evaluator, self, lang::dtype_argument(a[0], a.span(0)), span);
}

// A graph runs on one device, which is that of its inputs, so a move is only of the dtype.
HostValue to(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    lang::Arguments a(args, span, "to", {"*args", "dtype=", "device="});
    HostValue result = self_value(self);
    for (const HostValue& each : a.rest())
        if (!each.is(ValueKind::Str) || ir::find_dtype(each.as_str()))
            result = cast(evaluator, self, lang::dtype_argument(each, span), span);
    if (a.given(0) && !a[0].is(ValueKind::None))
        result = cast(evaluator, self, lang::dtype_argument(a[0], a.span(0)), span);
    return result;
}

template <ir::DType dtype>
HostValue to_dtype(SymbolicTensor& self, Evaluator& evaluator, Args&, Span span) {
    return cast(evaluator, self, dtype, span);
}

HostValue itself(SymbolicTensor& self, Evaluator&, Args&, Span) {
    return self_value(self);
}

HostValue is_symbolic(SymbolicTensor&, Evaluator&, Args&, Span) {
    return HostValue::boolean(true);
}

struct TensorMethod {
    const char* name;
    HostValue (*run)(SymbolicTensor&, Evaluator&, Args&, Span);
};

HostValue rearrange(SymbolicTensor& self, Evaluator& evaluator, Args& args, Span span) {
    const lang::Arguments a(args, span, "rearrange", {"plan"});
    Ints axes, groups;
    for (const HostValue& group : evaluator.iterate(a[0], a.span(0))) {
        const Ints dims = ints_of(evaluator, group, a.span(0));
        axes.insert(axes.end(), dims.begin(), dims.end());
        groups.push_back(static_cast<std::int64_t>(dims.size()));
    }
    return applied(evaluator, self, OpId::Rearrange, {{"axes", std::move(axes)}, {"groups", std::move(groups)}}, span);
}

constexpr TensorMethod tensor_methods[] = {
    {"astype", astype},
    {"contiguous", itself},
    {"cpu", itself},
    {"cuda", itself},
    {"expand", expand},
    {"float", to_dtype<ir::DType::F32>},
    {"half", to_dtype<ir::DType::F16>},
    {"is_symbolic", is_symbolic},
    {"max", reduce<OpId::ReduceMax>},
    {"mean", reduce<OpId::ReduceMean>},
    {"min", reduce<OpId::ReduceMin>},
    {"permute", permute},
    {"rearrange", rearrange},
    {"reshape", reshape},
    {"squeeze", squeeze},
    {"sum", reduce<OpId::ReduceSum>},
    {"to", to},
    {"transpose", transpose},
    {"unsqueeze", unsqueeze},
    {"view", reshape},
};

class OperatorValue : public lang::NativeObject {
public:
    OperatorValue(ScriptGraphs& graphs, NodeId node) : m_graphs(graphs), m_node(node) {}
    std::string type_name() const override { return std::string(node().op->name) + "Op"; }
    std::string repr() const override { return node().op->name; }
    std::vector<std::string> attributes() const override { return {"name", "inputs", "outputs", "attrs"}; }
    std::unique_ptr<HostValue> attribute(Evaluator& evaluator, std::string_view name, Span span) override {
        if (name == "name")
            return std::make_unique<HostValue>(HostValue::str(node().op->name));
        if (name == "attrs")
            return std::make_unique<HostValue>(attributes_value(evaluator, node().attributes, span));
        if (name == "inputs" || name == "outputs")
            return std::make_unique<HostValue>(tensors(evaluator, name == "inputs" ? node().inputs : node().outputs));
        return nullptr;
    }
    bool equals(const NativeObject& other) const override {
        const auto* that = dynamic_cast<const OperatorValue*>(&other);
        return that && &that->m_graphs == &m_graphs && that->m_node == m_node;
    }

    const Node& node() const { return m_graphs.traced.node(m_node); }

private:
    HostValue tensors(Evaluator& evaluator, const std::vector<ValueId>& ids) const {
        std::vector<HostValue> items;
        for (ValueId id : ids) {
            const lang::TensorRef& data = m_graphs.traced.value(id).data;
            items.push_back(data ? HostValue::tensor(data) : m_graphs.symbolic(id));
        }
        return evaluator.new_list(std::move(items));
    }

    ScriptGraphs& m_graphs;
    NodeId m_node;
};

struct AttributeValue {
    Evaluator& evaluator;
    HostValue operator()(bool value) const { return HostValue::boolean(value); }
    HostValue operator()(std::int64_t value) const { return HostValue::integer(value); }
    HostValue operator()(double value) const { return HostValue::real(value); }
    HostValue operator()(const std::string& value) const { return HostValue::str(value); }
    HostValue operator()(ir::DType value) const { return lang::dtype_value(value, false); }
    HostValue operator()(const Ints& values) const {
        return list(values, [](std::int64_t value) { return HostValue::integer(value); });
    }
    HostValue operator()(const Floats& values) const {
        return list(values, [](double value) { return HostValue::real(value); });
    }
    HostValue operator()(const Texts& values) const {
        return list(values, [](const std::string& value) { return HostValue::str(value); });
    }
    HostValue operator()(const Shape& value) const { return shape_value(value); }
    HostValue operator()(const lang::TensorRef& value) const { return HostValue::tensor(value); }
    HostValue operator()(const std::shared_ptr<const Graph>&) const { return {}; }
    HostValue operator()(const std::shared_ptr<const Task>&) const { return {}; }

private:
    HostValue list(const auto& values, auto value_of) const {
        std::vector<HostValue> items = transformed(values, [&](const auto& value) { return value_of(value); });
        return evaluator.new_list(std::move(items));
    }
};

} // namespace

std::vector<const char*> symbolic_method_names() {
    return transformed(tensor_methods, &TensorMethod::name);
}

std::unique_ptr<HostValue> symbolic_method(Evaluator& evaluator, SymbolicTensor& self, std::string_view name,
                                           Span span) {
    if (name == "T") {
        Ints axes = dims_from(0, self.value().spec.shape.size());
        std::ranges::reverse(axes);
        return std::make_unique<HostValue>(
            applied(evaluator, self, OpId::PermuteDims, {{"axes", std::move(axes)}}, span));
    }
    for (const TensorMethod& method : tensor_methods)
        if (name == method.name)
            return method_of(self, name, method.run);
    return nullptr;
}

const OpInfo* operator_of(const HostValue& value) {
    const auto* held = value.extension<OperatorValue>();
    return held ? held->node().op : nullptr;
}

HostValue attributes_value(Evaluator& evaluator, const Attributes& attributes, Span span) {
    HostValue dict = evaluator.impl().new_dict();
    for (const auto& [name, value] : attributes.items())
        lang::as_dict(dict).table.set(evaluator, HostValue::str(name), std::visit(AttributeValue{evaluator}, value),
                                      span);
    return dict;
}

HostValue operator_value(ScriptGraphs& graphs, NodeId node) {
    return HostValue::extension(Ref<lang::NativeObject>(new OperatorValue(graphs, node)));
}

} // namespace hidet::graph
