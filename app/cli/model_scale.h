// SPDX-License-Identifier: Apache-2.0
// 'hidetc model compile --scale': how many GPUs it is asked about, and the table of them.
#pragma once

#include "app/session/model/scale.h"

namespace hidet::cli {

// "1024": powers of two up to there, the larger ones in greater steps; "1,8,12": these. False: reported as wrong usage.
bool read_gpu_counts(const std::string& text, std::vector<std::int64_t>& counts);

std::string scale_text(const session::ModelScaleResult& result);

} // namespace hidet::cli
