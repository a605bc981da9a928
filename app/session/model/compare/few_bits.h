// SPDX-License-Identifier: Apache-2.0
// What each product of a model loses by a matrix of few bits, on what a run gives it to multiply with.
#pragma once

#include <vector>

#include "app/session/model/compare/compare_nodes.h"
#include "compiler/graph/passes/packed_weight.h"

namespace hidet::session {

// A product whose matrix depends on constants alone, and what is to be known of it.
struct FewBitsProduct {
    graph::NodeId node;
    graph::ValueId rows, matrix;
};
std::vector<FewBitsProduct> few_bits_products(const graph::Graph& imported);

// The worst first. `reference` has what is neither a constant nor an input. The matrices are stored in few bits here anew,
// also those that a limit leaves as they are.
std::vector<ModelFewBits> few_bits_errors(const graph::Graph& imported, const std::vector<FewBitsProduct>& products,
                                          const ReferenceValues& reference, const Tensors& inputs,
                                          const graph::QuantizeKind& kind);

} // namespace hidet::session
