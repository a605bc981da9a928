// SPDX-License-Identifier: Apache-2.0
// What findings say in the same words, whether the emulator made them or compiled code. Each is the predicate of a sentence
// that begins "function 'f' " or "kernel 'k' ".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hidet {

inline constexpr const char* divides_by_zero = "divides an integer by zero";
std::string failed_assertion(std::string_view message); // empty: the script gave none

std::string tuple_text(const std::vector<std::int64_t>& items, char open, char close);
std::string element_text(const std::string& tensor, const std::vector<std::int64_t>& index); // "a[3, 4]"

enum class AccessVerb : std::uint8_t { Reads, Writes, Updates };
const char* text_of(AccessVerb verb); // "reads "

// "reads a[3, 4], outside of its shape [3, 4]"
std::string outside_of_shape(AccessVerb verb, const std::string& element, const std::vector<std::int64_t>& shape);

} // namespace hidet
