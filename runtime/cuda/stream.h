// SPDX-License-Identifier: Apache-2.0
// Streams and events: work in order, and waiting for it without ever hanging on a kernel that does not end.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cuda/device.h"

namespace hidet::cuda {

// How long to wait for the device. A kernel cannot be stopped: after a time-out the process has to end (leave_process).
struct WaitLimits {
    double seconds = 0;                           // 0: for ever
    const std::atomic<bool>* cancelled = nullptr; // polled; gives the error "cancelled"
};

// Where the text of printf in kernels goes. Empty: to standard output, where the driver writes it.
using DevicePrinter = std::function<void(std::string_view)>;

// The driver writes what kernels print to the standard output of the process, whenever it likes. While this lives, that
// goes into memory instead.
class OutputCapture {
public:
    OutputCapture(); // where there is no memory file, nothing is captured
    ~OutputCapture();
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;
    std::string finish(); // puts standard output back

private:
    int m_file = -1;
    int m_saved = -1;
};

class Event;

class Stream {
public:
    static Result<std::shared_ptr<Stream>> create(std::shared_ptr<Context> context);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    Context& context() const { return *m_context; }
    const std::shared_ptr<Context>& shared_context() const { return m_context; }
    StreamHandle handle() const { return m_handle; }

    // Until all of it has ended. Errors: kernel-fault, kernel-timeout, cancelled, context-lost, device-error.
    Result<void> wait(const WaitLimits& limits);
    Result<void> wait() { return wait(m_limits); }
    void set_limits(WaitLimits limits) { m_limits = limits; } // of wait() without any
    Result<void> wait_for(const Event& event);                // later work of this stream waits, not the host

    // Work goes to a stream of somebody else from now on, behind what was started here; nothing waits on the host.
    Result<void> follow(StreamHandle other);
    // While it lives, work goes to the stream that this one was made with: a graph cannot be recorded on a default stream.
    class Own {
    public:
        explicit Own(Stream& stream) : m_stream(stream), m_before(std::exchange(stream.m_handle, stream.m_own)) {
            m_stream.m_is_recorded = true;
        }
        ~Own() {
            m_stream.m_handle = m_before;
            m_stream.m_is_recorded = false;
        }
        Own(const Own&) = delete;
        Own& operator=(const Own&) = delete;

    private:
        Stream& m_stream;
        StreamHandle m_before;
    };

    // Memory that processes share. The event is recorded behind each launch of a kernel that is given an address of it, and of
    // a graph with such a one; null: nobody asks.
    struct Watched {
        DeviceAddress begin = 0;
        std::size_t bytes = 0;
        std::shared_ptr<Event> launched;
    };
    void watch(Watched watched) { m_watched = std::move(watched); }
    const Watched& watched() const { return m_watched; }
    Result<void> note_watched(); // of such a launch

    // Behind what was started here; where that is recorded into a graph, behind each launch of it.
    Result<void> record_behind(const std::shared_ptr<Event>& event);
    std::vector<std::shared_ptr<Event>> take_recorded() { return std::exchange(m_recorded, {}); } // for the graph
    bool is_recorded() const { return m_is_recorded; }                                            // into one

    void set_printer(DevicePrinter printer) { m_printer = std::move(printer); }
    void expect_output() { m_output_expected = true; } // a kernel that prints was launched
    bool output_expected() const { return m_output_expected; }
    // While it lives, what kernels print is caught; then the printer gets it.
    class Printing {
    public:
        explicit Printing(Stream& stream);
        ~Printing();
        Printing(const Printing&) = delete;
        Printing& operator=(const Printing&) = delete;

    private:
        Stream& m_stream;
        std::optional<OutputCapture> m_capture;
    };

private:
    explicit Stream(std::shared_ptr<Context> context) : m_context(std::move(context)) {}
    Result<void> poll(const WaitLimits& limits);

    std::shared_ptr<Context> m_context;
    StreamHandle m_handle = nullptr;
    StreamHandle m_own = nullptr; // that is destroyed with it
    WaitLimits m_limits;
    Watched m_watched;
    bool m_is_recorded = false;
    std::vector<std::shared_ptr<Event>> m_recorded; // what record_behind() was given meanwhile
    DevicePrinter m_printer;
    bool m_output_expected = false;
};

class Event {
public:
    static Result<Event> create(const std::shared_ptr<Context>& context, bool timed = true);

    EventHandle handle() const { return m_event.get(); }
    Result<void> record(Stream& stream);
    // Since it was recorded last; true where it never was, and where the device does not say. From a thread with the context.
    bool has_happened() const { return m_event.context().api().event_query(handle()) != Status::NotReady; }
    // Both have happened.
    Result<double> milliseconds_since(const Event& start) const;

private:
    Event(std::shared_ptr<Context> context, EventHandle handle) : m_event(std::move(context), handle) {}

    Owned<EventHandle, &Api::event_destroy> m_event;
};

// Ends the process at once, with what was written so far flushed, and without the exit handlers of the driver, which would
// wait for a kernel that never ends.
[[noreturn]] void leave_process(int exit_code);

} // namespace hidet::cuda
