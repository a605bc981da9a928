// SPDX-License-Identifier: Apache-2.0
// What a request gives, or a refusal that says what is wrong with it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace hidet::dap {

using Json = nlohmann::json;

struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

const Json* given(const Json& from, const char* key); // null: it is not
std::string text_at(const Json& from, const char* key, const std::string& otherwise = "");
std::int64_t number_at(const Json& from, const char* key, std::int64_t otherwise);

} // namespace hidet::dap
