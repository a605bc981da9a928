// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/stream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double spin_seconds = 100e-6; // short kernels end within it; sleeping would cost more than they take
constexpr auto shortest_sleep = std::chrono::microseconds(20);
constexpr auto longest_sleep = std::chrono::microseconds(1000);

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
}

Error timeout_error(const std::vector<std::string>& launches, double seconds) {
    return {"kernel-timeout", cat(launches.empty() ? "the device" : suspects_text(launches), " has not ended after ",
                                  seconds_text(seconds),
                                  ", the limit of --timeout; a running kernel cannot be stopped, so the process has to "
                                  "end; does its loop end? "
                                  "run 'hidetc emulate' to find the line")};
}

} // namespace

Result<std::shared_ptr<Stream>> Stream::create(std::shared_ptr<Context> context) {
    HIDET_TRY_TO(context->enter());
    std::shared_ptr<Stream> stream(new Stream(std::move(context)));
    Context& owner = *stream->m_context;
    HIDET_TRY_TO(owner.check(owner.api().stream_create(&stream->m_handle, stream_non_blocking, 0), "making a stream"));
    stream->m_own = stream->m_handle;
    return stream;
}

Result<void> Stream::follow(StreamHandle other) {
    if (other == m_handle)
        return {};
    HIDET_TRY(Event before, Event::create(m_context, false));
    HIDET_TRY_TO(before.record(*this));
    m_handle = other;
    return wait_for(before);
}

Stream::~Stream() {
    if (!m_own || !m_context->enter_to_free())
        return;
    // Whoever gave up waiting does not want to wait here: to end the context would.
    if (m_context->api().stream_query(m_own) == Status::NotReady)
        m_context->lose({"cancelled", "its work was left running"});
    m_context->api().stream_destroy(m_own);
}

Stream::Printing::Printing(Stream& stream) : m_stream(stream) {
    if (!stream.m_output_expected)
        return;
    std::fflush(stdout); // what the host wrote before comes before
    if (stream.m_printer)
        m_capture.emplace();
}

Stream::Printing::~Printing() {
    if (!m_capture)
        return;
    try {
        if (std::string text = m_capture->finish(); !text.empty())
            m_stream.m_printer(text);
    } catch (...) { // a printer that fails must not end the process
    }
}

Result<void> Stream::poll(const WaitLimits& limits) {
    auto start = Clock::now();
    auto sleep = shortest_sleep;
    while (true) {
        Status status = m_context->api().stream_query(m_handle);
        if (status == Status::Success)
            return {};
        if (status != Status::NotReady)
            return m_context->failure(status, "running the work of a stream");
        if (m_context->is_lost()) // somebody knows that the work will not end
            return *m_context->fault();
        if (limits.cancelled && limits.cancelled->load(std::memory_order_relaxed))
            return Error{"cancelled", "was cancelled while the device worked"};
        double seconds = seconds_since(start);
        if (limits.seconds > 0 && seconds > limits.seconds) {
            Error error = timeout_error(m_context->log().pending(), limits.seconds);
            m_context->lose(error);
            return error;
        }
        if (seconds < spin_seconds)
            continue;
        std::this_thread::sleep_for(sleep);
        sleep = std::min(2 * sleep, longest_sleep);
    }
}

Result<void> Stream::wait(const WaitLimits& limits) {
    HIDET_TRY_TO(m_context->enter());
    std::uint64_t launched = m_context->log().now();
    Printing printing(*this);
    HIDET_TRY_TO(poll(limits));
    // The query alone does not write out what kernels printed.
    if (m_output_expected) {
        Status status = m_context->api().stream_synchronize(m_handle);
        m_output_expected = false;
        if (status != Status::Success)
            return m_context->failure(status, "waiting for a stream");
    }
    m_context->log().confirm(m_handle, launched);
    return {};
}

Result<void> Stream::note_watched() {
    return m_watched.launched ? record_behind(m_watched.launched) : Result<void>{};
}

// What is recorded does not run now: the graph tells of itself when it is launched.
Result<void> Stream::record_behind(const std::shared_ptr<Event>& event) {
    if (!m_is_recorded)
        return event->record(*this);
    if (std::ranges::find(m_recorded, event) == m_recorded.end())
        m_recorded.push_back(event);
    return {};
}

Result<void> Stream::wait_for(const Event& event) {
    HIDET_TRY_TO(m_context->enter());
    return m_context->check(m_context->api().stream_wait_event(m_handle, event.handle(), 0),
                            "making a stream wait for another");
}

Result<Event> Event::create(const std::shared_ptr<Context>& context, bool timed) {
    HIDET_TRY_TO(context->enter());
    EventHandle handle = nullptr;
    HIDET_TRY_TO(
        context->check(context->api().event_create(&handle, timed ? 0 : event_disable_timing), "making an event"));
    return Event(context, handle);
}

Result<void> Event::record(Stream& stream) {
    Context& context = m_event.context();
    HIDET_TRY_TO(context.enter());
    return context.check(context.api().event_record(handle(), stream.handle()), "recording an event");
}

Result<double> Event::milliseconds_since(const Event& start) const {
    float ms = 0;
    HIDET_TRY_TO(m_event.context().check(m_event.context().api().event_elapsed(&ms, start.handle(), handle()),
                                         "reading the time between two events"));
    return static_cast<double>(ms);
}

void leave_process(int exit_code) {
    std::fflush(nullptr);
    _exit(exit_code);
}

// ---- what kernels print ----

OutputCapture::OutputCapture() {
    std::fflush(stdout);
    m_file = memfd_create("device-output", MFD_CLOEXEC);
    if (m_file < 0)
        return;
    m_saved = dup(STDOUT_FILENO);
    if (m_saved < 0 || dup2(m_file, STDOUT_FILENO) < 0) {
        close(m_file);
        m_file = -1;
    }
}

std::string OutputCapture::finish() {
    std::string text;
    if (m_file < 0)
        return text;
    std::fflush(stdout);
    dup2(m_saved, STDOUT_FILENO);
    off_t size = lseek(m_file, 0, SEEK_END);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t got = pread(m_file, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (got <= 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    close(m_file);
    m_file = -1;
    return text;
}

OutputCapture::~OutputCapture() {
    finish();
    if (m_saved >= 0)
        close(m_saved);
}

} // namespace hidet::cuda
