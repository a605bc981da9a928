// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

Json document_links(const Question& question) {
    Json out = Json::array();
    for (const assist::ImportLink& link : assist::import_links(question.answers()))
        out.push_back(
            {{"range", question.places().json(link.range)}, {"target", question.workspace.uri_of(link.path)}});
    return out;
}

} // namespace hidet::lsp
