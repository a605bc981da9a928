// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

Json references(const Question& question) {
    const Json* wanted = find(question.params, "/context/includeDeclaration");
    const bool with_definition = !wanted || !wanted->is_boolean() || wanted->get<bool>();
    Json out = Json::array();
    for (const assist::FileUses& file :
         assist::references_in_folder(question.answers(), question.offset(), *question.workspace.buffers())) {
        const IndexedText text = question.workspace.text_of(file.path);
        Places places{text, question.client().encoding};
        for (const assist::Use& use : file.uses)
            if (with_definition || !(use.range == file.definition))
                out.push_back({{"uri", question.workspace.uri_of(file.path)}, {"range", places.json(use.range)}});
    }
    return out;
}

} // namespace hidet::lsp
