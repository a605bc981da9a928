// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>

#include "app/session/tools/open_tools.h"

namespace hidet::ui {

class Settings;

// Compilers in as many processes as the settings say, which start and load at once without being waited for.
std::shared_ptr<session::Tools> openCompileWorkers(const Settings& settings);

} // namespace hidet::ui
