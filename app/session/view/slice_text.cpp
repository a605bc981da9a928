// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/slice_text.h"

#include <charconv>

#include "lang/base/text.h"

namespace hidet::session {

TensorSlice usual_slice(const std::vector<std::int64_t>& shape) {
    const int rank = static_cast<int>(shape.size());
    return {rank >= 2 ? rank - 2 : -1, rank - 1, std::vector<std::int64_t>(shape.size(), 0)};
}

std::string read_slice(const std::string& text, const std::vector<std::int64_t>& shape, TensorSlice& out) {
    std::vector<int> shown;
    std::vector<std::int64_t> fixed(shape.size(), 0);
    const std::vector<std::string> parts = split(text, ',');
    if (parts.size() != shape.size())
        return cat("a slice of it has ", shape.size(), shape.size() == 1 ? " part" : " parts",
                   ", indices or stars: '*' for each dimension that is shown");
    for (std::size_t d = 0; d < parts.size(); ++d) {
        const std::string part(trimmed(parts[d]));
        if (part == "*") {
            shown.push_back(static_cast<int>(d));
            continue;
        }
        std::int64_t index = -1;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (error != std::errc() || end != part.data() + part.size() || index < 0 || index >= shape[d])
            return cat("'", part, "' is no index below ", shape[d], " and no star");
        fixed[d] = index;
    }
    if (shown.empty() || shown.size() > 2)
        return "one or two dimensions of a slice are stars";
    out = {shown.size() == 2 ? shown.front() : -1, shown.back(), std::move(fixed)};
    return "";
}

std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& shape, std::int64_t element) {
    std::vector<std::int64_t> out(shape.size());
    for (std::size_t d = out.size(); d-- > 0; element /= shape[d])
        out[d] = element % shape[d];
    return out;
}

std::string tuple_text(const std::vector<std::int64_t>& numbers) {
    std::string out = "(";
    for (std::size_t i = 0; i < numbers.size(); ++i)
        out += cat(i ? ", " : "", numbers[i]);
    return out + ")";
}

} // namespace hidet::session
