// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

Json document_highlight(const Question& question) {
    constexpr int read = 2, write = 3;
    Json out = Json::array();
    for (const assist::Use& use : assist::references(question.answers(), question.offset()))
        out.push_back({{"range", question.places().json(use.range)}, {"kind", use.is_write ? write : read}});
    return out;
}

} // namespace hidet::lsp
