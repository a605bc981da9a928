// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/model/plan_file.h"

namespace hidet::session {

// As compile_model(), for a plan file: the launch plan, and beside it its weights and compiled functions. A plan for GPUs
// needs none; it is made for the architectures that are named, or else for the GPU that is here or `default_arch`.
ModelCompileResult compile_model_to_file(const ModelRequest& request, const PlanFileOptions& options);

} // namespace hidet::session
