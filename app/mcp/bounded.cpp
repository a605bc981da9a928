// SPDX-License-Identifier: Apache-2.0
#include "app/mcp/bounded.h"

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::mcp {

namespace {

struct Limits {
    std::size_t items = SIZE_MAX;
    std::size_t letters = SIZE_MAX;
    int depth = 64;
};

// From nothing left out to hardly anything said.
constexpr Limits ladder[] = {{},       {200, 8000}, {100, 4000}, {50, 2000},  {20, 1000},  {10, 500}, {5, 300},
                             {3, 200}, {2, 120},    {5, 120, 4}, {3, 120, 3}, {2, 120, 2}, {2, 80, 1}};

std::string step(const std::string& at, const std::string& key) {
    std::string out = at + "/";
    for (const char letter : key) // as JSON pointers have it
        out += letter == '~' ? "~0" : letter == '/' ? "~1" : std::string(1, letter);
    return out;
}

// A code point stays whole.
std::string beginning_of(const std::string& text, std::size_t letters) {
    std::size_t end = letters;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return text.substr(0, end);
}

Json cut(const Json& value, const Limits& limits, const std::string& at, int depth) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() <= limits.letters)
            return value;
        const std::string begin = beginning_of(text, limits.letters);
        return cat(begin, "... [", text.size() - begin.size(), " more bytes at ", at, "]");
    }
    if (!value.is_structured() || value.empty())
        return value;
    if (depth >= limits.depth)
        return {{"left_out", value.size()}, {"at", at}};
    if (value.is_object()) {
        Json out = Json::object();
        for (const auto& [key, each] : value.items())
            out[key] = cut(each, limits, step(at, key), depth + 1);
        return out;
    }
    Json out = Json::array();
    for (std::size_t i = 0; i < value.size() && i < limits.items; ++i)
        out.push_back(cut(value[i], limits, step(at, std::to_string(i)), depth + 1));
    if (out.size() < value.size())
        out.push_back({{"left_out", value.size() - out.size()}, {"at", at}, {"from", out.size()}});
    return out;
}

} // namespace

Json bounded(const Json& document, std::size_t characters, const std::string& at, std::size_t from) {
    Json out;
    for (const Limits& limits : ladder) {
        out = cut(document, limits, at, 0);
        if (out.dump().size() <= characters)
            break;
    }
    if (document.is_array() && out.is_array() && out.size() > 0 && out.back() != document.back() && from > 0)
        out.back()["from"] = out.size() - 1 + from;
    return out;
}

} // namespace hidet::mcp
