// SPDX-License-Identifier: Apache-2.0
// What stands in a file of the cache: a head that tells a whole entry from any other file and whose entry it is, and the
// bytes. The name of a file is no proof of its key: files are copied, swapped and restored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hidet::toolchain {

std::string entry_head(std::string_view key, std::string_view bytes);
// The bytes of the whole, undamaged entry of that key.
std::optional<std::string> entry_bytes(std::string_view key, std::string file);

} // namespace hidet::toolchain
