// SPDX-License-Identifier: Apache-2.0
// Times of a model that is built.
#pragma once

#include "app/session/model/stages.h"

namespace hidet::session {

// Fills all of the result but the facts. False: the work says why.
bool measure_built(Work& work, const ModelRunRequest& request, ModelStages& stages, ModelBenchResult& result);

} // namespace hidet::session
