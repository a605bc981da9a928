// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/shapes.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::lsp {

const Json* find(const Json& value, const char* pointer) {
    const Json* at = &value;
    for (std::string_view rest(pointer); !rest.empty();) {
        rest.remove_prefix(1);
        std::size_t end = std::min(rest.find('/'), rest.size());
        if (!at->is_object())
            return nullptr;
        auto member = at->find(std::string(rest.substr(0, end)));
        if (member == at->end() || member->is_null())
            return nullptr;
        at = &*member;
        rest.remove_prefix(end);
    }
    return at;
}

static const Json& needed(const Json& value, const char* pointer) {
    if (const Json* found = find(value, pointer))
        return *found;
    throw RequestError(ErrorCode::InvalidParams, cat("'", pointer + 1, "' is missing"));
}

std::string text_at(const Json& value, const char* pointer) {
    const Json& found = needed(value, pointer);
    if (!found.is_string())
        throw RequestError(ErrorCode::InvalidParams, cat("'", pointer + 1, "' is no string"));
    return found.get<std::string>();
}

static int count_of(const Json& value, const char* member) {
    const Json& found = needed(value, member);
    if (!found.is_number())
        throw RequestError(ErrorCode::InvalidParams, cat("'", member + 1, "' is no number"));
    constexpr double most = 2147483647; // what the protocol allows, and what clients mean by "all of the line"
    return static_cast<int>(std::clamp(found.get<double>(), 0.0, most));
}

Position position_at(const Json& value, const char* pointer) {
    const Json& found = needed(value, pointer);
    return {count_of(found, "/line"), count_of(found, "/character")};
}

assist::Range Places::range_at(const Json& value, const char* pointer) const {
    const Json& found = needed(value, pointer);
    std::uint32_t begin = offset(position_at(found, "/start")), end = offset(position_at(found, "/end"));
    return {std::min(begin, end), std::max(begin, end)};
}

Json json_of(Position position) {
    return {{"line", position.line}, {"character", position.character}};
}

Json Places::json(assist::Range range) const {
    return {{"start", json_of(text.position(range.begin, encoding))},
            {"end", json_of(text.position(range.end, encoding))}};
}

Json Places::json(const assist::Edit& edit) const {
    return {{"range", json(edit.range)}, {"newText", edit.text}};
}

Json Places::json(const std::vector<assist::Edit>& edits) const {
    Json out = Json::array();
    for (const assist::Edit& edit : edits)
        out.push_back(json(edit));
    return out;
}

} // namespace hidet::lsp
