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
#include <algorithm>
#include <set>

#include "compiler/graph/script/compute.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/parameters.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"

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
                task.inverse_maps[i] = inverse_of(evaluator, *inputs[i], *map, a.span(4));
    lang::as_instance(a[0]).fields.set(task_field,
                                       HostValue::extension(Ref<lang::NativeObject>(new TaskValue(std::move(task)))));
    return {};
}

HostValue init_operator(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "Operator", {"self", "inputs", "attributes=", "task="});
    if (!a[0].is(ValueKind::Instance))
        a.wrong_type(0, "an operator");
    const auto task = a.given(3) ? task_of(a[3]) : nullptr;
    if (!task)
        fail(DiagId::OperatorRefused, a.span(3), "an operator needs a Task that says what it computes");
    lang::InstanceObject& self = lang::as_instance(a[0]);
    Attributes attributes = {{"name", self.type->name}, {"task", task}};
    std::vector<HostValue> outputs =
        graphs.apply(evaluator, op_info::UserOperator(), evaluator.iterate(a[1], a.span(1)), attributes, span);
    self.fields.set("inputs", a[1]);
    self.fields.set("attrs", a.given(2) ? a[2] : evaluator.impl().new_dict());
    self.fields.set("outputs", evaluator.new_list(std::move(outputs)));
    return {};
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
                      std::initializer_list<std::pair<const char*, lang::NativeFunction>> methods) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes[cat("hidet.", name)];
    if (!type) {
        type = evaluator.impl().new_class(name, nullptr);
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

void add_operator_class(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    module.add("Operator",
               class_value(evaluator, "Operator",
                           {{"__init__", [&graphs](Evaluator& inner, Args& args,
                                                   Span span) { return init_operator(graphs, inner, args, span); }},
                            {"get_output", get_output}}));
}

} // namespace hidet::graph
