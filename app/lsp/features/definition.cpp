// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

Json definition(const Question& question) {
    assist::Location found = assist::definition(question.answers(), question.offset());
    if (!found.known())
        return nullptr;
    if (found.file.empty())
        return {{"uri", question.document->uri}, {"range", question.places().json(found.range)}};
    const IndexedText text = question.workspace.text_of(found.file);
    return {{"uri", question.workspace.uri_of(found.file)},
            {"range", Places{text, question.client().encoding}.json(found.range)}};
}

} // namespace hidet::lsp
