// SPDX-License-Identifier: Apache-2.0
// What hidetc profile prints for people.
#pragma once

#include <string>

#include "app/session/profile/profile.h"

namespace hidet::cli {

inline constexpr std::size_t usual_profile_rows = 12;

// `rows`: of each table at most; 0: all.
std::string profile_text(const session::ProfileResult& result, const session::Source& script, std::size_t rows);

} // namespace hidet::cli
