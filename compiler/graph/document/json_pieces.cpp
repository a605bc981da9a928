// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/json_pieces.h"

#include <nlohmann/json.hpp>

namespace hidet::graph {

std::string compact(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of_dim(const Dim& dim) {
    if (const auto extent = constant_of(dim))
        return *extent;
    return text_of(dim);
}

} // namespace hidet::graph
