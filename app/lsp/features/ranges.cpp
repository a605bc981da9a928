// SPDX-License-Identifier: Apache-2.0
// What can be folded, and what a selection grows to.
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

Json selection_ranges(const Question& question) {
    const Json* positions = find(question.params, "/positions");
    if (!positions || !positions->is_array())
        throw RequestError(ErrorCode::InvalidParams, "'positions' is missing");
    Json out = Json::array();
    for (const Json& position : *positions) {
        std::uint32_t offset = question.places().offset(position_at({{"at", position}}, "/at"));
        std::vector<assist::Range> ranges = assist::selection_ranges(question.answers(), offset);
        if (ranges.empty())
            ranges.push_back({offset, offset});
        Json nested;
        for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
            Json made = {{"range", question.places().json(*range)}};
            if (!nested.is_null())
                made["parent"] = std::move(nested);
            nested = std::move(made);
        }
        out.push_back(std::move(nested));
    }
    return out;
}

} // namespace hidet::lsp
