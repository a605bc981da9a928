// SPDX-License-Identifier: Apache-2.0
// Folders of the user's, by the XDG Base Directory Specification.
#pragma once

#include "runtime/toolchain/locate.h"

namespace hidet::toolchain {

// user_folder(variables, "XDG_CACHE_HOME", ".cache"): where the variable says, else below the home. Empty: there is none.
std::string user_folder(const Variables& variables, const char* variable, const char* below_home);

} // namespace hidet::toolchain
