// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/explain/explain.h"

namespace hidet::cli {

std::string bounds_text(const session::BoundsView& bounds, const std::string& script);

} // namespace hidet::cli
