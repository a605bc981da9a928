// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

static Json edits_or_refusal(const Question& question, const assist::Formatting& formatting) {
    if (!formatting.refusal.empty())
        throw RequestError(ErrorCode::RequestFailed, formatting.refusal);
    return question.places().json(formatting.edits);
}

Json formatting(const Question& question) {
    return edits_or_refusal(question, assist::format(question.answers()));
}

Json range_formatting(const Question& question) {
    assist::Range range = question.places().range_at(question.params, "/range");
    return edits_or_refusal(question, assist::format_range(question.answers(), range));
}

} // namespace hidet::lsp
