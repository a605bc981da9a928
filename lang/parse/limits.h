// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hidet::lang {

// The longest text that is parsed.
inline constexpr std::size_t max_script_bytes = std::size_t{2} << 20;

} // namespace hidet::lang
