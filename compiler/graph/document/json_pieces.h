// SPDX-License-Identifier: Apache-2.0
// What the writers and readers of documents share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compiler/graph/core/shape.h"

namespace hidet::graph {

using Json = nlohmann::ordered_json; // attributes keep their order

std::string compact(const Json& json); // one line; what is no UTF-8 is replaced
Json json_of_dim(const Dim& dim);      // a number, or the text of an expression

} // namespace hidet::graph
