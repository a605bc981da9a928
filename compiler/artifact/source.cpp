// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/source.h"

#include <algorithm>

namespace hidet::artifact {

const TokenOrigin* token_at(const Source& source, std::uint32_t offset) {
    auto after = std::upper_bound(source.tokens.begin(), source.tokens.end(), offset,
                                  [](std::uint32_t at, const TokenOrigin& token) { return at < token.begin; });
    if (after == source.tokens.begin())
        return nullptr;
    const TokenOrigin& token = *std::prev(after);
    return offset < token.end ? &token : nullptr;
}

std::vector<Origin> line_origins(const Source& source) {
    std::vector<Origin> lines(1);
    auto token = source.tokens.begin();
    for (std::uint32_t at = 0; at < source.text.size(); ++at) {
        for (; token != source.tokens.end() && token->begin <= at; ++token)
            if (!lines.back().known() && token->origin.known())
                lines.back() = token->origin;
        if (source.text[at] == '\n')
            lines.emplace_back();
    }
    return lines;
}

} // namespace hidet::artifact
