// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "compiler/graph/core/verify.h"
#include "compiler/graph/fuse/verify_partition.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/passes/rewrite.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

enum : bool { Off = false, On = true };

constexpr GraphPassInfo table[] = {
#define HIDET_GRAPH_PASS(function, name, is_on, summary) {name, function, is_on, summary},
#include "compiler/graph/passes/graph_passes.def"
#undef HIDET_GRAPH_PASS
};

// From what the model says to what is run.
constexpr const char* order[] = {
    "integer-products",        // before constants of few bits are computed in full
    "pack-weights",            // before what is stored in few bits is computed in full
    "fold-constants",          // exporters spell shapes as arithmetic, and rules look for constants
    "cse",                     // so that rules see one reader where there is one computation
    "split-tensors",           // before operators are merged across the parts that processes have
    "conv-channel-last",       // before rules fold scales, whose axis it changes
    "subgraph-rewrite",        // what several operators say together: normalisation, attention, a scaled convolution
    "automatic-mix-precision", // after normalisations are whole: they stay in float32
    "subgraph-rewrite",        // casts that meet
    "quantize-weights",        // in the precision that they are multiplied in, and merged where products are
    "resolve-variant",         // from here on operators are what is scheduled
    "fold-constants",          // weights that were cast or laid out anew
    "cse",                     // and leave nothing that nobody reads
    "repeat-rows",             // which cse would find to be the same
    "check-indices",           // behind all that looks for readers of indices
    "fuse-operator",           // from here on the graph stays as it is, barriers aside
    "eliminate-barrier",
    "share-launches", // of what is launched
};

const GraphPassInfo& pass_named(std::string_view name) {
    const auto found =
        std::ranges::find(table, name, [](const GraphPassInfo& pass) { return std::string_view(pass.name); });
    HIDET_CHECK(found != std::end(table), std::string(name));
    return *found;
}

bool names(const std::vector<std::string>& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

bool is_known(const std::string& name, const GraphOptions& options) {
    const auto is_rule = [&](const UserRule* rule) { return rule->name() == name; };
    return std::ranges::any_of(table, [&](const GraphPassInfo& pass) { return name == pass.name; }) ||
           std::ranges::any_of(all_rules(), [&](const RuleSummary& rule) { return name == rule.name; }) ||
           std::ranges::any_of(options.rewrite_rules, is_rule) || std::ranges::any_of(options.resolve_rules, is_rule);
}

// What callers know a result by.
struct Interface {
    std::vector<ValueId> inputs;
    std::vector<std::pair<std::string, TensorSpec>> results;
};

Interface interface_of(const Graph& graph) {
    Interface out{graph.inputs, {}};
    for (const ValueId id : graph.outputs())
        out.results.emplace_back(graph.value(id).name, graph.value(id).spec);
    return out;
}

std::string difference(const Interface& before, const Interface& after) {
    if (before.inputs != after.inputs || before.results.size() != after.results.size())
        return "the graph has other inputs, or another number of results";
    for (std::size_t i = 0; i < before.results.size(); ++i) {
        const auto& [name, spec] = before.results[i];
        if (!name.empty() && name != after.results[i].first)
            return cat("result ", i, " was called '", name, "', and is called '", after.results[i].first, "'");
        if (spec.dtype != after.results[i].second.dtype || spec.shape.size() != after.results[i].second.shape.size())
            return cat("result ", i, " was ", text_of(spec), ", and is ", text_of(after.results[i].second));
    }
    return {};
}

void check_well_formed(const GraphPassInfo& pass, const PassState& state, const Interface& before) {
    std::vector<std::string> violations = verify(state.graph);
    if (violations.empty() && !state.partition.groups.empty())
        violations = verify(state.graph, state.partition);
    if (std::string text = difference(before, interface_of(state.graph)); !text.empty())
        violations.push_back(std::move(text));
    if (!violations.empty())
        throw InternalError(cat("the pass '", pass.name, "' broke the graph: ", violations.front()));
}

} // namespace

const std::vector<GraphPassInfo>& graph_passes() {
    static const std::vector<GraphPassInfo> passes = [] {
        return transformed(order, [&](const char* name) { return pass_named(name); });
    }();
    return passes;
}

const std::vector<RuleSummary>& all_rules() {
    static const std::vector<RuleSummary> rules = [] {
        std::vector<RuleSummary> result;
        for (const RuleInfo& rule : rewrite_rules())
            result.push_back({"subgraph-rewrite", rule.name, rule.is_on, rule.summary});
        for (const RuleInfo& rule : resolve_rules())
            result.push_back({"resolve-variant", rule.name, rule.is_on, rule.summary});
        return result;
    }();
    return rules;
}

bool PassState::is_off(std::string_view rule, bool by_default) const {
    return names(options.off, rule) || (by_default && !names(options.on, rule));
}

Optimised optimise(Graph& graph, const GraphOptions& options, const std::vector<GraphInstrument*>& instruments) {
    Optimised result;
    for (const std::vector<std::string>* list : {&options.off, &options.on})
        std::ranges::copy_if(*list, std::back_inserter(result.unknown),
                             [&](const std::string& name) { return !is_known(name, options); });
    for (const GraphPassInfo& pass : graph_passes()) {
        PassRecord& record = result.records.emplace_back();
        record.pass = pass.name;
        PassState state{graph, options, record, result.partition};
        record.is_on = !state.is_off(pass.name, !pass.is_on);
        for (GraphInstrument* instrument : instruments)
            instrument->before(pass, graph);
        const Interface before = options.verify ? interface_of(graph) : Interface();
        const auto start = std::chrono::steady_clock::now();
        if (record.is_on && !state.is_cancelled())
            pass.run(state);
        record.milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (options.verify && record.is_on)
            check_well_formed(pass, state, before);
        for (GraphInstrument* instrument : instruments)
            instrument->after(pass, graph, record);
        result.is_cancelled = state.is_cancelled();
        if (result.is_cancelled)
            break;
    }
    return result;
}

} // namespace hidet::graph
