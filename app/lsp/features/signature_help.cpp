// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"

namespace hidet::lsp {

Json signature_help(const Question& question) {
    assist::SignatureHelp help = assist::signature_help(question.answers(), question.offset());
    if (help.label.empty())
        return nullptr;
    IndexedText label(help.label); // offsets in labels are always UTF-16
    Json parameters = Json::array();
    for (const assist::SignatureParameter& parameter : help.parameters) {
        int begin = label.position(parameter.range.begin, Encoding::Utf16).character;
        int end = label.position(parameter.range.end, Encoding::Utf16).character;
        parameters.push_back({{"label", Json::array({begin, end})}});
    }
    Json signature = {{"label", help.label}, {"parameters", std::move(parameters)}};
    if (!help.documentation.empty())
        signature["documentation"] = {{"kind", "markdown"}, {"value", help.documentation}};
    Json out = {{"signatures", Json::array({signature})}, {"activeSignature", 0}};
    // None of them: an index behind the last one, as the protocol has it.
    out["activeParameter"] = help.active >= 0 ? help.active : static_cast<int>(help.parameters.size());
    return out;
}

} // namespace hidet::lsp
