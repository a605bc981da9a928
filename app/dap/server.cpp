// SPDX-License-Identifier: Apache-2.0
// One thread reads and answers, one writes, one runs the script (session/debug), and one watches that the client still lives: it ends
// the process, whatever the others are at.
#include "app/dap/server.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "app/dap/adapter.h"
#include "app/lsp/outbox.h"
#include "app/lsp/streams.h"

namespace hidet::dap {

int serve_standard_streams() {
    using namespace std::chrono_literals;
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, SIG_DFL);
    const lsp::Streams streams = lsp::take_streams();
    lsp::Outbox outbox(streams.out);
    std::thread([&] { lsp::watch_client(streams.in, [] { return 0L; }); }).detach();
    Adapter adapter([&](std::string body) { outbox.send(std::move(body)); });
    lsp::read_frames(streams.in, [&](lsp::FrameReader::Frame frame) {
        frame.fault.empty() ? adapter.take(frame.body) : adapter.fault(frame.fault);
        if (!adapter.is_over())
            return;
        outbox.flush(500ms);
        std::_Exit(0); // a script that still runs has nothing to lose
    });
    std::_Exit(0); // the client has left without a word
}

} // namespace hidet::dap
