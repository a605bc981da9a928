// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/client.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/lsp/shapes.h"
#include "app/lsp/uri.h"

namespace hidet::lsp {

namespace {

bool says(const Json& params, const char* pointer) {
    const Json* found = find(params, pointer);
    return found && found->is_boolean() && found->get<bool>();
}

bool lists(const Json& params, const char* pointer, const char* word) {
    const Json* found = find(params, pointer);
    return found && found->is_array() && std::find(found->begin(), found->end(), word) != found->end();
}

// The client's favourite of those that we know, and what everybody has to know if it has none.
Encoding encoding_of(const Json& params) {
    const Json* wanted = find(params, "/capabilities/general/positionEncodings");
    if (!wanted || !wanted->is_array())
        return Encoding::Utf16;
    for (const Json& name : *wanted)
        for (Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32})
            if (name == encoding_name(encoding))
                return encoding;
    return Encoding::Utf16;
}

std::vector<std::string> roots_of(const Json& params) {
    std::vector<std::string> out;
    auto add = [&](const Json& uri) {
        if (std::string path = uri.is_string() ? path_of_uri(uri.get<std::string>()) : ""; !path.empty())
            out.push_back(std::move(path));
    };
    const Json* folders = find(params, "/workspaceFolders");
    for (const Json& folder : folders && folders->is_array() ? *folders : Json::array())
        if (const Json* uri = find(folder, "/uri"))
            add(*uri);
    if (const Json* uri = find(params, "/rootUri"); uri && out.empty())
        add(*uri);
    return out;
}

} // namespace

const char* encoding_name(Encoding encoding) {
    switch (encoding) {
    case Encoding::Utf8: return "utf-8";
    case Encoding::Utf16: return "utf-16";
    case Encoding::Utf32: return "utf-32";
    }
    return "";
}

Client read_client(const Json& params) {
    Client out;
    out.encoding = encoding_of(params);
    const char* formats = "/capabilities/textDocument/hover/contentFormat";
    out.shows_markdown = !find(params, formats) || lists(params, formats, "markdown");
    out.takes_snippets = says(params, "/capabilities/textDocument/completion/completionItem/snippetSupport");
    out.shows_related = says(params, "/capabilities/textDocument/publishDiagnostics/relatedInformation");
    out.takes_versions = says(params, "/capabilities/workspace/workspaceEdit/documentChanges");
    out.nests_symbols = says(params, "/capabilities/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport");
    out.takes_actions = find(params, "/capabilities/textDocument/codeAction/codeActionLiteralSupport") != nullptr;
    out.watches_files = says(params, "/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
    if (const Json* findings = find(params, "/initializationOptions/findings"); findings && findings->is_boolean())
        out.wants_findings = findings->get<bool>();
    if (const Json* process = find(params, "/processId"); process && process->is_number_integer())
        out.process = process->get<long>();
    out.roots = roots_of(params);
    return out;
}

} // namespace hidet::lsp
