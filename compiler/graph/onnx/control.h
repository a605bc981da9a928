// SPDX-License-Identifier: Apache-2.0
// Control flow whose conditions are data: an operator of the host with graphs as attributes.
#pragma once

#include "compiler/graph/onnx/importer.h"

namespace hidet::graph::onnx {

// Of loops in one run of a loop and what is inside of it; the host takes seconds for as many.
constexpr std::int64_t most_trips = 250'000;

const GraphDef& body_of(const NodeCall& call, std::string_view name); // OpError: there is none

Vals host_if(Importer& importer, NodeCall& call, const GraphDef& then_branch, const GraphDef& else_branch,
             const Scope& scope, const Opsets& opsets);
Vals host_loop(Importer& importer, NodeCall& call, const GraphDef& body, const Scope& scope, const Opsets& opsets);

// The names that a body reads from outside of it, sorted.
std::vector<std::string> captured_names(const GraphDef& body);

} // namespace hidet::graph::onnx
