// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/document/choices.h"
#include "compiler/graph/names/keys.h"
#include "compiler/schedule/templates.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

bool is_called(const GraphPassInfo& pass, std::string_view name) {
    return name == pass.name;
}
bool applies_rules(const GraphPassInfo& pass) {
    return is_called(pass, "subgraph-rewrite") || is_called(pass, "resolve-variant");
}

bool reads_from(const Graph& graph, NodeId consumer, NodeId producer) {
    return std::ranges::any_of(graph.node(consumer).inputs,
                               [&](ValueId input) { return graph.value(input).producer == producer; });
}

std::string with_hint(std::string text, const std::string& name, const std::vector<std::string>& names) {
    const std::string near = closest(name, names);
    return text + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

// Empty: it may be computed in tf32.
std::string why_not_tf32(const Graph& graph, const Node& node) {
    if (!has_products(node))
        return cat("is a ", node.op->name, node.is_any_of({OpId::Conv2d, OpId::Conv2dChannelLast}) ? " of groups" : "",
                   "; tf32 is a precision of Matmul and of Conv2d without groups");
    return reads_float32(graph, node)
               ? ""
               : cat("multiplies ", text_of(graph.value(node.inputs[0]).spec), "; tf32 is a precision of float32");
}

std::string edge_text(const FusionChoices::Edge& edge) {
    return "'" + edge.producer + "' and '" + edge.consumer + "'";
}

} // namespace

std::vector<std::string> names_of_passes_and_rules() {
    std::vector<std::string> names = transformed<std::string>(graph_passes(), &GraphPassInfo::name);
    for (const RuleSummary& rule : all_rules())
        names.push_back(rule.name);
    return names;
}

TextRange ChoiceProblem::place_in(std::string_view file) const {
    std::vector<JsonStep> path = {section};
    if (section != "precision")
        path.emplace_back(index);
    if (!member.empty())
        path.emplace_back(member);
    return place_in_json(file, path).value_or(TextRange{0, 0});
}

ChoiceWatch::ChoiceWatch(const Choices& choices, const GraphOptions& options, const Graph& imported)
    : m_choices(choices), m_edges(choices.fusion.size()), m_precise(choices.precisions.size()),
      m_imprecise(choices.precisions.size()), m_scheduled(choices.templates.size()),
      m_placed(choices.placements.size()), m_is_shared(options.processes.count > 1),
      m_templates(options.known_templates) {
    for (const RuleSummary& rule : all_rules())
        m_rules.push_back(rule.name);
    for (const std::vector<UserRule*>* rules : {&options.rewrite_rules, &options.resolve_rules})
        for (const UserRule* rule : *rules)
            m_rules.push_back(rule->name());
    for (std::string& key : NodeKeys(imported).all())
        m_ever.insert(std::move(key));
}

void ChoiceWatch::before(const GraphPassInfo& pass, const Graph& graph) {
    if (applies_rules(pass) && !m_choices.rewrites.empty())
        for (std::string& key : NodeKeys(graph).all())
            m_rewriting.insert(std::move(key));
    if (is_called(pass, "automatic-mix-precision") && !m_choices.precisions.empty())
        see_precisions(graph);
    if (is_called(pass, "fuse-operator") && !m_choices.fusion.empty())
        see_fusions(graph);
    if (is_called(pass, "fuse-operator") && !m_choices.templates.empty())
        see_templates(graph);
    if (is_called(pass, "split-tensors") && !m_choices.placements.empty())
        see_placements(graph);
}

void ChoiceWatch::see_placements(const Graph& graph) {
    const NodeKeys keys(graph);
    for (std::size_t i = 0; i < m_placed.size(); ++i)
        m_placed[i] = keys.find(m_choices.placements[i].node);
}

void ChoiceWatch::see_precisions(const Graph& graph) {
    const NodeKeys keys(graph);
    for (std::size_t i = 0; i < m_precise.size(); ++i) {
        const NodeChoice& choice = m_choices.precisions[i];
        m_precise[i] = keys.find(choice.node);
        if (choice.what == tf32 && m_precise[i].valid())
            m_imprecise[i] = why_not_tf32(graph, graph.node(m_precise[i]));
    }
}

void ChoiceWatch::see_templates(const Graph& graph) {
    const NodeKeys keys(graph);
    for (std::size_t i = 0; i < m_scheduled.size(); ++i)
        m_scheduled[i] = keys.find(m_choices.templates[i].node);
}

void ChoiceWatch::see_fusions(const Graph& graph) {
    const NodeKeys keys(graph);
    for (std::size_t i = 0; i < m_edges.size(); ++i) {
        const NodeId producer = keys.find(m_choices.fusion[i].producer);
        const NodeId consumer = keys.find(m_choices.fusion[i].consumer);
        const bool is_there = producer.valid() && consumer.valid() && reads_from(graph, consumer, producer);
        m_edges[i] = {producer, consumer, is_there};
    }
}

void ChoiceWatch::after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) {
    if (record.matches.empty())
        return;
    if (is_called(pass, "automatic-mix-precision"))
        for (const Match& match : record.matches)
            for (const NodeId node : match.before)
                m_converted.insert(node.index);
    const NodeKeys keys(graph);
    Keys now;
    for (std::string& key : keys.all())
        now.insert(std::move(key));
    if (applies_rules(pass))
        m_rewriting.insert(now.begin(), now.end());
    for (const std::string& key : m_ever)
        if (!now.contains(key))
            m_replaced.emplace(key, pass.name);
    m_ever.insert(now.begin(), now.end());
}

// What is asked of each kind of choice.
struct ChoiceWatch::Checker {
    const ChoiceWatch& watch;
    const Optimised& optimised;
    std::vector<ChoiceProblem> found = {};

    void add(const char* section, std::size_t index, const char* member, std::string text, bool is_mistake = false) {
        found.push_back({std::move(text), section, index, member, is_mistake, false});
    }
    // The operator is not there when the choice is heeded.
    void missing(const char* section, std::size_t index, const char* member, const std::string& key) {
        const auto gone = watch.m_replaced.find(key);
        if (gone != watch.m_replaced.end())
            return add(section, index, member,
                       cat("operator '", key, "' is no more when this is decided: pass '", gone->second,
                           "' put others in its place"));
        if (watch.m_ever.contains(key))
            return add(section, index, member, cat("operator '", key, "' is not there yet when this is decided"));
        std::vector<std::string> names(watch.m_ever.begin(), watch.m_ever.end());
        std::ranges::sort(names); // of names that are equally near, the first
        add(section, index, member, with_hint(cat("the model has no operator '", key, "'"), key, names));
        found.back().is_unknown = true;
    }

    void check_fusions() {
        std::map<std::pair<std::string, std::string>, bool> said;
        for (std::size_t i = 0; i < watch.m_edges.size(); ++i) {
            const FusionChoices::Edge& choice = watch.m_choices.fusion[i];
            const Edge& edge = watch.m_edges[i];
            if (!edge.producer.valid())
                missing("fusion", i, "producer", choice.producer);
            if (!edge.consumer.valid())
                missing("fusion", i, "consumer", choice.consumer);
            if (!edge.producer.valid() || !edge.consumer.valid())
                continue;
            const auto [first, is_new] = said.emplace(std::pair(choice.producer, choice.consumer), choice.fuse);
            if (!edge.is_there)
                add("fusion", i, "", cat("nothing goes from '", choice.producer, "' to '", choice.consumer, "'"));
            else if (!is_new && first->second != choice.fuse)
                add("fusion", i, "", cat("the fusion of ", edge_text(choice), " is both forced and forbidden"));
            else if (choice.fuse)
                check_forced(i, choice, edge);
        }
    }
    void check_forced(std::size_t i, const FusionChoices::Edge& choice, const Edge& edge) {
        for (const Blocker& blocker : optimised.partition.blockers)
            if (blocker.producer == edge.producer && blocker.consumer == edge.consumer)
                return add("fusion", i, "", cat(edge_text(choice), " cannot be fused: ", blocker.text));
    }

    void check_rewrites() {
        const std::vector<std::string>& rules = watch.m_rules;
        for (std::size_t i = 0; i < watch.m_choices.rewrites.size(); ++i) {
            const NodeChoice& choice = watch.m_choices.rewrites[i];
            if (std::ranges::find(rules, choice.what) == rules.end())
                add("rewrites", i, "rule", with_hint(cat("there is no rule '", choice.what, "'"), choice.what, rules),
                    true);
            else if (choice.is_on)
                add("rewrites", i, "apply", "a rule applies wherever it can; a choice only keeps it from an operator");
            if (!watch.m_rewriting.contains(choice.node))
                missing("rewrites", i, "node", choice.node);
        }
    }

    static bool is_precision(const std::string& name) {
        return name == "float16" || name == "bfloat16" || name == tf32 || name == "float32";
    }
    void check_precision_of_all() {
        const std::string& chosen = watch.m_choices.precision;
        if (chosen.empty())
            return;
        if (!is_precision(chosen))
            add("precision", 0, "", no_precision(chosen), true);
        else if (chosen != "float32" && watch.m_converted.empty())
            add("precision", 0, "", cat("no operator can compute in ", chosen));
    }
    static std::string no_precision(const std::string& name) {
        return cat("'", name, "' is not a precision; choose float16, bfloat16, tf32 or float32");
    }
    void check_precisions() {
        check_precision_of_all();
        for (std::size_t i = 0; i < watch.m_choices.precisions.size(); ++i) {
            const NodeChoice& choice = watch.m_choices.precisions[i];
            const NodeId node = watch.m_precise[i];
            if (!is_precision(choice.what))
                add("precisions", i, "dtype", no_precision(choice.what), true);
            else if (!node.valid())
                missing("precisions", i, "node", choice.node);
            else if (!watch.m_imprecise[i].empty())
                add("precisions", i, "", cat("operator '", choice.node, "' ", watch.m_imprecise[i]));
            else if (choice.what != "float32" && choice.what != tf32 && !watch.m_converted.contains(node.index))
                add("precisions", i, "", cat("operator '", choice.node, "' computes with no other floats"));
        }
    }

    void check_templates() {
        const std::vector<std::string>& names = watch.m_templates;
        for (std::size_t i = 0; i < watch.m_choices.templates.size(); ++i) {
            const NodeChoice& choice = watch.m_choices.templates[i];
            const NodeId node = watch.m_scheduled[i];
            const auto is_anchor = [&](const Group& group) { return group.anchor == node; };
            const std::string name = template_of(choice.what);
            if (std::ranges::find(names, name) == names.end())
                add("templates", i, "template", with_hint(cat("there is no template '", name, "'"), name, names), true);
            if (!node.valid())
                missing("templates", i, "node", choice.node);
            else if (std::ranges::none_of(optimised.partition.groups, is_anchor))
                add("templates", i, "node",
                    cat("operator '", choice.node, "' is part of another one's kernel, which has the schedule"));
        }
    }

    static bool is_placement(const std::string& text) {
        constexpr std::string_view split = "split along ";
        return text == "whole" || text == "partial sums" ||
               (text.starts_with(split) && text.size() > split.size() &&
                text.find_first_not_of("0123456789", split.size()) == std::string::npos);
    }
    void check_placements() {
        for (std::size_t i = 0; i < watch.m_choices.placements.size(); ++i) {
            const NodeChoice& choice = watch.m_choices.placements[i];
            if (!is_placement(choice.what))
                add("placements", i, "placement",
                    cat("'", choice.what, "' is no placement: choose 'whole', 'split along 1' or 'partial sums'"),
                    true);
            if (watch.m_is_shared && !watch.m_placed[i].valid())
                missing("placements", i, "node", choice.node);
        }
    }

    void check_names() {
        const std::vector<std::string> names = names_of_passes_and_rules();
        const auto check = [&](const char* section, const std::vector<std::string>& list) {
            for (std::size_t i = 0; i < list.size(); ++i)
                if (std::ranges::find(optimised.unknown, list[i]) != optimised.unknown.end())
                    add(section, i, "", with_hint(cat("there is no pass and no rule '", list[i], "'"), list[i], names),
                        true);
        };
        check("off", watch.m_choices.off);
        check("on", watch.m_choices.on);
    }
};

std::vector<ChoiceProblem> ChoiceWatch::problems(const Optimised& optimised) const {
    Checker checker{*this, optimised};
    checker.check_fusions();
    checker.check_rewrites();
    checker.check_precisions();
    checker.check_templates();
    checker.check_placements();
    checker.check_names();
    return std::move(checker.found);
}

} // namespace hidet::graph
