// SPDX-License-Identifier: Apache-2.0
// A key may be that of an operator in a branch or a loop: a choice has a problem where it has one everywhere.
#include <algorithm>

#include "compiler/graph/document/choices.h"

namespace hidet::graph {

namespace {

using Problems = std::vector<ChoiceProblem>;

class Bodies {
public:
    Bodies(const Choices& choices, GraphOptions options) : m_choices(choices), m_options(std::move(options)) {
        m_options.checks_inputs = true; // as where they are planned
    }
    std::vector<Problems> found;

    void visit(const Graph& graph) {
        for (const NodeId node : graph.topological())
            for (const auto& [name, value] : graph.node(node).attributes.items())
                if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&value); body && *body)
                    watch(**body);
    }

private:
    void watch(const Graph& body) {
        Graph graph = body;
        ChoiceWatch watch(m_choices, m_options, graph);
        const Optimised optimised = optimise(graph, m_options, {&watch});
        if (optimised.is_cancelled)
            return;
        found.push_back(watch.problems(optimised));
        visit(graph);
    }

    const Choices& m_choices;
    GraphOptions m_options;
};

// Of one choice.
Problems problems_of(const Problems& all, const std::string& section, std::size_t index) {
    Problems some;
    std::ranges::copy_if(all, std::back_inserter(some),
                         [&](const ChoiceProblem& each) { return each.section == section && each.index == index; });
    return some;
}

} // namespace

std::vector<ChoiceProblem> problems_with_bodies(const ChoiceWatch& watch, const Optimised& optimised,
                                                const Graph& graph, const Choices& choices,
                                                const GraphOptions& options) {
    const Problems outer = watch.problems(optimised);
    if (outer.empty())
        return outer;
    Bodies bodies(choices, options);
    bodies.visit(graph);
    Problems result;
    for (std::size_t i = 0; i < outer.size(); ++i) {
        const ChoiceProblem& first = outer[i];
        if (i > 0 && outer[i - 1].section == first.section && outer[i - 1].index == first.index)
            continue; // another one of the same choice
        Problems best = problems_of(outer, first.section, first.index);
        const auto unknown = [](const Problems& problems) {
            return std::ranges::count_if(problems, [](const ChoiceProblem& each) { return each.is_unknown; });
        };
        for (const Problems& all : bodies.found)
            if (Problems other = problems_of(all, first.section, first.index);
                other.empty() || unknown(other) < unknown(best))
                best = std::move(other);
        std::ranges::move(best, std::back_inserter(result));
    }
    return result;
}

} // namespace hidet::graph
