// SPDX-License-Identifier: Apache-2.0
// Any node as a JSON document, for tools: every field by its name, in the order of visit_fields().
#pragma once

#include <string>

#include "compiler/ir/node.h"

namespace hidet::ir {

struct JsonOptions {
    bool with_origins = true; // "origin": {"file", "begin", "end", "pass"} where it is known
    int indent = -1;          // -1: one line
};

// {"kind": "Binary", "op": "+", "a": {...}, "b": {...}, "type": "i32"}. A Var has an "id", unique in the document, and its
// "name" and "type" where it is first met. Types of expressions are in their textual form; infinities and NaN are text.
std::string to_json(const NodeRef& node, const JsonOptions& options = {});

} // namespace hidet::ir
