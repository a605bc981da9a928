// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hidet {

std::string hex_digits(std::string_view bytes); // two of each byte

} // namespace hidet
