// SPDX-License-Identifier: Apache-2.0
// Values of dynamic dimensions, by their names.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace hidet {

using SymbolValues = std::map<std::string, std::int64_t>;

} // namespace hidet
