// SPDX-License-Identifier: Apache-2.0
// How often the files of a folder are opened: whoever reads or evaluates a script opens what it imports, so a test sees
// from outside how many do.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace hidet::test {

class OpenCount {
public:
    explicit OpenCount(const std::string& folder) : m_events(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        // Equal events that follow each other count as one, so those between two openings are asked for too.
        if (m_events < 0 || inotify_add_watch(m_events, folder.c_str(), IN_OPEN | IN_ACCESS | IN_CLOSE) < 0)
            throw std::runtime_error("no inotify for " + folder);
    }
    ~OpenCount() { ::close(m_events); }
    OpenCount(const OpenCount&) = delete;
    OpenCount& operator=(const OpenCount&) = delete;

    // Since it was asked last, by the name in the folder.
    int take(const std::string& file) {
        read();
        return std::exchange(m_opened[file], 0);
    }

private:
    void read() {
        alignas(inotify_event) char buffer[16 * 1024];
        for (ssize_t size = 0; (size = ::read(m_events, buffer, sizeof buffer)) > 0;)
            for (char* at = buffer; at < buffer + size;) {
                const auto& event = *reinterpret_cast<const inotify_event*>(at);
                if (event.mask & IN_OPEN && event.len > 0)
                    ++m_opened[event.name];
                at += sizeof(inotify_event) + event.len;
            }
    }

    int m_events;
    std::map<std::string, int> m_opened;
};

} // namespace hidet::test
