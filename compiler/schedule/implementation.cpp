// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/implementation.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::graph {

namespace {

const Implementation* own(const Graph& graph, NodeId node) {
    const Node& anchor = graph.node(node);
    return anchor.task ? anchor.task->implementation.get() : nullptr;
}

bool is_of(const Implementation& implementation, const std::string& schedule) {
    return template_of(schedule) == implementation.name() || schedule.starts_with(implementation.name() + ".");
}

template <class F>
void for_each_own(const Graph& graph, const F& visit) {
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
        if (graph.is_live({i}))
            if (const Implementation* implementation = own(graph, {i}))
                visit(NodeId{i}, *implementation);
}

} // namespace

bool ScheduleDoor::takes_any_thread() const {
    bool has_own = false;
    for_each_own(m_graph, [&](NodeId, const Implementation&) { has_own = true; });
    return !has_own && (!m_templates || m_templates->takes_any_thread());
}

std::optional<AnchorSchedule> ScheduleDoor::schedule(const AnchorTask& task, const std::string& wanted) const {
    const Implementation* implementation = own(task.graph, task.node);
    const Node& node = task.graph.node(task.node);
    const bool is_opaque = node.task && node.task->is_opaque;
    const bool is_chosen = implementation && is_of(*implementation, wanted);
    const bool is_asked = is_opaque || is_chosen || wanted.empty();
    if (implementation && is_asked) {
        std::vector<std::string> texts = implementation->schedules(task, 0);
        if (is_chosen && !texts.empty())
            texts.insert(texts.begin(), wanted);
        for (const std::string& text : texts)
            if (auto schedule = implementation->schedule(task, text))
                return schedule;
        if (is_opaque && !texts.empty())
            throw OpError("'", implementation->name(),
                          "' is opaque, and its kernels refuse: ", implementation->attempt(task, texts[0]).refusal);
    }
    if (is_opaque)
        throw OpError("'", implementation ? implementation->name() : node.task->name,
                      "' is opaque, and has no kernels for ", task.target.is_cuda() ? "a GPU" : "a CPU");
    return m_templates ? m_templates->schedule(task, is_chosen ? "" : wanted) : std::nullopt;
}

std::vector<std::string> ScheduleDoor::candidates(const AnchorTask& task, std::int64_t level) const {
    std::vector<std::string> all;
    const Implementation* implementation = own(task.graph, task.node);
    if (implementation)
        all = implementation->schedules(task, level);
    if (!m_templates || task.graph.node(task.node).is(OpId::OpaqueOperator))
        return all;
    std::vector<std::string> others = m_templates->candidates(task, level);
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

std::vector<ScheduleAttempt> ScheduleDoor::attempt(const AnchorTask& task,
                                                   const std::vector<std::string>& schedules) const {
    const Implementation* implementation = own(task.graph, task.node);
    if (!implementation)
        return m_templates ? m_templates->attempt(task, schedules) : std::vector<ScheduleAttempt>(schedules.size());
    std::vector<ScheduleAttempt> out;
    for (const std::string& text : schedules)
        if (is_of(*implementation, text))
            out.push_back(implementation->attempt(task, text));
        else if (m_templates)
            out.push_back(m_templates->attempt(task, {text}).front());
        else
            out.push_back({std::nullopt, cat("there is no schedule '", text, "'")});
    return out;
}

std::string ScheduleDoor::source_of(const std::string& schedule) const {
    std::string source;
    for_each_own(m_graph, [&](NodeId, const Implementation& implementation) {
        if (is_of(implementation, schedule))
            source = implementation.source();
    });
    return !source.empty() || !m_templates ? source : m_templates->source_of(schedule);
}

void ScheduleDoor::refuse(const AnchorTask& task, const AnchorSchedule& schedule, const std::string& why) {
    const Implementation* implementation = own(task.graph, task.node);
    if (implementation && is_of(*implementation, schedule.name))
        implementation->refuse(task, why);
}

std::vector<std::string> own_schedules(const Graph& graph, const artifact::TargetSpec& target) {
    std::vector<std::string> names;
    for_each_own(graph, [&](NodeId node, const Implementation& implementation) {
        for (const std::string& text : implementation.schedules({graph, node, target}, 0))
            if (std::ranges::find(names, template_of(text)) == names.end())
                names.push_back(template_of(text));
    });
    return names;
}

} // namespace hidet::graph
