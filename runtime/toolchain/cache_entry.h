// SPDX-License-Identifier: Apache-2.0
// What stands in a file of the cache: a head that tells a whole entry from any other file, and the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hidet::toolchain {

std::string entry_head(std::string_view bytes);
// The bytes of a whole, undamaged entry.
std::optional<std::string> entry_bytes(std::string file);

} // namespace hidet::toolchain
