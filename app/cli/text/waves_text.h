// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/explain/explain.h"

namespace hidet::cli {

// The waves of a kernel: a picture of tiles by the wave that computes them, and a table of what waves read.
std::string waves_text(const session::WavesView& waves);

} // namespace hidet::cli
