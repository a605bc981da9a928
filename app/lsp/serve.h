// SPDX-License-Identifier: Apache-2.0
// A language server over standard streams: what `hidetc lsp` does.
#pragma once

namespace hidet::lsp {

// Until the client says exit, standard input ends, or the client's process does. The exit code is 0 where the client shut
// the server down before, as the protocol has it, else 1.
int serve_standard_streams();

} // namespace hidet::lsp
