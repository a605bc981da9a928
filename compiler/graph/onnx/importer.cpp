// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/importer.h"

#include <algorithm>
#include <set>

#include "compiler/graph/core/nesting.h"
#include "compiler/graph/onnx/operands.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

// Nodes that may be read, those of unrolled bodies and functions each time: what a small file may become is bounded.
constexpr std::int64_t steps_at_least = 50'000;
constexpr std::int64_t steps_per_node = 200;

// One more function or body, for as long as it lives.
class Nested {
public:
    Nested(ImportWork& work, const std::string& advice) : m_work(work) {
        if (m_work.depth == most_nested_graphs)
            throw LimitError("functions and bodies are nested more than " + std::to_string(most_nested_graphs) +
                             " deep" + advice);
        ++m_work.depth;
    }
    ~Nested() { --m_work.depth; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

private:
    ImportWork& m_work;
};

std::int64_t nodes_in(const GraphDef& graph) {
    auto count = static_cast<std::int64_t>(graph.nodes.size());
    for (const Node& node : graph.nodes)
        for (const Attribute& each : node.attributes)
            count += each.g ? nodes_in(*each.g) : 0;
    return count;
}

// What ONNX Runtime saves at its highest level is laid out for the processor that it was saved on.
std::string advice_for(const std::string& op) {
    if (!op.starts_with("com.microsoft.nchwc.") && !op.starts_with("com.ms.internal.nhwc."))
        return "";
    return ": it is laid out for one kind of processor; save the model at the level ORT_ENABLE_EXTENDED or below";
}

bool has_symbols(const Vals& values) {
    return std::ranges::any_of(values,
                               [](const Val& each) { return !each->items && !constant_shape(each->spec.shape); });
}

// A node that stands in a function: attributes that refer to those of the call get their values, in its bodies too.
Node bound(const Node& node, const Node& call, const Function& function) {
    Node result = node;
    std::erase_if(result.attributes, [&](Attribute& attribute) {
        if (attribute.g) {
            auto body = std::make_shared<GraphDef>(*attribute.g);
            for (Node& each : body->nodes)
                each = bound(each, call, function);
            attribute.g = std::move(body);
        }
        if (attribute.ref_attr_name.empty())
            return false;
        const auto is_named = [&](const Attribute& each) { return each.name == attribute.ref_attr_name; };
        const auto given = std::ranges::find_if(call.attributes, is_named);
        const auto other = std::ranges::find_if(function.defaults, is_named);
        if (given == call.attributes.end() && other == function.defaults.end())
            return true;
        std::string name = attribute.name;
        attribute = given != call.attributes.end() ? *given : *other;
        attribute.name = std::move(name);
        return false;
    });
    return result;
}

} // namespace

Importer::Importer(const Model& model, Builder& builder, CustomOperators* custom)
    : m_model(model), m_builder(builder), m_custom(custom), m_work(std::make_shared<ImportWork>()) {
    std::int64_t nodes = nodes_in(model.graph);
    for (const Function& each : model.functions)
        nodes += static_cast<std::int64_t>(each.nodes.size());
    for (const Function& each : model.functions)
        m_functions.emplace(std::array{each.domain, each.name, each.overload}, &each);
    m_most_steps = steps_at_least + steps_per_node * nodes;
}

Importer::Importer(const Importer& outer, Builder& builder)
    : m_model(outer.m_model), m_builder(builder), m_custom(outer.m_custom), m_functions(outer.m_functions),
      m_most_steps(outer.m_most_steps), m_work(outer.m_work) {}

const Val* Scope::find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->m_outer)
        if (const auto found = scope->m_values.find(name); found != scope->m_values.end())
            return &found->second;
    return nullptr;
}

const Function* Importer::find_function(const Node& node) const {
    const auto found = m_functions.find({node.domain, node.op_type, node.overload});
    return found == m_functions.end() ? nullptr : found->second;
}

// A function that does not name a domain's version is of the model's. The first two versions of the format did not have them.
std::optional<std::int64_t> Importer::version_of(const std::string& domain, const Opsets& opsets) const {
    constexpr std::int64_t first_with_opsets = 3; // of the format
    for (const Opsets* each : {&opsets, &m_model.opsets})
        if (const auto found = each->find(domain); found != each->end())
            return found->second;
    return domain.empty() && m_model.ir_version < first_with_opsets ? std::optional<std::int64_t>(1) : std::nullopt;
}

// Why the node's operator is not one of ours; empty: it is.
std::string Importer::problem_of_op(const Node& node, const Opsets& opsets) const {
    const std::string domain = node.domain.empty() ? "ai.onnx" : node.domain;
    const auto version = version_of(node.domain, opsets);
    if (!version)
        return "the model does not say of which operator set of '" + domain + "' it is";
    if (is_custom(node) || is_control(node))
        return "";
    if (const std::string problem = problem_of_version(node.domain, node.op_type, *version); !problem.empty())
        return "operator '" + node.op_type + "' is not in operator set " + std::to_string(*version) + ": " + problem;
    if (find_conversion(node.domain, node.op_type, *version))
        return "";
    const std::string op = node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
    return "operator '" + op +
           (is_known_op(node.domain, node.op_type) ? " of operator set " + std::to_string(*version) : "") +
           "' is not supported" + advice_for(op);
}

std::map<std::string, std::vector<std::string>> Importer::missing_ops() const {
    std::map<std::string, std::vector<std::string>> missing;
    std::set<const Function*> seen; // those that are called
    std::vector<const Function*> waiting;
    const auto visit = [&](const auto& self, const std::vector<Node>& nodes, const Opsets& opsets) -> void {
        for (const Node& node : nodes) {
            for (const Attribute& each : node.attributes)
                if (each.g)
                    self(self, each.g->nodes, opsets);
            const std::string problem = problem_of_op(node, opsets);
            if (problem.empty())
                continue;
            const Function* function = version_of(node.domain, opsets) ? find_function(node) : nullptr;
            if (!function)
                missing[problem].push_back(node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name);
            else if (seen.insert(function).second)
                waiting.push_back(function);
        }
    };
    visit(visit, m_model.graph.nodes, m_model.opsets);
    while (!waiting.empty()) {
        const Function* function = waiting.back();
        waiting.pop_back();
        visit(visit, function->nodes, function->opsets);
    }
    return missing;
}

void Importer::add_initializers(const GraphDef& graph, Scope& scope) {
    std::set<std::string> inputs;
    for (const ValueInfo& each : graph.inputs)
        inputs.insert(each.name);
    for (const Tensor& each : graph.initializers) {
        if (scope.defines(each.name) && inputs.contains(each.name))
            continue; // what an input is where nothing is given
        if (scope.defines(each.name))
            throw NodeError("'", each.name, "' is made twice, the second time as a constant");
        if (!each.data) {
            // Wrong only if something reads it.
            Val broken = std::make_shared<ValueState>();
            broken->name = each.name;
            broken->problem =
                each.problem.empty() ? "tensors of " + elem_type_name(each.type) + " are not supported" : each.problem;
            scope.set(each.name, broken);
            continue;
        }
        Val value = m_builder.constant(each.data, scope.prefix() + each.name);
        value->elem_type = each.type;
        scope.set(each.name, value);
    }
}

Vals Importer::outputs_of(const GraphDef& graph, const Scope& scope) {
    Vals values;
    for (const ValueInfo& each : graph.outputs) {
        const Val* found = scope.find(each.name);
        if (!found)
            throw NodeError("the result '", each.name, "' is made by nothing");
        if (*found && !(*found)->problem.empty())
            throw NodeError("the constant '", each.name, "' cannot be read: ", (*found)->problem);
        check_declared(each, *found, "the result");
        values.push_back(*found);
    }
    return values;
}

Vals Importer::read(const GraphDef& graph, Scope& scope, const Opsets& opsets) {
    const Nested nested(*m_work, "");
    add_initializers(graph, scope);
    run_nodes(graph.nodes, scope, opsets);
    return outputs_of(graph, scope);
}

void Importer::run_nodes(const std::vector<Node>& nodes, Scope& scope, const Opsets& opsets) {
    for (std::size_t i : order_of(nodes, scope))
        run_node(nodes[i], scope, opsets);
}

void Importer::run_node(const Node& node, Scope& scope, const Opsets& opsets) {
    if (++m_work->steps > m_most_steps)
        throw LimitError("the model has more than " + std::to_string(m_most_steps) +
                         " nodes with its loops unrolled and its functions in line");
    Vals inputs;
    for (const std::string& name : node.inputs) {
        const Val* found = name.empty() ? nullptr : scope.find(name);
        if (found && *found && !(*found)->problem.empty())
            throw NodeError(called(node), " reads the constant '", name,
                            "', which cannot be read: ", (*found)->problem);
        inputs.push_back(found ? *found : nullptr);
    }
    const Vals results = call(node, std::move(inputs), scope, opsets);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i].empty())
            continue;
        if (i < results.size() && !results[i] && node.op_type == "Optional") {
            scope.set(node.outputs[i], nullptr);
            continue;
        }
        if (i >= results.size() || !results[i])
            throw NodeError(called(node), ": output ", i, " is not supported");
        scope.set(node.outputs[i], results[i]);
        const std::string name = scope.prefix() + node.outputs[i];
        if (results[i]->name.empty())
            results[i]->name = name;
        if (results[i]->id.valid() && m_builder.graph().value(results[i]->id).name.empty())
            m_builder.graph().value(results[i]->id).name = name;
    }
}

Vals Importer::call(const Node& node, Vals inputs, Scope& scope, const Opsets& opsets) {
    std::string name = node.name;
    if (!node.scope.empty() && name.find(node.scope) == std::string::npos)
        name = node.scope + "/" + name;
    m_builder.at_node(scope.prefix() + name);
    try {
        return convert(node, std::move(inputs), scope, opsets);
    } catch (const NodeError&) {
        throw;
    } catch (const NeedsValue& needs) {
        throw NodeError(called(node), ": input ", needs.input,
                        " is known only when the model runs, which is not supported here");
    } catch (const std::runtime_error& error) {
        if (!dynamic_cast<const OpError*>(&error) && !dynamic_cast<const ir::TypeError*>(&error))
            throw;
        throw NodeError(called(node), ": ", error.what());
    }
}

Vals Importer::convert(const Node& node, Vals inputs, Scope& scope, const Opsets& opsets) {
    const std::int64_t version = version_of(node.domain, opsets).value_or(1);
    if (is_custom(node))
        return call_custom(node, inputs, version);
    std::set<std::string_view> names;
    for (const Attribute& each : node.attributes)
        if (!names.insert(each.name).second)
            throw OpError("it has two attributes '", each.name, "'");
    NodeCall call(m_builder, node, std::move(inputs), version);
    if (is_control(node)) {
        check_operands(call);
        return convert_control(*this, call, scope, opsets);
    }
    // The standard's own operators are ours to define; a function of the model stands for what is not.
    const Conversion* row = find_conversion(node.domain, node.op_type, version);
    if (!row || !problem_of_version(node.domain, node.op_type, version).empty()) {
        const Function* function = find_function(node);
        if (!function)
            throw OpError("the operator is not supported");
        return call_function(*function, node, call.inputs(), scope);
    }
    check_operands(call);
    try {
        return row->convert(call);
    } catch (const NeedsValue&) {
        return defer(call);
    } catch (const OpError& refusal) {
        // Extents that are not known may turn out to fit.
        if (!has_symbols(call.present()))
            throw;
        try {
            return defer(call);
        } catch (const OpError&) {
            throw refusal;
        }
    }
}

Vals Importer::call_custom(const Node& node, const Vals& inputs, std::int64_t version) {
    CustomNode call{node.domain, node.op_type, m_builder.node(), version, {}, {}, node.outputs.size()};
    for (const Val& input : inputs)
        call.inputs.push_back(input ? m_builder.id_of(input) : ValueId());
    for (const Attribute& each : node.attributes)
        if (std::optional<graph::Attribute> value = as_ours(each))
            call.attributes.set(each.name, std::move(*value));
    return transformed(m_custom->apply(m_builder.graph(), call), [&](ValueId id) { return m_builder.in_graph(id); });
}

Vals Importer::call_function(const Function& function, const Node& node, const Vals& inputs, const Scope& outer) {
    const Nested nested(*m_work, ": does '" + function.name + "' call itself?");
    if (inputs.size() > function.inputs.size())
        throw OpError("the function takes ", function.inputs.size(), " inputs, not ", inputs.size());
    Scope scope(nullptr, outer.prefix() + (node.name.empty() ? function.name : node.name) + "/");
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
        scope.set(function.inputs[i], i < inputs.size() ? inputs[i] : nullptr);
    std::vector<Node> nodes =
        transformed(function.nodes, [&](const Node& each) { return bound(each, node, function); });
    run_nodes(nodes, scope, function.opsets);
    Vals results;
    for (const std::string& name : function.outputs) {
        const Val* found = scope.find(name);
        results.push_back(found ? *found : nullptr);
    }
    return results;
}

} // namespace hidet::graph::onnx
