// SPDX-License-Identifier: Apache-2.0
// The standard streams of a server that speaks in frames (frames.h), and the end of the process with that of its client.
#pragma once

#include <functional>

#include "app/lsp/frames.h"

namespace hidet::lsp {

struct Streams {
    int in = -1;
    int out = -1;
};

// Standard output is for messages alone: what anybody prints goes to standard error.
Streams take_streams();
void read_frames(int in, const std::function<void(FrameReader::Frame)>& take); // until the stream ends
// Ends the process soon after the client has closed its end, or its process or the one that started this has ended.
[[noreturn]] void watch_client(int in, const std::function<long()>& process); // 0: the client has not said it

} // namespace hidet::lsp
