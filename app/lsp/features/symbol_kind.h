// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/lsp/shapes.h"

namespace hidet::lsp {

int symbol_kind(assist::OutlineKind kind); // the protocol's number

} // namespace hidet::lsp
