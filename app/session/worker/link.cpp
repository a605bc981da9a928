// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/link.h"

#include <algorithm>
#include <cctype>
#include <cerrno>

#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t piece = 64 * 1024;

// Bytes read, 0 at the end, -1: none now.
ssize_t read_some(process::Descriptor& from, char* bytes) {
    if (from.get() < 0)
        return -1;
    ssize_t count = ::read(from.get(), bytes, piece);
    if (count >= 0)
        return count;
    return errno == EINTR || errno == EAGAIN ? -1 : 0;
}

std::string signal_text(int number) {
    const std::string words = words_for_signal(number);
    return cat("was ended by signal ", number, words.empty() ? "" : cat(" (", words, ")"));
}

std::string story_of(const process::Ending& ending) {
    if (ending.by_signal)
        return signal_text(ending.number);
    // How a shell tells that a signal ended the program it ran.
    if (ending.number > 128 && sigdescr_np(ending.number - 128))
        return signal_text(ending.number - 128);
    return cat("ended with code ", ending.number);
}

} // namespace

std::string words_for_signal(int number) {
    const char* words = sigdescr_np(number);
    std::string text = words ? words : "";
    if (!text.empty())
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

std::string last_line_of(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.remove_suffix(1);
    const std::size_t end = text.rfind('\n');
    return std::string(end == std::string_view::npos ? text : text.substr(end + 1));
}

void WorkerLink::send(const Message& message) {
    if (m_outgoing.empty())
        m_outgoing = frame_greeting;
    m_outgoing += frame_of(encode(message));
}

void WorkerLink::prepare(pollfd* files) const {
    files[0] = {m_process->input().get(), static_cast<short>(has_unsent() ? POLLOUT : 0), 0};
    files[1] = {m_process->output().get(), POLLIN, 0};
    files[2] = {m_process->errors().get(), POLLIN, 0};
    files[3] = {m_process->ending(), POLLIN, 0};
}

// A pipe that nobody reads any more is no news: the end of the output tells.
void WorkerLink::write_some() {
    ssize_t count = ::write(m_process->input().get(), m_outgoing.data() + m_sent, m_outgoing.size() - m_sent);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
        m_process->input().close();
    if (count > 0)
        m_sent += static_cast<std::size_t>(count);
    if (m_sent > (1u << 20) && m_sent > m_outgoing.size() / 2) {
        m_outgoing.erase(frame_greeting.size(), m_sent - frame_greeting.size());
        m_sent = frame_greeting.size();
    }
}

void WorkerLink::read_errors() {
    char bytes[piece];
    ssize_t count = read_some(m_process->errors(), bytes);
    if (count == 0)
        m_process->errors().close();
    if (count <= 0)
        return;
    m_errors.append(bytes, static_cast<std::size_t>(count));
    if (m_errors.size() > 2 * errors_limit)
        m_errors.erase(0, m_errors.size() - errors_limit);
}

bool WorkerLink::read_output() {
    char bytes[piece];
    ssize_t count = read_some(m_process->output(), bytes);
    if (count > 0)
        m_reader.feed({bytes, static_cast<std::size_t>(count)});
    if (count == 0)
        m_over = true;
    return count > 0;
}

Result<void> WorkerLink::exchange(const pollfd* files, std::vector<Message>& messages) {
    if (has_unsent() && (files[0].revents & (POLLOUT | POLLERR)))
        write_some();
    if (files[2].revents)
        read_errors();
    bool ended = m_process->has_ended();
    // What an ended process had written is in the pipe still; one that lives may go on for ever.
    for (int pieces = ended ? 64 : 1; pieces > 0 && (ended || files[1].revents); --pieces)
        if (!read_output())
            break;
    m_over |= ended;
    for (;;) {
        auto frame = m_reader.next();
        if (!frame)
            return frame.error();
        if (!frame.value())
            return {};
        HIDET_TRY(Message message, decode(*frame.value()));
        messages.push_back(std::move(message));
    }
}

std::string WorkerLink::end(std::chrono::milliseconds patience) {
    if (patience.count() > 0)
        m_process->input().close(); // which asks it to end
    auto ending = m_process->end(patience);
    for (int pieces = 4; pieces > 0; --pieces)
        read_errors();
    m_signal = ending && ending->by_signal ? ending->number : 0;
    return ending ? story_of(*ending) : "";
}

std::string WorkerLink::last_words() const {
    std::string_view text = m_errors;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.remove_suffix(1);
    std::size_t begin = text.size();
    for (int lines = 10; lines > 0 && begin > 0 && begin != std::string_view::npos; --lines)
        begin = text.rfind('\n', begin - 1);
    return std::string(begin == std::string_view::npos || begin == 0 ? text : text.substr(begin + 1));
}

} // namespace hidet::session
