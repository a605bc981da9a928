// SPDX-License-Identifier: Apache-2.0
// By what texts are known again: of past runs, of programs, and of what copies began from; and hashes as digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hidet {

// FNV-1a in 16 digits: the same on every machine.
std::string hash_text(std::string_view text);

std::string hex_digits(std::string_view bytes); // two of each byte
std::string hex_digits(std::uint64_t value, int digits);

} // namespace hidet
