// SPDX-License-Identifier: Apache-2.0
// A server of the Debug Adapter Protocol on standard streams: an editor steps through a kernel on the emulator, forward and back.
#pragma once

namespace hidet::dap {

// Until the client disconnects or has gone. The exit code.
int serve_standard_streams();

} // namespace hidet::dap
