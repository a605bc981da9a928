// SPDX-License-Identifier: Apache-2.0
// Four threads: one reads, one answers (server.h), one writes, and one watches that the client still lives. Whatever the
// others are at, the last one ends the process: an editor that was killed leaves nothing behind.
#include "app/lsp/serve.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/lsp/frames.h"
#include "app/lsp/server.h"
#include "app/session/worker/worker_rehearser.h"

namespace hidet::lsp {

namespace {

using namespace std::chrono_literals;

constexpr int exit_lost = 1;
constexpr auto last_moments = 700ms; // between the end of standard input and that of the process

struct Streams {
    int in = -1;
    int out = -1;
};

// Standard output is for messages alone: what anybody prints goes to standard error.
Streams take_streams() {
    Streams streams{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (int nothing = open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return streams;
}

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
    FrameReader reader;
    char bytes[64 * 1024];
    for (;;) {
        ssize_t count = ::read(in, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        reader.feed({bytes, static_cast<std::size_t>(count)});
        while (auto frame = reader.next())
            if (!frame->fault.empty())
                inbox.put({Event::Kind::Fault, std::move(frame->fault)});
            else if (!take_cancel(inbox, frame->body))
                inbox.put({Event::Kind::Message, std::move(frame->body)});
    }
    inbox.put({Event::Kind::Ended, ""});
}

// The other end of standard input was closed, also where what it wrote was not read yet.
bool is_hung_up(int in) {
    pollfd file{in, 0, 0};
    return poll(&file, 1, 0) > 0 && (file.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool is_gone(long process) {
    return process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

[[noreturn]] void watch(int in, const Inbox& inbox) {
    const pid_t parent = getppid();
    std::chrono::milliseconds lost{0};
    constexpr auto step = 100ms;
    for (;; std::this_thread::sleep_for(step)) {
        if (getppid() != parent || is_gone(inbox.process()))
            std::_Exit(exit_lost);
        lost = is_hung_up(in) ? lost + step : 0ms;
        if (lost > last_moments)
            std::_Exit(exit_lost);
    }
}

} // namespace

int serve_standard_streams() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, SIG_DFL);
    const Streams streams = take_streams();
    Inbox inbox;
    Outbox outbox(streams.out);
    std::thread([&] { watch(streams.in, inbox); }).detach();
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
