// SPDX-License-Identifier: Apache-2.0
// Four threads: one reads, one answers (server.h), one writes, and one watches that the client still lives. Whatever the
// others are at, the last one ends the process: an editor that was killed leaves nothing behind.
#include "app/lsp/serve.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/lsp/server.h"
#include "app/lsp/streams.h"
#include "app/session/worker/worker_rehearser.h"

namespace hidet::lsp {

namespace {

using namespace std::chrono_literals;

// A client cancels what may still be waiting to be looked at.
bool take_cancel(Inbox& inbox, const std::string& body) {
    if (body.size() > 1000 || body.find("$/cancelRequest") == std::string::npos)
        return false;
    Json message = Json::parse(body, nullptr, false);
    const Json* method = find(message, "/method");
    const Json* id = find(message, "/params/id");
    if (!method || *method != "$/cancelRequest")
        return false;
    if (id)
        inbox.cancel(id->dump());
    return true;
}

void read_all(int in, Inbox& inbox) {
    read_frames(in, [&](FrameReader::Frame frame) {
        if (!frame.fault.empty())
            inbox.put({Event::Kind::Fault, std::move(frame.fault)});
        else if (!take_cancel(inbox, frame.body))
            inbox.put({Event::Kind::Message, std::move(frame.body)});
    });
    inbox.put({Event::Kind::Ended, ""});
}

} // namespace

int serve_standard_streams() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, SIG_DFL);
    const Streams streams = take_streams();
    Inbox inbox;
    Outbox outbox(streams.out);
    std::thread([&] { watch_client(streams.in, [&] { return inbox.process(); }); }).detach();
    std::thread([&] { read_all(streams.in, inbox); }).detach();
    std::thread([] { assist::learn_language(); }).detach(); // while the client introduces itself
    session::WorkerRehearser rehearser(
        {.unwatched = [](const std::string& why) { std::fprintf(stderr, "hidetc lsp: %s\n", why.c_str()); }});
    session::set_rehearser(&rehearser);
    Server server(inbox, outbox);
    const int code = server.run();
    outbox.flush(500ms);
    std::_Exit(code); // threads that still read or evaluate have nothing to lose
}

} // namespace hidet::lsp
