// SPDX-License-Identifier: Apache-2.0
// Operator templates: schedules that somebody wrote as scripts, for the operators and machines for which they are meant.
// Who lowers a group asks for one; without one, the rules (schedule.h) schedule the operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/core/graph.h"
#include "compiler/ir/func.h"

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
};

inline constexpr const char* by_rules = "rules"; // in the place of a template's name: none

class TemplateProvider {
public:
    virtual ~TemplateProvider() = default;
    // From any thread. `wanted`: the template that somebody chose, or by_rules; empty: whichever takes the operator first.
    // Nothing: no template is for this operator. A template that is wrong throws OpError.
    virtual std::optional<AnchorSchedule> schedule(const Graph& graph, NodeId node, const artifact::TargetSpec& target,
                                                   const std::string& wanted) const = 0;
};

} // namespace hidet::graph
