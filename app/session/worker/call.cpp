// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/call.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "app/session/kernel_bench/run.h"
#include "app/session/worker/frames.h"
#include "app/session/worker/serve.h"
#include "lang/base/files.h"

namespace hidet::session {

bool read_all(int socket, char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t got = ::read(socket, bytes, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool send_message(int socket, const Message& message) {
    return write_all(socket, frame_of(encode(message)));
}

void greet(int stream) {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    const Hello hello{.host = *name ? name : "unknown", .jobs = job_marks()};
    if (!write_all(stream, std::string(frame_greeting) + frame_of(encode(hello))) && errno != EPIPE) {
        std::fprintf(stderr, "hidetc worker: cannot write standard output: %s\n", std::strerror(errno));
        leave_process(exit_environment);
    }
}

void leave_unspoken(const std::string& why) {
    std::fprintf(stderr, "hidetc worker: %s; this verb is for programs, which write frames to standard input\n",
                 why.c_str());
    leave_process(exit_usage);
}

Result<Message> receive_message(int socket) {
    const Error broken{"bad-message", "the other side is gone, or makes no sense"};
    std::string head(frame_mark.size() + 4, '\0');
    if (!read_all(socket, head.data(), head.size()) || !head.starts_with(frame_mark))
        return broken;
    std::uint32_t length = 0;
    std::memcpy(&length, head.data() + frame_mark.size(), sizeof length);
    if (length > frame_limit)
        return broken;
    std::string bytes(length, '\0');
    if (!read_all(socket, bytes.data(), bytes.size()))
        return broken;
    return decode(bytes);
}

} // namespace hidet::session
