// SPDX-License-Identifier: Apache-2.0
// Semantic kinds as the protocol's types and modifiers of tokens.
#pragma once

#include "app/lsp/shapes.h"

namespace hidet::lsp {

Json token_legend();

struct TokenStyle {
    int type = 0;      // index in the legend
    int modifiers = 0; // bits, likewise
};
TokenStyle style_of(assist::SemanticKind kind);

} // namespace hidet::lsp
