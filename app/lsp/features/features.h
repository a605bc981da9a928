// SPDX-License-Identifier: Apache-2.0
// What a client may ask: a function for each row of features.def. It gets a question and returns the answer, or throws
// RequestError.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/lsp/workspace.h"

namespace hidet::lsp {

struct Question {
    Workspace& workspace;
    const Json& params;
    OpenDocument* document = nullptr; // where the row needs one

    const Client& client() const { return workspace.client; }
    const assist::Document& answers() const { return *document->answers(); }
    Places places() const { return {document->text, client().encoding}; }
    std::uint32_t offset() const { return places().offset(position_at(params, "/position")); }
};

enum class Needs : std::uint8_t { Nothing, Text, Document, Values };

struct Feature {
    const char* method;
    Needs needs;
    const char* capability;
    const char* value; // JSON
    Json (*answer)(const Question&);
};
const std::vector<Feature>& features();

#define HIDET_LSP_FEATURE(function, method, what, needs, capability, value) Json function(const Question& question);
#include "app/lsp/features.def"

// What several of them say.
int symbol_kind(assist::OutlineKind kind); // the protocol's number
Json token_legend();
// Edits of several files in one answer.
Json workspace_edit(Workspace& workspace, const std::map<std::string, std::vector<assist::Edit>>& edits_by_path);

} // namespace hidet::lsp
