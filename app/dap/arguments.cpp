// SPDX-License-Identifier: Apache-2.0
#include "app/dap/arguments.h"

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::dap {

const Json* given(const Json& from, const char* key) {
    const auto found = from.find(key);
    return found == from.end() || found->is_null() ? nullptr : &*found;
}

std::string text_at(const Json& from, const char* key, const std::string& otherwise) {
    const Json* found = given(from, key);
    if (!found)
        return otherwise;
    if (!found->is_string())
        throw Refusal(cat("'", key, "' has to be a text"));
    return found->get<std::string>();
}

std::int64_t number_at(const Json& from, const char* key, std::int64_t otherwise) {
    const Json* found = given(from, key);
    if (!found)
        return otherwise;
    if (!found->is_number_integer())
        throw Refusal(cat("'", key, "' has to be an integer"));
    return found->get<std::int64_t>();
}

} // namespace hidet::dap
