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

std::int64_t hits_at(const Json& from) {
    const std::string hits = text_at(from, "hitCondition");
    if (hits.empty())
        return 0;
    if (hits.size() >= 10 || hits.find_first_not_of("0123456789") != std::string::npos)
        throw Refusal("a hit condition has to be a number: from which time on it stops");
    return std::stoll(hits);
}

} // namespace hidet::dap
