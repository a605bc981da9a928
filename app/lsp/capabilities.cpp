// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/capabilities.h"

#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "app/lsp/features/token_legend.h"

namespace hidet::lsp {

Json capabilities(const Client& client) {
    constexpr int incremental = 2;
    Json out = {{"positionEncoding", encoding_name(client.encoding)},
                {"textDocumentSync", {{"openClose", true}, {"change", incremental}}},
                {"semanticTokensProvider", {{"legend", token_legend()}, {"full", true}, {"range", true}}}};
    out["workspace"]["workspaceFolders"] = {{"supported", true}, {"changeNotifications", true}};
    for (const Feature& feature : features())
        if (*feature.capability)
            out[feature.capability] = Json::parse(feature.value);
    return out;
}

} // namespace hidet::lsp
