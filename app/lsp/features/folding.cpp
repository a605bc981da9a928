// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

static const char* kind_name(assist::FoldKind kind) {
    switch (kind) {
    case assist::FoldKind::Imports: return "imports";
    case assist::FoldKind::Comment: return "comment";
    case assist::FoldKind::Block:
    case assist::FoldKind::Bracket:
    case assist::FoldKind::String: return "region";
    }
    return "region";
}

Json folding(const Question& question) {
    Json out = Json::array();
    for (const assist::FoldingRange& fold : assist::folding_ranges(question.answers()))
        out.push_back(
            {{"startLine", fold.first_line - 1}, {"endLine", fold.last_line - 1}, {"kind", kind_name(fold.kind)}});
    return out;
}

} // namespace hidet::lsp
