// SPDX-License-Identifier: Apache-2.0
// Operators with graphs as attributes. Control flow whose conditions are data becomes an operator of the host.
#pragma once

#include "compiler/graph/onnx/importer.h"

namespace hidet::graph::onnx {

const GraphDef& body_of(const NodeCall& call, std::string_view name); // OpError: there is none
// What the names in a body of the node begin with.
std::string inner_prefix(const NodeCall& call, const Scope& scope, const std::string& what);
// The body's results, with its nodes in the graph.
Vals run_body(Importer& importer, const GraphDef& body, const Vals& inputs, const Scope& outer, std::string prefix,
              const Opsets& opsets);

Vals flex_attention(Importer& importer, NodeCall& call, const Scope& scope, const Opsets& opsets);

Vals host_if(Importer& importer, NodeCall& call, const GraphDef& then_branch, const GraphDef& else_branch,
             const Scope& scope, const Opsets& opsets);
Vals host_loop(Importer& importer, NodeCall& call, const GraphDef& body, const Scope& scope, const Opsets& opsets);

// The names that a body reads from outside of it, sorted.
std::vector<std::string> captured_names(const GraphDef& body);

} // namespace hidet::graph::onnx
