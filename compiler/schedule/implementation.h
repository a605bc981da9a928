// SPDX-License-Identifier: Apache-2.0
// Kernels that somebody wrote for one operator of his own (Operator.implement_cuda of a script), and the door through which
// all schedules come: an operator's own first, then those of templates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/templates.h"

namespace hidet::graph {

class Implementation {
public:
    virtual ~Implementation() = default;
    // What tells it from others: groups are equal only if these are.
    virtual std::string key() const = 0;
    // Of the operator in messages and in schedules: "Blur.implement_cuda(block=64)" is one of "Blur", "softmax(block=64)" one of
    // "softmax".
    virtual const std::string& name() const = 0;
    // Schedules for the task's machine at a level of tuning, that of nobody's choice first. Empty: it has none.
    virtual std::vector<std::string> schedules(const AnchorTask& task, std::int64_t level) const = 0;
    // Nothing: its own check refuses. A mistake is a diagnostic of the script, which is thrown.
    virtual std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& text) const = 0;
    virtual ScheduleAttempt attempt(const AnchorTask& task, const std::string& text) const = 0; // mistakes are refusals
    virtual std::string source() const = 0;                                                     // the script
    // Where a schedule that it gave does not fit its operator: a diagnostic at the method.
    [[noreturn]] virtual void refuse(const AnchorTask& task, const std::string& why) const = 0;
};

// For the nodes of one graph.
class ScheduleDoor : public TemplateProvider {
public:
    ScheduleDoor(const Graph& graph, const TemplateProvider* templates) : m_graph(graph), m_templates(templates) {}

    // OpError for an opaque operator without kernels for the machine.
    std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& wanted) const override;
    std::vector<std::string> candidates(const AnchorTask& task, std::int64_t level) const override;
    std::string source_of(const std::string& schedule) const override;
    // Implementations are called on the thread on which their script was evaluated.
    bool takes_any_thread() const override;
    std::vector<ScheduleAttempt> attempt(const AnchorTask& task,
                                         const std::vector<std::string>& schedules) const override;
    // What is wrong with a schedule that the door gave; throws if it is the operator's own.
    static void refuse(const AnchorTask& task, const AnchorSchedule& schedule, const std::string& why);

private:
    const Graph& m_graph;
    const TemplateProvider* m_templates; // null: none
};

// Names of all schedules that nodes bring along: "Blur.implement_cuda".
std::vector<std::string> own_schedules(const Graph& graph, const artifact::TargetSpec& target);

} // namespace hidet::graph
