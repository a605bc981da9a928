// SPDX-License-Identifier: Apache-2.0
// What a client can read: the guide, the pages of the manual, the machines that predictions are made for.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace hidet::mcp {

using Json = nlohmann::ordered_json;

Json all_resources();
Json resource_templates(); // hidet://manual/{word}

struct Resource {
    std::string text;
    const char* type = "text/markdown";
};
std::optional<Resource> read_resource(const std::string& uri); // nothing: there is none

} // namespace hidet::mcp
