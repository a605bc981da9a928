// SPDX-License-Identifier: Apache-2.0
// Task and Operator as classes that a script derives from:
//
//   class AffineTask(Task):
//       def __init__(self, x, scale):
//           y = compute('y', x.shape, lambda *i: x[i] * scale)
//           super().__init__(name='affine', inputs=[x], outputs=[y])
//
//   class AffineOp(Operator):
//       def __init__(self, x, scale):
//           super().__init__(inputs=[x], attributes={'scale': scale}, task=AffineTask(input_like(x, 'x'), scale))
//
// Either may have a method implement_cuda or implement_cpu (implementation.h). An OpaqueOperator has such methods alone: what
// its outputs are says symbolic_forward().
#include <algorithm>
#include <set>

#include "compiler/graph/script/compiled_graph.h"
#include "compiler/graph/script/compute.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/parameters.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

// What Task.__init__ leaves in the instance.
class TaskValue : public lang::NativeObject {
public:
    explicit TaskValue(Task task) : task(std::make_shared<const Task>(std::move(task))) {}
    std::string type_name() const override { return "Task"; }
    std::string repr() const override { return text_of(*task); }
    const std::shared_ptr<const Task> task;
};

constexpr std::string_view task_field = "_task";

std::vector<Ref<TensorNodeValue>> nodes_of(Evaluator& evaluator, const Arguments& a, std::size_t which) {
    std::vector<Ref<TensorNodeValue>> nodes;
    for (const HostValue& item : evaluator.iterate(a[which], a.span(which))) {
        auto* node = item.extension<TensorNodeValue>();
        if (!node)
            fail(DiagId::BadType, a.span(which),
                 cat("a task is made of tensor_input() and compute(), not of '", lang::type_name(item), "'"));
        nodes.emplace_back(node);
    }
    return nodes;
}

// Stages in an order in which each comes after what it reads. Definitions may be long chains, so there is no recursion.
void collect(const Ref<TensorNodeValue>& last, std::set<const TensorNodeValue*>& done, Task& task) {
    std::vector<std::pair<Ref<TensorNodeValue>, std::size_t>> path = {{last, 0}};
    while (!path.empty()) {
        auto& [node, next] = path.back();
        if (done.contains(node.get())) {
            path.pop_back();
        } else if (next < node->reads.size()) {
            const Ref<TensorNodeValue> read = node->reads[next++];
            path.emplace_back(read, 0);
        } else {
            task.stages.insert(task.stages.end(), node->stages.begin(), node->stages.end());
            done.insert(node.get());
            path.pop_back();
        }
    }
}

// {x: lambda i, j: [j, i]}, or InverseMap.from_lambda(...) of upstream, which here is the lambda itself.
InverseMap inverse_of(Evaluator& evaluator, const TensorNodeValue& input, const HostValue& function, Span span) {
    InverseMap map;
    Args args;
    for (std::size_t i = 0; i < shape_of(input.tensor).size(); ++i) {
        map.axes.push_back(ir::make_var(cat("i", i), ir::data_type(ir::DType::I64)));
        args.positional.push_back(HostValue::expr(map.axes.back()));
    }
    for (const HostValue& index : evaluator.iterate(evaluator.call(function, args, span), span))
        map.indices.push_back(dim_argument(index, span));
    return map;
}

// allow_prologue() and allow_epilogue(), where the class has them.
bool allows(Evaluator& evaluator, const HostValue& self, const char* method, Span span) {
    const bool is_there = lang::as_instance(self).type->find(method) != nullptr;
    return !is_there || evaluator.truth(evaluator.call_method(self, method, span), span);
}

HostValue init_task(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "Task", {"self", "name", "inputs", "outputs", "inverse_map=", "attributes="});
    if (!a[0].is(ValueKind::Instance))
        a.wrong_type(0, "a task");
    Task task;
    task.name = a.str(1);
    std::set<const TensorNodeValue*> done;
    const auto inputs = nodes_of(evaluator, a, 2);
    for (const auto& input : inputs) {
        if (!input->stages.empty())
            fail(DiagId::OperatorRefused, a.span(2),
                 cat("'", input->tensor->name, "' is computed, so it is not an input"));
        task.inputs.push_back(input->tensor);
        done.insert(input.get());
    }
    task.inverse_maps.resize(inputs.size());
    for (const auto& output : nodes_of(evaluator, a, 3)) {
        collect(output, done, task);
        task.outputs.push_back(output->tensor);
    }
    for (const TensorNodeValue* node : done)
        if (node->stages.empty() && std::ranges::find(task.inputs, node->tensor) == task.inputs.end())
            fail(DiagId::OperatorRefused, a.span(2),
                 cat("the outputs read '", node->tensor->name, "', which is not among the inputs"));
    if (a.given(4) && a[4].is(ValueKind::Dict))
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (const HostValue* map = lang::as_dict(a[4]).table.find(evaluator, HostValue::extension(inputs[i]), span))
                task.inverse_maps[i] = inverse_of(evaluator, *inputs[i], HostValue(*map), a.span(4));
    task.allow_prologue = allows(evaluator, a[0], "allow_prologue", span);
    task.allow_epilogue = allows(evaluator, a[0], "allow_epilogue", span);
    lang::NameTable& fields = lang::as_instance(a[0]).fields;
    fields.set("name", a[1]);
    fields.set("inputs", a[2]);
    fields.set("outputs", a[3]);
    fields.set("attrs", a.given(5) ? a[5] : evaluator.impl().new_dict());
    fields.set(task_field, HostValue::extension(Ref<lang::NativeObject>(new TaskValue(std::move(task)))));
    return {};
}

// Those that templates and documents can have: numbers, texts, dtypes, tensors, and lists of numbers or of texts.
Attributes attributes_of(Evaluator& evaluator, const HostValue* given, Span span) {
    Attributes attributes;
    if (!given || given->is(ValueKind::None))
        return attributes;
    if (!given->is(ValueKind::Dict))
        fail(DiagId::BadType, span,
             cat("the attributes of an operator are a dict, not '", lang::type_name(*given), "'"));
    for (const lang::ValueTable::Entry& each : lang::as_dict(*given).table.living()) {
        if (!each.key.is(ValueKind::Str))
            fail(DiagId::BadType, span, "attributes have names: the keys of the dict are texts");
        const std::string& name = each.key.as_str();
        if (name == "name" || name == "task")
            fail(DiagId::OperatorRefused, span,
                 cat("every operator of a script has an attribute '", name, "': this one needs another name"));
        if (std::optional<Attribute> attribute = plain_attribute(evaluator, each.value, span))
            attributes.set(name, std::move(*attribute));
    }
    return attributes;
}

void set_fields(Evaluator& evaluator, lang::InstanceObject& self, const HostValue& inputs, const HostValue* attributes,
                std::vector<HostValue> outputs) {
    self.fields.set("inputs", inputs);
    self.fields.set("attrs", attributes ? *attributes : evaluator.impl().new_dict());
    self.fields.set("outputs", evaluator.new_list(std::move(outputs)));
}

// What an operator is applied to, as its class says it.
struct Application {
    const OpInfo& op;
    const HostValue& self;
    const HostValue& inputs;  // a list
    const HostValue& outputs; // tensors of their shapes
    const HostValue* attributes = nullptr;
    HostValue task = {}; // the object, if there is one
};

// The node of an operator, and the kernels that its object has, if there are any.
void apply(ScriptGraphs& graphs, Evaluator& evaluator, const Application& what, Task task, Span span) {
    const auto& [op, self, inputs, outputs_like, given, task_object] = what;
    task.implementation = implementation_of(graphs, evaluator, self, task_object, op.id == OpId::OpaqueOperator);
    if (task.implementation) {
        graphs.written.back()->inputs = inputs;
        graphs.written.back()->outputs = outputs_like;
    }
    Attributes attributes = {{"name", lang::as_instance(self).type->name},
                             {"task", std::make_shared<const Task>(std::move(task))}};
    const Attributes own = attributes_of(evaluator, given, span);
    for (const auto& [name, value] : own.items())
        attributes.set(name, value);
    set_fields(evaluator, lang::as_instance(self), inputs, given, {});
    std::vector<HostValue> outputs = graphs.apply(evaluator, op, evaluator.iterate(inputs, span), attributes, span);
    set_fields(evaluator, lang::as_instance(self), inputs, given, std::move(outputs));
}

HostValue init_operator(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "Operator", {"self", "inputs", "attributes=", "task="});
    if (!a[0].is(ValueKind::Instance))
        a.wrong_type(0, "an operator");
    const auto task = a.given(3) ? task_of(a[3]) : nullptr;
    if (!task)
        fail(DiagId::OperatorRefused, a.span(3), "an operator needs a Task that says what it computes");
    const HostValue* outputs = a[3].is(ValueKind::Instance) ? lang::as_instance(a[3]).fields.find("outputs") : nullptr;
    apply(graphs, evaluator,
          {op_info::UserOperator(), a[0], a[1], outputs ? *outputs : evaluator.new_list({}), a.find(2), a[3]}, *task,
          span);
    return {};
}

std::vector<HostValue> values_of(const lang::DictObject& dict) {
    return transformed(dict.table.living(), &lang::ValueTable::Entry::value);
}

// {'z': tensor} or [tensor]: the results of a class's symbolic_forward(), as tensors of a task.
Task opaque_task(ScriptGraphs& graphs, Evaluator& evaluator, const std::string& name, const HostValue& inputs,
                 const HostValue& results, Span span) {
    Task task;
    task.name = name;
    task.is_opaque = true;
    task.allow_prologue = task.allow_epilogue = false;
    for (const lang::ValueTable::Entry& each : lang::as_dict(inputs).table.living()) {
        if (!each.key.is(ValueKind::Str)) // put there by symbolic_forward()
            fail(DiagId::BadType, span, "the inputs of an operator have names: the keys of the dict are texts");
        const Ref<TensorNodeValue> node = node_like(graphs, each.value, each.key.as_str());
        if (!node)
            fail(DiagId::BadType, span, cat("'", each.key.as_str(), "' is no tensor"));
        task.inputs.push_back(node->tensor);
    }
    task.inverse_maps.resize(task.inputs.size());
    std::vector<std::pair<std::string, HostValue>> outputs;
    if (results.is(ValueKind::Dict)) {
        for (const lang::ValueTable::Entry& each : lang::as_dict(results).table.living())
            outputs.emplace_back(each.key.is(ValueKind::Str) ? each.key.as_str() : "y", each.value);
    } else {
        for (const HostValue& each : evaluator.iterate(results, span))
            outputs.emplace_back(cat("y", outputs.size()), each);
    }
    for (const auto& [output, tensor] : outputs) {
        const Ref<TensorNodeValue> node = node_like(graphs, tensor, output);
        if (!node)
            fail(DiagId::BadType, span,
                 cat("symbolic_forward() gives a dict of symbolic tensors, and '", output, "' is '",
                     lang::type_name(tensor), "'"));
        Stage stage;
        stage.tensor = node->tensor;
        for (std::size_t i = 0; i < shape_of(node->tensor).size(); ++i)
            stage.axes.push_back(ir::make_var(cat("i", i), ir::data_type(ir::DType::I64)));
        stage.value = ir::cast_to(ir::int_constant(0, ir::DType::I64), dtype_of(node->tensor));
        task.stages.push_back(std::move(stage));
        task.outputs.push_back(node->tensor);
    }
    if (task.outputs.empty())
        fail(DiagId::OperatorRefused, span, "symbolic_forward() gives no tensor");
    return task;
}

// OpaqueOperator.__init__(self, name, inputs={'x': x}, attributes={...})
HostValue init_opaque(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "OpaqueOperator", {"self", "name", "inputs", "attributes=", "share_map="});
    if (!a[0].is(ValueKind::Instance))
        a.wrong_type(0, "an operator");
    if (!a[2].is(ValueKind::Dict))
        a.wrong_type(2, "a dict of tensors");
    if (a.given(4) && !a[4].is(ValueKind::None))
        fail(DiagId::OperatorRefused, a.span(4), "an operator of a graph writes into no input: share_map is refused");
    const std::string name = a.str(1);
    if (!lang::as_instance(a[0]).type->find("symbolic_forward"))
        fail(DiagId::OperatorRefused, span,
             cat("'", lang::as_instance(a[0]).type->name,
                 "' has no symbolic_forward(), which says what its outputs are"));
    Args forwarded;
    std::vector<HostValue> inputs;
    for (const lang::ValueTable::Entry& each : lang::as_dict(a[2]).table.living()) {
        if (!each.key.is(ValueKind::Str))
            a.wrong_type(2, "a dict of tensors by name");
        if (each.value.is(ValueKind::Unknown))
            throw lang::UnknownValue();
        forwarded.keywords.emplace_back(each.key.as_str(), each.value);
        inputs.push_back(each.value);
    }
    forwarded.keyword_spans.assign(inputs.size(), a.span(2));
    forwarded.keyword_name_spans = forwarded.keyword_spans;
    const HostValue results = evaluator.call(evaluator.attribute(a[0], "symbolic_forward", span), forwarded, span);
    Task task = opaque_task(graphs, evaluator, name, a[2], results, span);
    const HostValue outputs = evaluator.new_list(results.is(ValueKind::Dict) ? values_of(lang::as_dict(results))
                                                                             : evaluator.iterate(results, span));
    apply(graphs, evaluator,
          {op_info::OpaqueOperator(), a[0], evaluator.new_list(std::move(inputs)), outputs, a.find(3)}, std::move(task),
          span);
    lang::as_instance(a[0]).fields.set("name", a[1]);
    return {};
}

// OpaqueOperator.symbol(self, shape, dtype, device): hidet.symbol() by another name.
HostValue opaque_symbol(Evaluator& evaluator, Args& args, Span span) {
    Args rest = args;
    if (rest.positional.empty() || !rest.positional.front().is(ValueKind::Instance))
        fail(DiagId::BadType, span, "symbol() is a method: it is called of an operator");
    rest.positional.erase(rest.positional.begin());
    if (!rest.spans.empty())
        rest.spans.erase(rest.spans.begin());
    const HostValue module = evaluator.import("hidet", span);
    return evaluator.call(evaluator.attribute(module, "symbol", span), rest, span);
}

HostValue get_output(Evaluator&, Args& args, Span span) {
    Arguments a(args, span, "get_output", {"self", "index"});
    const HostValue* outputs = a[0].is(ValueKind::Instance) ? lang::as_instance(a[0]).fields.find("outputs") : nullptr;
    const std::int64_t index = a.integer(1);
    if (!outputs)
        fail(DiagId::OperatorRefused, span, "the operator has no outputs before Operator.__init__ is called");
    const auto count = static_cast<std::int64_t>(outputs->items().size());
    if (index < 0 || index >= count)
        fail(DiagId::IndexOutOfRange, a.span(1), "output", index, count);
    return outputs->items()[static_cast<std::size_t>(index)];
}

HostValue class_value(Evaluator& evaluator, const char* name,
                      std::initializer_list<std::pair<const char*, lang::NativeFunction>> methods,
                      Ref<lang::ClassObject> base = nullptr) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes[cat("hidet.", name)];
    if (!type) {
        type = evaluator.impl().new_class(name, std::move(base));
        type->is_builtin = true;
        for (const auto& [method, function] : methods)
            type->table.set(method, HostValue::native(method, function));
    }
    return HostValue::object(ValueKind::Class, type);
}

} // namespace

std::shared_ptr<const Task> task_of(const HostValue& value) {
    const HostValue* held = value.is(ValueKind::Instance) ? lang::as_instance(value).fields.find(task_field) : &value;
    const auto* task = held ? held->extension<TaskValue>() : nullptr;
    return task ? task->task : nullptr;
}

void add_task_class(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    module.add("Task", class_value(evaluator, "Task", {{"__init__", init_task}}));
    module.function("input_like", [&graphs](Evaluator&, Args& args, Span span) {
        Arguments a(args, span, "input_like", {"tensor", "name"});
        Ref<TensorNodeValue> node = node_like(graphs, a[0], a.str(1));
        if (!node)
            a.wrong_type(0, "a tensor");
        return HostValue::extension(node);
    });
}

// build_task(task, target): a graph of one operator, compiled. Its inputs are the task's.
static HostValue build_task(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "build_task", {"task", "target=", "load="});
    const auto given = task_of(a[0]);
    if (!given)
        a.wrong_type(0, "a task");
    Task task = *given;
    std::string name = task.name;
    if (a[0].is(ValueKind::Instance)) {
        task.implementation = implementation_of(graphs, evaluator, a[0], a[0], false);
        name = lang::as_instance(a[0]).type->name;
    }
    const Device device = a.given(1) ? lang::device_argument(a[1], a.span(1)) : Device::Cpu;
    auto source = std::make_shared<ScriptGraph>();
    std::vector<ValueId> inputs = transformed(task.inputs, [&](const ir::VarRef& input) {
        return source->graph.add_input(input->name, {dtype_of(input), shape_of(input)}, device);
    });
    try {
        source->graph.set_outputs(
            source->graph.add(op_info::UserOperator(), std::move(inputs),
                              {{"name", std::move(name)}, {"task", std::make_shared<const Task>(std::move(task))}}));
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    }
    return compiled_graph_value(std::make_shared<Compiled>(evaluator, *source, span));
}

void add_build_task(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    module.function("build_task", with_graphs(graphs, build_task));
}

void add_operator_class(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    module.add("Operator", class_value(evaluator, "Operator",
                                       {{"__init__", with_graphs(graphs, init_operator)}, {"get_output", get_output}}));
}

void add_opaque_class(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    add_operator_class(graphs, evaluator, module);
    module.add("OpaqueOperator",
               class_value(evaluator, "OpaqueOperator",
                           {{"__init__", with_graphs(graphs, init_opaque)}, {"symbol", opaque_symbol}},
                           Ref<lang::ClassObject>(&lang::as_class(*module.table.find("Operator")))));
}

} // namespace hidet::graph
