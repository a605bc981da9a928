// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

Json inlay_hints(const Question& question) {
    constexpr int type_kind = 1;
    const assist::Range asked = question.places().range_at(question.params, "/range");
    Json out = Json::array();
    for (const assist::InlayHint& hint : assist::inlay_hints(question.answers())) {
        if (!asked.touches(hint.offset))
            continue;
        Json made = {{"position", json_of(question.document->text.position(hint.offset, question.client().encoding))},
                     {"label", hint.label}};
        if (hint.kind == assist::InlayHint::Kind::Type)
            made["kind"] = type_kind;
        else
            made["paddingLeft"] = true;
        out.push_back(std::move(made));
    }
    return out;
}

} // namespace hidet::lsp
