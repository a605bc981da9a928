// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/explain/explain.h"

namespace hidet::cli {

std::string block_text(const session::BlockView& block);

} // namespace hidet::cli
