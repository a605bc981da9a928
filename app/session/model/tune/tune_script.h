// SPDX-License-Identifier: Apache-2.0
// Tuning of the graphs that a script builds for a GPU.
#pragma once

#include "app/session/model/tune/tune.h"
#include "app/session/work/work.h"

namespace hidet::session {

void tune_script(Work& work, const ModelRequest& request, ModelTuneResult& result);

} // namespace hidet::session
