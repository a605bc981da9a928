// SPDX-License-Identifier: Apache-2.0
// What one process of a divided model takes for a step, from its plan.
#pragma once

#include "app/session/model/predictor.h"
#include "app/session/model/scale.h"
#include "compiler/artifact/target_spec.h"

namespace hidet::session {

struct MeshTimes {
    ModelMesh mesh;              // but for which one it is, and its weights
    std::size_t not_counted = 0; // steps of the host that exchange nothing
};
MeshTimes mesh_times(const graph::CompiledGraph& compiled, const Predictor& predictor, const artifact::Links& links);

} // namespace hidet::session
