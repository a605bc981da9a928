// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/rules.h"

#include <algorithm>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/methods.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/patterns.h"
#include "compiler/graph/script/transfer.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"

namespace hidet::graph {

namespace {

HostValue called(Evaluator& evaluator, const HostValue& object, std::string_view method, std::vector<HostValue> given,
                 Span span) {
    Args args;
    args.spans.assign(given.size(), span);
    args.positional = std::move(given);
    return evaluator.call(evaluator.attribute(object, method, span), args, span);
}

// Where a method of the rule's class is defined.
Span place_of(const HostValue& object, std::string_view method, Span otherwise) {
    const HostValue* found = lang::as_instance(object).type->find(method);
    const bool is_function = found && found->is(ValueKind::Function) && lang::as_function(*found).def;
    return is_function ? lang::as_function(*found).def->name.span : otherwise;
}

class ScriptRule : public UserRule {
public:
    ScriptRule(ScriptGraphs& graphs, Evaluator& evaluator, HostValue object, Span place)
        : m_graphs(graphs), m_evaluator(evaluator), m_object(std::move(object)), m_place(place) {
        const lang::InstanceObject& instance = lang::as_instance(m_object);
        const HostValue* name = instance.fields.find("name");
        m_name = name && name->is(ValueKind::Str) ? name->as_str() : instance.type->name;
    }

    std::string name() const override { return m_name; }
    bool apply(Rewriting& rewriting, NodeId root) override {
        bool is_applied = false;
        m_graphs.guarded(m_evaluator, m_place, [&] { is_applied = apply_inside(rewriting, root); });
        return is_applied;
    }
    void refused(const std::string& why) override {
        m_graphs.guarded(m_evaluator, m_place, [&] {
            fail(DiagId::OperatorRefused, m_place, cat("the rule '", m_name, "' is refused: ", why));
        });
    }

protected:
    virtual bool apply_inside(Rewriting& rewriting, NodeId root) = 0;

    Transfer transfer(Rewriting& rewriting) {
        return {m_graphs, rewriting.graph, [&rewriting](const Node& node, std::vector<ValueId> inputs) {
                    return rewriting.add_all(node.op->id, std::move(inputs), node.attributes);
                }};
    }
    // What the rule gave in the place of `old`.
    bool replace(Rewriting& rewriting, Transfer& transfer, const std::vector<ValueId>& old, const HostValue& given) {
        if (given.is(ValueKind::None) || given.is(ValueKind::Unknown))
            return false;
        const std::vector<ValueId> by = transfer.all_taken(m_evaluator, given, m_place);
        if (by.size() != old.size())
            fail(DiagId::OperatorRefused, m_place,
                 cat("the rule '", m_name, "' gives ", by.size(), by.size() == 1 ? " tensor" : " tensors",
                     " in the place of ", old.size()));
        for (std::size_t i = 0; i < old.size(); ++i)
            rewriting.replace(old[i], by[i]);
        return true;
    }

    ScriptGraphs& m_graphs;
    Evaluator& m_evaluator;
    const HostValue m_object;
    const Span m_place;

private:
    std::string m_name;
};

class ScriptRewriteRule : public ScriptRule {
public:
    ScriptRewriteRule(ScriptGraphs& graphs, Evaluator& evaluator, const HostValue& object, Span span)
        : ScriptRule(graphs, evaluator, object, place_of(object, "target", span)),
          m_source(
              pattern_of(evaluator, called(evaluator, object, "source", {}, span), place_of(object, "source", span))) {}

    std::vector<OpId> roots() const override { return m_source.pattern.roots(); }

protected:
    bool apply_inside(Rewriting& rewriting, NodeId root) override {
        const auto matched = m_source.pattern.match(rewriting, root);
        if (!matched)
            return false;
        Transfer transfer = this->transfer(rewriting);
        for (NodeId node : matched->nodes)
            if (node.valid())
                transfer.show(node);
        HostValue tensors = m_evaluator.impl().new_dict();
        for (std::size_t i = 0; i < m_source.tensors.size(); ++i)
            lang::as_dict(tensors).table.set(m_evaluator, HostValue::extension(m_source.tensors[i]),
                                             transfer.shown(matched->tensors[i]), m_place);
        std::vector<ValueId> old =
            transformed(m_source.pattern.outputs(), [&](std::size_t output) { return matched->tensors[output]; });
        return replace(rewriting, transfer, old, called(m_evaluator, m_object, "target", {tensors}, m_place));
    }

private:
    const ScriptPattern m_source;
};

class ScriptResolveRule : public ScriptRule {
public:
    ScriptResolveRule(ScriptGraphs& graphs, Evaluator& evaluator, const HostValue& object, WantedOperator wanted,
                      Span span)
        : ScriptRule(graphs, evaluator, object, place_of(object, "resolve", span)), m_wanted(std::move(wanted)) {}

    std::vector<OpId> roots() const override { return {m_wanted.op}; }

protected:
    bool apply_inside(Rewriting& rewriting, NodeId root) override {
        for (const auto& [name, value] : m_wanted.attributes.items())
            if (const Attribute* found = rewriting.attributes(root).find(name);
                !found || !same_attribute(*found, value))
                return false;
        Transfer transfer = this->transfer(rewriting);
        const HostValue op = transfer.operator_shown(root);
        return replace(rewriting, transfer, std::vector(rewriting.graph.node(root).outputs),
                       called(m_evaluator, m_object, "resolve", {op}, m_place));
    }

private:
    const WantedOperator m_wanted;
};

// A class that scripts derive from, with methods that a rule must have.
HostValue rule_class(Evaluator& evaluator, const char* name, std::initializer_list<const char*> methods) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes[cat("hidet.", name)];
    if (!type) {
        type = evaluator.impl().new_class(name, nullptr);
        type->is_builtin = true;
        type->table.set("__init__", HostValue::native("__init__", [name](Evaluator&, Args& args, Span span) {
                            const Arguments a(args, span, name, {"self", "name="});
                            if (a.given(1) && a[0].is(ValueKind::Instance))
                                lang::as_instance(a[0]).fields.set("name", HostValue::str(a.str(1)));
                            return HostValue();
                        }));
        for (const char* method : methods)
            type->table.set(method,
                            HostValue::native(method, [name, method](Evaluator&, Args&, Span span) -> HostValue {
                                fail(DiagId::OperatorRefused, span, cat("a ", name, " needs a method ", method, "()"));
                            }));
    }
    return HostValue::object(ValueKind::Class, type);
}

// The rule that stands for what was decorated: a class, of which one is made, or a rule.
HostValue rule_object(Evaluator& evaluator, const HostValue& given, const char* base, Span span) {
    HostValue object = given;
    if (given.is(ValueKind::Class)) {
        Args none;
        object = evaluator.call(given, none, span);
    }
    const Ref<lang::ClassObject>& type = evaluator.impl().native_classes[cat("hidet.", base)];
    if (!object.is(ValueKind::Instance) || !lang::as_instance(object).type->derives_from(*type))
        fail(DiagId::BadType, span, cat("a rule is a ", base, ", not '", lang::type_name(given), "'"));
    return object;
}

HostValue register_rewrite(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "register_rewrite_rule", {"rule"});
    const HostValue object = rule_object(evaluator, a[0], "SubgraphRewriteRule", a.span(0));
    graphs.rules->rewrite.push_back(
        {object, std::make_unique<ScriptRewriteRule>(graphs, evaluator, object, a.span(0))});
    return a[0];
}

HostValue register_resolve(ScriptGraphs& graphs, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "register_resolve_rule", {"op_cls"});
    const WantedOperator wanted = wanted_operator(a[0], a.span(0));
    return HostValue::native("register_resolve_rule", [&graphs, wanted](Evaluator& evaluator, Args& inner, Span at) {
        const Arguments b(inner, at, "register_resolve_rule", {"rule"});
        const HostValue object = rule_object(evaluator, b[0], "ResolveRule", b.span(0));
        graphs.rules->resolve.push_back(
            {object, std::make_unique<ScriptResolveRule>(graphs, evaluator, object, wanted, b.span(0))});
        return b[0];
    });
}

HostValue deregister_rewrite(ScriptGraphs& graphs, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "deregister_rewrite_rule", {"rule"});
    std::erase_if(graphs.rules->rewrite,
                  [&](const ScriptRules::Registered& each) { return each.object.object() == a[0].object(); });
    return {};
}

HostValue registered_rewrites(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments none(args, span, "registered_rewrite_rules", {});
    std::vector<HostValue> rules = transformed(graphs.rules->rewrite, &ScriptRules::Registered::object);
    return evaluator.new_list(std::move(rules));
}

// Those of ours, too.
HostValue clear_rewrites(ScriptGraphs& graphs, Evaluator&, Args& args, Span span) {
    const Arguments none(args, span, "clear_registered_rewrite_rules", {});
    graphs.rules->rewrite.clear();
    graphs.rules->off.clear();
    for (const RuleInfo& rule : rewrite_rules())
        graphs.rules->off.emplace_back(rule.name);
    return {};
}

} // namespace

void ScriptRules::add_to(GraphOptions& options) const {
    for (auto each = rewrite.rbegin(); each != rewrite.rend(); ++each)
        options.rewrite_rules.push_back(each->rule.get());
    for (auto each = resolve.rbegin(); each != resolve.rend(); ++each)
        options.resolve_rules.push_back(each->rule.get());
    options.off.insert(options.off.end(), off.begin(), off.end());
}

void add_rules(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    add_patterns(evaluator, module);
    module.add("SubgraphRewriteRule", rule_class(evaluator, "SubgraphRewriteRule", {"source", "target"}));
    module.add("ResolveRule", rule_class(evaluator, "ResolveRule", {"resolve"}));
    module.add("MatchDict", HostValue::object(ValueKind::Class, evaluator.impl().builtin_class("dict")));
    module.function("register_rewrite_rule", with_graphs(graphs, register_rewrite));
    module.function("deregister_rewrite_rule", with_graphs(graphs, deregister_rewrite));
    module.function("registered_rewrite_rules", with_graphs(graphs, registered_rewrites));
    module.function("clear_registered_rewrite_rules", with_graphs(graphs, clear_rewrites));
    module.function("register_resolve_rule", with_graphs(graphs, register_resolve));
}

} // namespace hidet::graph
