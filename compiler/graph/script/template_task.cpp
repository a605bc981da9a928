// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/template_task.h"

#include <algorithm>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/methods.h"
#include "lang/base/text.h"
#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

using lang::boxed;

class TaskTensor : public lang::NativeObject {
public:
    struct Facts {
        std::string name;
        ir::DType dtype = ir::DType::F32;
        Shape shape;
        std::optional<std::size_t> input = {}; // its number
        bool is_constant = false;
    };
    TaskTensor(Facts facts, InputOrders orders) : m_facts(std::move(facts)), m_orders(std::move(orders)) {}

    std::string type_name() const override { return "tensor of a task"; }
    std::vector<std::string> attributes() const override {
        return {"dtype", "is_constant", "name", "permuted", "shape"};
    }
    std::unique_ptr<HostValue> attribute(Evaluator& evaluator, std::string_view name, Span) override {
        if (name == "name")
            return boxed(HostValue::str(m_facts.name));
        if (name == "dtype")
            return boxed(lang::dtype_value(m_facts.dtype, false));
        if (name == "is_constant")
            return boxed(HostValue::boolean(m_facts.is_constant));
        if (name == "shape")
            return boxed(evaluator.new_list(shape_value(m_facts.shape).items()));
        if (name == "permuted")
            return boxed("permuted", [self = Ref<TaskTensor>(this)](Evaluator& inner, Args& args, Span span) {
                return self->permuted(inner, args, span);
            });
        return nullptr;
    }

private:
    HostValue permuted(Evaluator& evaluator, Args& args, Span span) {
        const Arguments a(args, span, "permuted", {"order"});
        if (!m_facts.input)
            fail(DiagId::ScheduleRefused, span, cat("'", m_facts.name, "' is no input"));
        Ints order = transformed(evaluator.iterate(a[0], a.span(0)),
                                 [&](const HostValue& axis) { return axis.is(ValueKind::Int) ? axis.as_int() : -1; });
        Ints sorted = order;
        std::ranges::sort(sorted);
        Facts facts = m_facts;
        facts.shape.clear();
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (sorted.size() != m_facts.shape.size() || sorted[i] != static_cast<std::int64_t>(i))
                fail(DiagId::BadValue, a.span(0),
                     cat("an order of the ", m_facts.shape.size(), " axes of '", m_facts.name, "' is wanted"));
            facts.shape.push_back(m_facts.shape[static_cast<std::size_t>(order[i])]);
        }
        (*m_orders)[*m_facts.input] = std::move(order);
        return HostValue::extension(Ref<lang::NativeObject>(new TaskTensor(std::move(facts), m_orders)));
    }

    const Facts m_facts;
    const InputOrders m_orders;
};

class TemplateTask : public lang::NativeObject {
public:
    struct Facts {
        std::string op;
        std::string precision;
        HostValue inputs, outputs, attrs;
        bool is_alone = false;
    };
    explicit TemplateTask(Facts facts) : m_facts(std::move(facts)) {}
    std::string type_name() const override { return "task"; }
    std::vector<std::string> attributes() const override {
        return {"attrs", "inputs", "is_alone", "op", "outputs", "precision"};
    }
    std::unique_ptr<HostValue> attribute(Evaluator&, std::string_view name, Span) override {
        return name == "op"          ? boxed(HostValue::str(m_facts.op))
               : name == "precision" ? boxed(HostValue::str(m_facts.precision))
               : name == "inputs"    ? boxed(m_facts.inputs)
               : name == "outputs"   ? boxed(m_facts.outputs)
               : name == "attrs"     ? boxed(m_facts.attrs)
               : name == "is_alone"  ? boxed(HostValue::boolean(m_facts.is_alone))
                                     : nullptr;
    }

private:
    const Facts m_facts;
};

struct TargetField {
    const char* name;
    std::int64_t (*value)(const artifact::TargetSpec&);
};
constexpr TargetField target_fields[] = {
    {"barriers", [](const artifact::TargetSpec& t) -> std::int64_t { return t.barriers; }},
    {"blocks", [](const artifact::TargetSpec& t) -> std::int64_t { return t.blocks; }},
    {"capability", [](const artifact::TargetSpec& t) -> std::int64_t { return t.arch.number; }},
    {"cluster_blocks", [](const artifact::TargetSpec& t) -> std::int64_t { return t.portable_cluster_blocks; }},
    {"l2_bytes", [](const artifact::TargetSpec& t) -> std::int64_t { return t.l2_bytes; }},
    {"multiprocessors", [](const artifact::TargetSpec& t) -> std::int64_t { return t.multiprocessors; }},
    {"registers", [](const artifact::TargetSpec& t) -> std::int64_t { return t.registers; }},
    {"registers_per_thread", [](const artifact::TargetSpec& t) -> std::int64_t { return t.registers_per_thread; }},
    {"shared_bytes", [](const artifact::TargetSpec& t) -> std::int64_t { return t.shared_bytes; }},
    {"shared_per_block", [](const artifact::TargetSpec& t) -> std::int64_t { return t.shared_per_block; }},
    {"shared_per_block_optin", [](const artifact::TargetSpec& t) -> std::int64_t { return t.shared_per_block_optin; }},
    {"threads_per_block", [](const artifact::TargetSpec& t) -> std::int64_t { return t.threads_per_block; }},
    {"warps", [](const artifact::TargetSpec& t) -> std::int64_t { return t.warps; }},
};

class TemplateTarget : public lang::NativeObject {
public:
    explicit TemplateTarget(artifact::TargetSpec target) : m_target(std::move(target)) {}
    std::string type_name() const override { return "target"; }
    std::string repr() const override { return cat("<target ", m_target.name, ">"); }
    std::vector<std::string> attributes() const override {
        std::vector<std::string> names = {"name"};
        for (const TargetField& field : target_fields)
            names.emplace_back(field.name);
        return names;
    }
    std::unique_ptr<HostValue> attribute(Evaluator&, std::string_view name, Span) override {
        if (name == "name")
            return boxed(HostValue::str(m_target.name));
        for (const TargetField& field : target_fields)
            if (name == field.name)
                return boxed(HostValue::integer(field.value(m_target)));
        return nullptr;
    }

private:
    const artifact::TargetSpec m_target;
};

} // namespace

HostValue template_task(Evaluator& evaluator, const AnchorTask& task, const InputOrders& orders, Span span) {
    const Graph& graph = task.graph;
    const Node& node = graph.node(task.node);
    orders->assign(node.inputs.size(), std::nullopt);
    const auto tensors = [&](const std::vector<ValueId>& values, const auto& name) {
        std::vector<HostValue> list;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Value& value = graph.value(values[i]);
            TaskTensor::Facts facts{name(i), value.spec.dtype, value.spec.shape};
            if (&values == &node.inputs) {
                facts.input = i;
                facts.is_constant = value.is_constant() && value.data->has_data();
            }
            list.push_back(HostValue::extension(Ref<lang::NativeObject>(new TaskTensor(std::move(facts), orders))));
        }
        return evaluator.new_list(std::move(list));
    };
    HostValue inputs = tensors(node.inputs, [&](std::size_t i) { return node.task->inputs[i]->name; });
    HostValue outputs = tensors(node.outputs, [&](std::size_t i) { return node.task->outputs[i]->name; });
    const OpCall with_defaults(*node.op, {}, node.attributes);
    return HostValue::extension(Ref<lang::NativeObject>(
        new TemplateTask({node.op->name, precision_of(graph, node), std::move(inputs), std::move(outputs),
                          attributes_value(evaluator, with_defaults.attributes, span), task.is_alone})));
}

HostValue template_target(const artifact::TargetSpec& target) {
    return HostValue::extension(Ref<lang::NativeObject>(new TemplateTarget(target)));
}

} // namespace hidet::graph
