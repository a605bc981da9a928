// SPDX-License-Identifier: Apache-2.0
// Graphs for tests of fusion: operators that move elements forth and back, share operands, meet again, have several
// results and several readers.
#pragma once

#include <random>

#include "compiler/graph/core/graph.h"

namespace hidet::test {

// Operators for tests, all of f32.
namespace ops {
const graph::OpInfo& Reverse();   // along the last axis; has an inverse map
const graph::OpInfo& Transpose(); // of the last two axes; has an inverse map
const graph::OpInfo& Shift();     // zero comes in at the front of the last axis; no inverse map
const graph::OpInfo& Exp();       // costly
const graph::OpInfo& Double();
const graph::OpInfo& Halves();    // two results: below zero, above zero
const graph::OpInfo& SumAndMax(); // two results, over the last axis, which stays with extent 1
const graph::OpInfo& Normalise(); // by the sum over the last axis: several stages
const graph::OpInfo& Mixed();     // elements of the matrix, each with its row's sum: a result that a later stage reads
} // namespace ops

// All tensors are [rows, columns] or what follows from it; `rows` may be a symbol.
graph::Graph random_graph(std::mt19937& random, int nodes, const graph::Dim& rows, const graph::Dim& columns);

} // namespace hidet::test
