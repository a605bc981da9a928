// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/features/features.h"

#include <nlohmann/json.hpp>

namespace hidet::lsp {

// What is announced of a feature, as JSON.
static constexpr const char *none = "", *yes = "true", *no_options = "{}";
static constexpr const char* code_action_options = R"({"codeActionKinds": ["quickfix"]})";
static constexpr const char* command_options = R"({"commands": ["hidet.taken"]})";
static constexpr const char* completion_options = R"({"triggerCharacters": [".", "@"], "resolveProvider": true})";
static constexpr const char* rename_options = R"({"prepareProvider": true})";
static constexpr const char* signature_options = R"({"triggerCharacters": ["(", ","], "retriggerCharacters": ["="]})";

const std::vector<Feature>& features() {
    static const std::vector<Feature> all = {
#define HIDET_LSP_FEATURE(function, method, what, needs, capability, value)                                            \
    {method, Needs::needs, capability, value, function},
#include "app/lsp/features.def"
    };
    return all;
}

} // namespace hidet::lsp
