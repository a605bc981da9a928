// SPDX-License-Identifier: Apache-2.0
// Members of documents that stand in no struct: they follow from others.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/session/fields/kind.h"

namespace hidet::cli {

using Json = nlohmann::ordered_json; // members stand in the order of their lists: a document is read by people too

void put_computed_members(Json& out, const session::fields::Kind& kind, const void* value);

Json json_tree(const session::fields::Kind& kind, const void* value);

} // namespace hidet::cli
