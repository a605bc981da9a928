// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/calls.h"

#include <algorithm>

#include "compiler/ir/each_node.h"

namespace hidet::compiler {

using namespace ir;

namespace {

// Depth-first. Calls of one function by another nest as deeply as the module has functions, so the stack is explicit.
class Sorter {
public:
    explicit Sorter(const Module& module) : m_graph(call_graph(module)) {
        for (const FunctionRef& function : module.functions)
            m_functions.emplace(function->name, function);
    }
    void start(const std::string& name) {
        enter(name);
        while (!m_stack.empty()) {
            auto& [current, next] = m_stack.back();
            const auto& callees = m_graph[current];
            if (next == callees.size()) {
                order.functions.push_back(m_functions[current]);
                m_state[current] = Done;
                m_stack.pop_back();
            } else {
                enter(callees[next++]);
            }
        }
    }
    CallOrder order;

private:
    enum State { New, Open, Done };

    void enter(const std::string& name) {
        if (!m_functions.contains(name) || m_state[name] == Done)
            return;
        if (m_state[name] == Open)
            return note_cycle(name);
        m_state[name] = Open;
        m_stack.emplace_back(name, 0);
    }
    void note_cycle(const std::string& name) {
        for (auto entry = m_stack.rbegin(); entry != m_stack.rend(); ++entry) {
            order.recursive.push_back(entry->first);
            if (entry->first == name)
                return;
        }
    }

    CallGraph m_graph;
    std::map<std::string, FunctionRef> m_functions;
    std::map<std::string, State> m_state;
    std::vector<std::pair<std::string, std::size_t>> m_stack;
};

} // namespace

CallGraph call_graph(const Module& module) {
    CallGraph graph;
    for (const FunctionRef& function : module.functions) {
        std::vector<std::string>& callees = graph[function->name];
        const auto add = [&](const std::string& name) {
            if (std::ranges::find(callees, name) == callees.end())
                callees.push_back(name);
        };
        each_node(
            function->body, [&](const Call& expr) { add(expr.callee); },
            [&](const LaunchStmt& stmt) { add(stmt.kernel); });
    }
    return graph;
}

CallOrder callees_first(const Module& module) {
    Sorter sorter(module);
    for (const FunctionRef& function : module.functions)
        sorter.start(function->name);
    return std::move(sorter.order);
}

} // namespace hidet::compiler
