// SPDX-License-Identifier: Apache-2.0
// Which operator of a run is the first to be wrong.
#pragma once

#include "app/session/model/stages.h"

namespace hidet::session {

// Runs the model step by step beside its reference (reference.h). False: the work says why.
bool compare_nodes(Work& work, ModelStages& stages, const ModelRunRequest& request, const graph::Tensors& inputs,
                   ModelRunResult& result);

// How far a value of this dtype may be from its float64, as a share of the greatest magnitude in the tensor.
double node_tolerance(ir::DType dtype);

} // namespace hidet::session
