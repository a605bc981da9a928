// SPDX-License-Identifier: Apache-2.0
// Finding operators of a graph by a line of text, fast enough for every key.
//
//   conv relu             both words are in the name, the operator or the key
//   op:conv name:layer1   in that field alone; also key, rule, value (the name of a tensor that it reads or makes)
//   family:reduction      by the id or title of the family
//   dtype:float16         of a tensor that it reads or makes, from the start of the type's name
//   shape:64x56           extents in a row; shape:[1, for the start, as shapes are written
//   "a b" name:"a b"      with blanks, or to take a colon as it is
#pragma once

#include <string_view>

#include "app/session/model/model_view.h"

namespace hidet::session {

struct NodeSearch {
    std::vector<std::uint32_t> nodes; // in the graph's order; none for an empty query
    std::string mistake;              // what is wrong with the query; empty: nothing
};
NodeSearch find_nodes(const ModelGraph& graph, std::string_view query);

} // namespace hidet::session
