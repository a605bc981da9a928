// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/source.h"

namespace hidet::artifact {

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
