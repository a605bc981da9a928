// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hidet::test {

// A process that is not our child, watched: by its number it could be mistaken for a later one.
class Watched {
public:
    explicit Watched(const std::string& number)
        : m_file(static_cast<int>(syscall(SYS_pidfd_open, std::stoi(number), 0))) {}
    ~Watched() {
        if (m_file >= 0)
            close(m_file);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    bool has_ended() const { return m_file < 0 || poll_for(0); }
    bool ends() const { return m_file < 0 || poll_for(30'000); }

private:
    bool poll_for(int milliseconds) const {
        pollfd file{m_file, POLLIN, 0};
        return poll(&file, 1, milliseconds) == 1;
    }
    int m_file;
};

} // namespace hidet::test
