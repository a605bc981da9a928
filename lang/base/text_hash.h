// SPDX-License-Identifier: Apache-2.0
// By what texts are known again: of past runs, and of what copies began from.
#pragma once

#include <string>
#include <string_view>

namespace hidet::session {

std::string hash_text(std::string_view text); // 16 digits

} // namespace hidet::session
