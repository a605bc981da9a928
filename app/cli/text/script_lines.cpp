// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/script_lines.h"

#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

std::string place_text(const std::string& script, const Place& place) {
    if (!place.known())
        return "?";
    return place.file == script ? cat(place.line) : cat(place.file, ":", place.line);
}

std::string place_text(const Source& script, const Place& place) {
    return place_text(script.name, place);
}

std::string line_text(const Source& script, const Place& place) {
    if (place.file != script.name)
        return "";
    std::string_view rest = script.text;
    for (int line = 1; line < place.line; ++line)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    return std::string(trimmed(rest.substr(0, rest.find('\n'))));
}

} // namespace hidet::cli
