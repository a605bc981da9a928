// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/slice_text.h"

#include <charconv>

#include "lang/base/text.h"

namespace hidet::session {

std::string read_stars(const std::string& text, const std::vector<std::int64_t>& shape, StarSlice& out) {
    out = {{}, std::vector<std::int64_t>(shape.size(), 0)};
    const std::vector<std::string> parts = split(text, ',');
    if (parts.size() != shape.size())
        return cat("a slice of it has ", shape.size(), shape.size() == 1 ? " part" : " parts",
                   ", indices or stars: '*' for each dimension that is shown");
    for (std::size_t d = 0; d < parts.size(); ++d) {
        const std::string part(trimmed(parts[d]));
        if (part == "*") {
            out.shown.push_back(static_cast<int>(d));
            continue;
        }
        std::int64_t index = -1;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (error != std::errc() || end != part.data() + part.size() || index < 0 || index >= shape[d])
            return cat("'", part, "' is no index below ", shape[d], " and no star");
        out.fixed[d] = index;
    }
    if (out.shown.empty() || out.shown.size() > 2)
        return "one or two dimensions of a slice are stars";
    return "";
}

} // namespace hidet::session
