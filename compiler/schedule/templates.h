// SPDX-License-Identifier: Apache-2.0
// Operator templates: schedules that somebody wrote as scripts, for the operators and machines for which they are meant.
// Who lowers a group asks for one; without one, the rules (schedule.h) schedule the operator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/core/graph.h"
#include "compiler/ir/func.h"
#include "lang/base/symbol_values.h"

namespace hidet::graph {

// A schedule of one operator, for its shapes and a machine.
struct AnchorSchedule {
    // Its public function `launch` has a parameter for each of the operator's inputs and outputs, in order: of the same
    // dtype, with the elements of the operator's tensor in any shape.
    ir::ModuleRef module;
    std::string name = {}; // of the template
    // By input: a constant of which the module takes the permutation, numpy.transpose(constant, order). May be shorter
    // than the inputs.
    std::vector<std::optional<Ints>> orders = {};
    // Of an operator with dynamic extents: the module is right where this holds, an expression over symbols (null: always);
    // elsewhere the other one, or the rules where there is none.
    Dim condition = nullptr;
    std::vector<Dim> counted = {}; // in 32 bits: a run is refused where they do not fit
    std::shared_ptr<const AnchorSchedule> otherwise = nullptr;
};

inline constexpr const char* by_rules = "rules"; // in the place of a template's name: none

// What is to be scheduled, and for what.
struct AnchorTask {
    const Graph& graph;
    NodeId node;
    const artifact::TargetSpec& target;
    bool is_alone = false;     // nothing is fused behind it: its results may leave by address
    SymbolValues typical = {}; // of dynamic extents: for which values the schedule is to be fast
};

// What a template says of itself with tune.metric(): a model of its speed takes those that it knows (compiler/tune).
struct TemplateMetric {
    std::string name; // "read_bytes"
    double value = 0;
};

// What came of one schedule that somebody wanted to see.
struct ScheduleAttempt {
    std::optional<AnchorSchedule> schedule;
    std::string refusal; // why there is none
    std::vector<TemplateMetric> metrics = {};
};

// Schedules have texts: "matmul_wgmma", as the template chooses its parameters; "matmul_wgmma(block_n=64, split=2)".
class TemplateProvider {
public:
    virtual ~TemplateProvider() = default;
    // What follows may be asked from any thread; else only from the one that made the provider.
    virtual bool takes_any_thread() const { return true; }
    // `wanted`: the schedule that somebody chose, or by_rules; empty: the template that takes the operator
    // first. Nothing: no template is for this operator. A template that is wrong throws OpError.
    virtual std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& wanted) const = 0;
    // All schedules of a level's spaces, the one of nobody's choice first; most will be refused.
    virtual std::vector<std::string> candidates(const AnchorTask& task, std::int64_t level) const = 0;
    // Mistakes of a template are refusals here.
    virtual std::vector<ScheduleAttempt> attempt(const AnchorTask& task,
                                                 const std::vector<std::string>& schedules) const = 0;
    // What measurements of a schedule depend on beside the operator: its script.
    virtual std::string source_of(const std::string& schedule) const = 0;
};

// The template's name in the text of a schedule.
inline std::string template_of(const std::string& schedule) {
    return schedule.substr(0, schedule.find('('));
}

} // namespace hidet::graph
