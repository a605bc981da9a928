// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/streams.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace hidet::lsp {

namespace {

using namespace std::chrono_literals;

constexpr int exit_lost = 1;
constexpr auto last_moments = 700ms; // between the end of standard input and that of the process

// The other end of standard input was closed, also where what it wrote was not read yet.
bool is_hung_up(int in) {
    pollfd file{in, 0, 0};
    return poll(&file, 1, 0) > 0 && (file.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool is_gone(long process) {
    return process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

} // namespace

Streams take_streams() {
    Streams streams{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (int nothing = open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return streams;
}

void read_frames(int in, const std::function<void(FrameReader::Frame)>& take) {
    FrameReader reader;
    char bytes[64 * 1024];
    for (;;) {
        const ssize_t count = ::read(in, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        reader.feed({bytes, static_cast<std::size_t>(count)});
        while (auto frame = reader.next())
            take(std::move(*frame));
    }
}

[[noreturn]] void watch_client(int in, const std::function<long()>& process) {
    const pid_t parent = getppid();
    std::chrono::milliseconds lost{0};
    constexpr auto step = 100ms;
    for (;; std::this_thread::sleep_for(step)) {
        if (getppid() != parent || is_gone(process()))
            std::_Exit(exit_lost);
        lost = is_hung_up(in) ? lost + step : 0ms;
        if (lost > last_moments)
            std::_Exit(exit_lost);
    }
}

} // namespace hidet::lsp
