// SPDX-License-Identifier: Apache-2.0
// What a client says of itself when it begins.
#pragma once

#include <string>
#include <vector>

#include "app/lsp/json.h"
#include "app/lsp/positions.h"

namespace hidet::lsp {

struct Client {
    Encoding encoding = Encoding::Utf16;
    bool shows_markdown = true;     // in hovers
    bool takes_snippets = false;    // completions with places to fill in
    bool shows_related = false;     // places beside that of a diagnostic
    bool takes_versions = false;    // edits of a document that name its version
    bool nests_symbols = false;     // a tree of a document's parts instead of a list
    bool takes_actions = false;     // code actions with edits, instead of commands
    bool watches_files = false;     // tells of changed files when it is asked to
    bool wants_findings = true;     // of kernels that will be slow or go wrong, beside mistakes
    long process = 0;               // that ends with it; 0: it named none
    std::vector<std::string> roots; // folders that it has open
};

Client read_client(const Json& params);
const char* encoding_name(Encoding encoding); // "utf-16"

} // namespace hidet::lsp
