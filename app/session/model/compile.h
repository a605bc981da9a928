// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/model/model.h"

namespace hidet::session {

// As compile_model(), for a plan file: the launch plan, and beside it its weights and compiled functions.
ModelCompileResult compile_model_to_file(const ModelRequest& request, const std::string& plan_file);

} // namespace hidet::session
