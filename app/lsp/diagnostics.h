// SPDX-License-Identifier: Apache-2.0
// The mistakes of an open document as the protocol has them.
#pragma once

#include "app/lsp/workspace.h"

namespace hidet::lsp {

Json json_of(Workspace& workspace, const OpenDocument& document, const session::DiagnosticView& diagnostic);
Json diagnostics_of(Workspace& workspace, const OpenDocument& document);
// Where a diagnostic is shown in the document: one of a file that it imports stands at the import.
assist::Range range_of(const OpenDocument& document, const session::DiagnosticView& diagnostic);

} // namespace hidet::lsp
