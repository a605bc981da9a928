// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/overlaps.h"

#include <map>
#include <set>

#include "compiler/graph/fuse/early_launch.h"

namespace hidet::graph {

namespace {

class Overlaps {
public:
    explicit Overlaps(const Graph& graph) : m_graph(graph) {}

    void run(std::vector<Launched>& launched) {
        for (std::size_t i = 1; i < launched.size(); ++i)
            if (launched[i].follows && change(launched[i - 1], launched[i]))
                ++i; // the second lets its successor begin at once
    }

private:
    bool change(Launched& first, Launched& second) {
        const ir::ModuleRef released = released_of(first.module);
        const ir::ModuleRef waiting = released ? waiting_of(second.module, ages_of(first, second)) : nullptr;
        if (!waiting)
            return false;
        first.module = released;
        second.module = waiting;
        return true;
    }

    // Of the inputs, and of constants in another order.
    std::vector<Age> ages_of(const Launched& first, const Launched& second) const {
        std::set<std::uint32_t> made;
        for (const ValueId output : first.names->outputs)
            made.insert(output.index);
        std::vector<Age> ages;
        for (const ValueId input : second.names->inputs)
            ages.push_back(age_of(input, made));
        ages.resize(ages.size() + second.names->packed.size(), Age::Constant);
        return ages;
    }
    // A view is the memory that it is a view of.
    Age age_of(ValueId value, const std::set<std::uint32_t>& made) const {
        while (!made.contains(value.index)) {
            const Value& row = m_graph.value(value);
            if (row.is_constant())
                return Age::Constant;
            if (!row.producer.valid() || !m_graph.node(row.producer).op->shares_memory)
                return Age::Older;
            value = m_graph.node(row.producer).inputs[0];
        }
        return Age::Late;
    }

    ir::ModuleRef released_of(const ir::ModuleRef& module) {
        const auto [found, is_new] = m_released.emplace(module.get(), nullptr);
        if (is_new)
            found->second = released_late(*module);
        return found->second;
    }
    ir::ModuleRef waiting_of(const ir::ModuleRef& module, const std::vector<Age>& ages) {
        const auto [found, is_new] = m_waiting.emplace(std::pair(module.get(), ages), nullptr);
        if (is_new)
            found->second = waiting_late(*module, ages);
        return found->second;
    }

    const Graph& m_graph;
    std::map<const ir::Module*, ir::ModuleRef> m_released;
    std::map<std::pair<const ir::Module*, std::vector<Age>>, ir::ModuleRef> m_waiting;
};

} // namespace

void overlap_neighbours(const Graph& graph, std::vector<Launched>& launched) {
    Overlaps(graph).run(launched);
}

} // namespace hidet::graph
