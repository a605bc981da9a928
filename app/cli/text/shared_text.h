// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/explain/explain.h"

namespace hidet::cli {

std::string shared_text(const session::SharedView& shared, const std::string& script);

} // namespace hidet::cli
