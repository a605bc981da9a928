// SPDX-License-Identifier: Apache-2.0
// From a name to where it comes from and is used, and from an import to its file.
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

Json document_highlight(const Question& question) {
    constexpr int read = 2, write = 3;
    Json out = Json::array();
    for (const assist::Use& use : assist::references(question.answers(), question.offset()))
        out.push_back({{"range", question.places().json(use.range)}, {"kind", use.is_write ? write : read}});
    return out;
}

Json document_links(const Question& question) {
    Json out = Json::array();
    for (const assist::ImportLink& link : assist::import_links(question.answers()))
        out.push_back(
            {{"range", question.places().json(link.range)}, {"target", question.workspace.uri_of(link.path)}});
    return out;
}

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
