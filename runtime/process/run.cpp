// SPDX-License-Identifier: Apache-2.0
#include "runtime/process/run.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/child.h"

namespace hidet::process {

namespace {

using Clock = std::chrono::steady_clock;
using End = Outcome::End;

// Input lies in a file without a name: nobody has to feed a pipe, and a program that wants to seek can.
Descriptor file_of(const std::string& text) {
    Descriptor file = above_standard_streams(Descriptor(memfd_create("input", MFD_CLOEXEC)));
    if (file.is_open() && !write_all(file.get(), text))
        return Descriptor();
    if (file.is_open() && lseek(file.get(), 0, SEEK_SET) != 0)
        file.close();
    return file;
}

class Reading {
public:
    Reading(const Command& command, Child& child) : m_command(command), m_child(child) {}
    Outcome read_to_end() {
        while (wait_for_more())
            if (End reason = reason_to_stop(); reason != End::Exited) {
                m_child.end(std::chrono::milliseconds(0));
                m_outcome.end = reason;
                return std::move(m_outcome);
            }
        // What it left running in the background goes first; what all of them had written is in the pipes still.
        if (auto ending = m_child.end(std::chrono::milliseconds(0))) {
            m_outcome.end = ending->by_signal ? End::Crashed : End::Exited;
            m_outcome.code = ending->number;
        }
        while (read_some(m_child.output(), m_outcome.output) || read_some(m_child.errors(), m_outcome.errors)) {
        }
        return std::move(m_outcome);
    }

private:
    // False once the process has ended. The flag that cancels wakes nobody, so it is looked at every now and then.
    bool wait_for_more() {
        pollfd files[3] = {
            {m_child.output().get(), POLLIN, 0}, {m_child.errors().get(), POLLIN, 0}, {m_child.ending(), POLLIN, 0}};
        auto left = std::chrono::ceil<std::chrono::milliseconds>(m_deadline - Clock::now()).count();
        std::int64_t longest = m_child.ending() < 0 ? 5 : m_command.cancelled ? 20 : 1000;
        poll(files, 3, static_cast<int>(std::clamp<std::int64_t>(left, 0, longest)));
        if (files[0].revents)
            read_some(m_child.output(), m_outcome.output);
        if (files[1].revents)
            read_some(m_child.errors(), m_outcome.errors);
        return !m_child.has_ended();
    }
    End reason_to_stop() const {
        if (m_command.cancelled && m_command.cancelled->load(std::memory_order_relaxed))
            return End::Cancelled;
        if (m_outcome.output.size() + m_outcome.errors.size() > m_command.output_limit)
            return End::TooMuchOutput;
        return Clock::now() >= m_deadline ? End::TimedOut : End::Exited;
    }
    // false: nothing is there now, or nothing will come.
    static bool read_some(Descriptor& file, std::string& text) {
        if (!file.is_open())
            return false;
        char bytes[64 * 1024];
        ssize_t count = ::read(file.get(), bytes, sizeof bytes);
        if (count > 0)
            text.append(bytes, static_cast<std::size_t>(count));
        else if (count == 0 || (errno != EINTR && errno != EAGAIN))
            file.close();
        return count > 0;
    }

    const Command& m_command;
    Child& m_child;
    Clock::time_point m_deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                      std::chrono::duration<double>(std::min(m_command.seconds, 1e9)));
    Outcome m_outcome;
};

} // namespace

std::string Outcome::story() const {
    switch (end) {
    case End::Exited: return cat("exited with code ", code);
    case End::Crashed: return cat("was ended by signal ", code);
    case End::TimedOut: return "took longer than its time";
    case End::TooMuchOutput: return "printed without end";
    case End::Cancelled: return "was cancelled";
    }
    return {};
}

Result<Outcome> run_to_end(const Command& command, const char* code) {
    Descriptor input = file_of(command.input);
    if (!input.is_open())
        return Error{code, cat("cannot prepare a process: ", std::strerror(errno))};
    auto child =
        Child::start({command.words, command.variables, command.folder, command.confinement}, std::move(input));
    if (!child)
        return Error{code, child.error().message};
    return Reading(command, *child.value()).read_to_end();
}

} // namespace hidet::process
