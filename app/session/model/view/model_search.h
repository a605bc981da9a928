// SPDX-License-Identifier: Apache-2.0
// Finding operators of a graph by a line of text, fast enough for every key.
//
//   conv relu             both words are in the name, the operator or the key
//   op:conv name:layer1   in that field alone; also key, rule, value (the name of a tensor that it reads or makes)
//   family:reduction      by the id or title of the family
//   dtype:float16         of a tensor that it reads or makes, from the start of the type's name
//   shape:64x56           extents in a row; shape:[1, for the start, as shapes are written
//   attr:pads             of its attributes, as "pads = [1, 1]"
//   kernel:softmax        by the names of the kernels that it is part of, or of the operator that these are called after
//   "a b" name:"a b"      with blanks, or to take a colon as it is
//
// With expressions the texts are regular expressions instead of parts, of the same fields; blanks and quotes divide as before.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "app/session/model/view/model_view.h"
#include "lang/base/result.h"

namespace hidet::session {

struct NodeSearch {
    std::vector<std::uint32_t> nodes; // in the graph's order; none for an empty query
    std::string mistake;              // what is wrong with the query; empty: nothing
};
NodeSearch find_nodes(const ModelGraph& graph, std::string_view query);

// Whether a text has what an expression asks for; expressions are read by who calls, and an error says what is wrong with one.
using TextTest = std::function<bool(std::string_view text)>;
using ExpressionReader = std::function<Result<TextTest>(std::string_view expression)>;
NodeSearch find_nodes_by_expression(const ModelGraph& graph, std::string_view query, const ExpressionReader& read,
                                    const std::atomic<bool>* stopped = nullptr);

} // namespace hidet::session
