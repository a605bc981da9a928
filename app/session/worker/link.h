// SPDX-License-Identifier: Apache-2.0
// One worker process from the outside: messages to it, messages from it, and its last words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <poll.h>

#include "app/session/worker/frames.h"
#include "app/session/worker/messages.h"
#include "runtime/process/child.h"

namespace hidet::session {

std::string last_line_of(std::string_view text); // without its end
std::string words_for_signal(int number);        // "segmentation fault"; "": there are none

class WorkerLink {
public:
    explicit WorkerLink(std::unique_ptr<process::Child> process) : m_process(std::move(process)) {}

    void send(const Message& message); // is written when the pipe takes it
    bool has_unsent() const { return m_sent < m_outgoing.size(); }

    static constexpr std::size_t file_count = 4;
    void prepare(pollfd* files) const; // file_count of them
    // Reads and writes what is possible without waiting, a bounded amount. "bad-frame", "bad-message"; what came before is
    // in `messages` all the same.
    Result<void> exchange(const pollfd* files, std::vector<Message>& messages);
    // It ended, or will never say anything again.
    bool is_over() const { return m_over; }

    // Kills it, unless it ends by itself in this time. Then tells how it ended: "ended with code 3", "was ended by signal
    // 11 (segmentation fault)"; "": by our kill.
    std::string end(std::chrono::milliseconds patience);
    int signal() const { return m_signal; } // that ended it, once end() was called; 0: none
    std::string last_words() const;         // some last lines of standard error
    const FrameReader& reader() const { return m_reader; }

private:
    void write_some();
    void read_errors();
    bool read_output(); // false: there is nothing more now

    static constexpr std::size_t banner_limit = 64 * 1024;
    static constexpr std::size_t errors_limit = 64 * 1024;

    std::unique_ptr<process::Child> m_process;
    FrameReader m_reader{banner_limit};
    std::string m_outgoing;
    std::size_t m_sent = 0;
    std::string m_errors; // the last bytes of standard error
    bool m_over = false;
    int m_signal = 0;
};

} // namespace hidet::session
