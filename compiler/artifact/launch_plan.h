// SPDX-License-Identifier: Apache-2.0
// The launch plan (runtime/package/plan.h) where it is made, printed, stored and read back: of strings and vectors.
#pragma once

#include <string>
#include <vector>

#include "compiler/artifact/expression.h"
#include "lang/base/result.h"
#include "runtime/package/plan_names.h"

namespace hidet::artifact {

struct Held {
    using Text = std::string;
    template <class T>
    using List = std::vector<T>;
};
using PlanSymbol = package::PlanSymbol<Held>;
using PlanWeight = package::PlanWeight<Held>;
using PlanValue = package::PlanValue<Held>;
using PlanImage = package::PlanImage<Held>;
using PlanParameter = package::PlanParameter<Held>;
using PlanFunction = package::PlanFunction<Held>;
using PlanModule = package::PlanModule<Held>;
using PlanTensorMap = package::PlanTensorMap<Held>;
using PlanAttribute = package::PlanAttribute<Held>;
using PlanStep = package::PlanStep<Held>;
using PlanRequirement = package::PlanRequirement<Held>;
using PlanBody = package::PlanBody<Held>;
using LaunchPlan = package::LaunchPlan<Held>;

using package::ArgumentKind;
using package::AttributeKind;
using package::enum_count;
using package::enum_name;
using package::HostOperator;
using package::ImageKind;
using package::is_on_host;
using package::launch_plan_version;
using package::MapElement;
using package::most_addressable;
using package::most_nested;
using package::most_trips;
using package::no_row;
using package::Place;
using package::PlanArgument;
using package::PlanKernel;
using package::PlanRange;
using package::PlanSection;
using package::root_of;
using package::Row;
using package::Scalar;
using package::StepKind;

// The first rule that the plan breaks (runtime/package/check.h), as a lower-case sentence; empty: it is well formed.
std::string problem_of(const LaunchPlan& plan);

// Of all arenas of the plan's own body together; nothing: it is not known for these values of the expressions.
struct ArenaSizes {
    ExprValue bytes;
    ExprValue bound; // no plan can do with less
};
ArenaSizes arena_sizes(const PlanBody& body, const std::vector<ExprValue>& expressions);
ArenaSizes arena_sizes(const PlanBody& body); // whatever the symbols are

std::vector<std::string> symbol_names(const PlanBody& body);
std::string extents_text(const PlanBody& body, const std::vector<Row>& shape); // "[1, seq, 768]"

std::string to_bytes(const LaunchPlan& plan); // little-endian; lists are preceded by their length
// Error codes: "plan-version" (another version than ours), "plan-damaged" (all else).
Result<LaunchPlan> plan_from_bytes(const std::string& bytes);

} // namespace hidet::artifact
