// SPDX-License-Identifier: Apache-2.0
// Answers of a bounded length: what does not fit is named where it was, with how to ask for it.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace hidet::mcp {

using Json = nlohmann::ordered_json;

// The document in at most so many characters as text without blanks, if it can be said in that: long lists and texts are cut, then
// what is deep is left out. A list that was cut ends with {"left_out": 17, "at": "/kernels/0/accesses", "from": 3}. `at`: where
// in the whole document this one is, as a JSON pointer; of a list without its first elements, how many these are.
Json bounded(const Json& document, std::size_t characters, const std::string& at = "", std::size_t from = 0);

} // namespace hidet::mcp
