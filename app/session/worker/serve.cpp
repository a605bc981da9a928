// SPDX-License-Identifier: Apache-2.0
// Two threads: this one reads and answers what needs no work, the other one is that of a LocalService. Whatever happens to
// the second, the first sees the end of standard input and leaves. What a script prints is collected for moments: a loop
// that prints would else spend its time on messages.
#include "app/session/worker/serve.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <unistd.h>

#include <sys/eventfd.h>
#include <sys/resource.h>

#include "app/session/tools/tools.h"
#include "app/session/work/work.h"
#include "app/session/worker/call.h"
#include "app/session/worker/files_of_caller.h"
#include "app/session/worker/frames.h"
#include "app/session/worker/local_service.h"
#include "app/session/worker/messages.h"
#include "app/session/worker/supervise.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/confine.h"
#include "runtime/process/descriptor.h"
#include "runtime/process/passing.h"
#include "runtime/toolchain/confinement.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/in_process.h"

namespace hidet::session {

namespace {

const Error gone{"supervisor-lost", "whoever started this process is gone"};

constexpr Ticket through_the_cache = 1, past_the_cache = 0;

// What a confined process has in the place of files and compilers: somebody outside, who opens files for it and compiles.
class Outside final : public FileDoor, public toolchain::Compiler {
public:
    // `line`: a socket whose other end is a supervisor's (supervise.h).
    explicit Outside(process::Descriptor line) : m_line(std::move(line)), m_recipes(toolchain::default_places()) {}

    Result<int> open_input(const std::string& path) override {
        HIDET_TRY(const process::Descriptor call, ask(Ask{Ask::What::OpenFile, path}));
        HIDET_TRY_TO(told(call.get()));
        process::Descriptor file = process::take_passed(call.get());
        if (!file.is_open())
            return gone;
        return file.release();
    }

    Result<void> store(const std::string& path, int content) override {
        HIDET_TRY(const process::Descriptor call, ask(Ask{Ask::What::StoreFile, path}));
        if (!process::pass(call.get(), content))
            return gone;
        return told(call.get());
    }

    Result<void> make_folders(const std::string& path) override {
        HIDET_TRY(const process::Descriptor call, ask(Ask{Ask::What::MakeFolders, path}));
        return told(call.get());
    }

    Result<toolchain::CompileResult>
    // through the cache there
    compile(const toolchain::CompileRequest& request) override {
        toolchain::CompileRequest sent = request;
        sent.cancelled = nullptr;
        Answer answer = answer_to({through_the_cache, std::move(sent)}, request.cancelled);
        if (auto* result = std::get_if<toolchain::CompileResult>(&answer.result);
            result && answer.ended == Ended::Answered)
            return std::move(*result);
        return answer.ended == Ended::Cancelled ? Error{"cancelled", "the compilation was cancelled"} : answer.reason;
    }

    Result<std::string> recipe(const toolchain::CompileRequest& request) override { return m_recipes.recipe(request); }

    Answer perform(const JobRequest& request, const std::atomic<bool>& cancelled) {
        return answer_to({past_the_cache, request}, &cancelled);
    }

private:
    Result<process::Descriptor> ask(const Message& question) {
        process::SocketPair call;
        if (!call.open())
            return gone;
        {
            std::lock_guard lock(m_mutex);
            if (!process::pass(m_line.get(), call.theirs.get()))
                return gone;
        }
        call.theirs.close();
        if (!send_message(call.ours.get(), question))
            return gone;
        return std::move(call.ours);
    }

    Result<void> told(int socket) {
        HIDET_TRY(const Message message, receive_message(socket));
        const auto* told = std::get_if<Told>(&message);
        if (!told)
            return gone;
        if (!told->error.code.empty())
            return told->error;
        return {};
    }

    // Hanging up is how a question is taken back.
    Answer answer_to(const Submit& question, const std::atomic<bool>* cancelled) {
        Result<process::Descriptor> call = ask(question);
        if (!call)
            return {Ended::Refused, {}, call.error(), {}};
        pollfd answer{call.value().get(), POLLIN, 0};
        while (::poll(&answer, 1, cancelled ? 20 : -1) <= 0)
            if (cancelled && cancelled->load(std::memory_order_relaxed))
                return {Ended::Cancelled, {}, {}, {}};
        Result<Message> message = receive_message(call.value().get());
        if (!message || !std::holds_alternative<Done>(message.value()))
            return {Ended::Refused, {}, gone, {}};
        return std::get<Done>(std::move(message).value()).answer;
    }

    process::Descriptor m_line;
    std::mutex m_mutex; // of the line
    toolchain::InProcessCompiler m_recipes;
};

using Clock = std::chrono::steady_clock;
using process::Descriptor;

struct Streams {
    Descriptor in;
    Descriptor out;
};

// Real standard output is for frames alone: what libraries and drivers print shall not lie between them.
void take_streams(Streams& streams) {
    streams.in.reset(fcntl(0, F_DUPFD_CLOEXEC, 3));
    streams.out.reset(fcntl(1, F_DUPFD_CLOEXEC, 3));
    Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    dup2(nothing.get(), 0);
    if (fcntl(2, F_GETFD) < 0)
        dup2(nothing.get(), 2);
    dup2(2, 1);
}

int g_leave_pipe = -1;

// Our parent died: so our guard says (runtime/process/child.cpp). Standard input ends then too, and we leave in order;
// if that fails, the alarm ends us.
void on_terminate(int) {
    alarm(2);
    char byte = 0;
    (void)!::write(g_leave_pipe, &byte, 1);
}

void prepare_process(const ServeOptions& options, Descriptor& leave_signal, Descriptor& leave_pipe) {
    int ends[2] = {-1, -1};
    (void)!pipe2(ends, O_CLOEXEC | O_NONBLOCK);
    leave_signal.reset(ends[0]);
    leave_pipe.reset(ends[1]);
    g_leave_pipe = ends[1];
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGALRM, SIG_DFL);
    std::signal(SIGTERM, on_terminate);
    // Where memory runs out, the system shall end this process rather than one that a user looks at.
    if (std::FILE* file = std::fopen("/proc/self/oom_score_adj", "w")) {
        std::fputs("500", file);
        std::fclose(file);
    }
    rlimit no_core{0, 0}; // a crash of compiled code is no riddle to solve
    setrlimit(RLIMIT_CORE, &no_core);
    process::limit_addresses(options.memory_limit);
}

// A compiler reads NVRTC's files, and Z3's. Their folders are found while they can be looked for.
void confine_compiler(Tools& tools) {
    const process::Confinement confinement = toolchain::confinement_of_libraries(
        {tools.toolchain().locate(toolchain::Tool::Nvrtc).path, tools.toolchain().locate(toolchain::Tool::Z3).path});
    process::limit_process(confinement);
    process::confine_this_thread(confinement);
}

// Who does jobs sees the system's libraries, the driver's devices, and a folder of its own.
void confine_worker(Tools& tools, const Supervised& supervised, bool use_gpu) {
    std::vector<std::string> libraries;
    for (const toolchain::Tool tool : {toolchain::Tool::Driver, toolchain::Tool::Cublas})
        libraries.push_back(tools.toolchain().locate(tool).path);
    for (const char* variable : {"HIDET_LIBCUBLAS", "HIDET_LIBNVML"}) // that name other libraries
        if (const char* path = std::getenv(variable))
            libraries.emplace_back(path);
    process::Confinement confinement = toolchain::confinement_of_libraries(libraries);
    if (use_gpu)
        toolchain::add_gpu(confinement);
    confinement.writable.push_back(supervised.scratch);
    confinement.devices.insert(confinement.devices.end(), supervised.records.begin(), supervised.records.end());
    process::confine_this_thread(confinement);
}

std::vector<std::string> own_places(const Supervised& here) {
    std::vector<std::string> places = here.records;
    places.push_back(here.scratch);
    places.push_back(folder_of_reproductions());
    return places;
}

class Server {
public:
    struct Streams {
        int in, out, leave;
    };
    // Files of this machine that it sees though jobs are about another machine's.
    struct OwnFiles {
        FileDoor* door = nullptr; // null: no files of another machine are asked for
        std::vector<std::string> places = {};
    };
    Server(Streams streams, LocalOptions options, OwnFiles own)
        : m_in(streams.in), m_out(streams.out), m_leave(streams.leave), m_own(std::move(own)),
          m_service(std::move(options)) {}
    int serve();

private:
    [[noreturn]] void leave(int code);
    void send(const Message& message);
    void write_all(std::string_view bytes);
    bool receive(Message message);
    void see_files_of_caller();
    void submit(Submit submit);
    void cancel(Ticket id);
    void happen(Ticket id, const JobEvent& event);
    void flush();
    void wait_for_input();
    void finish(Ticket id, Answer answer);

    const int m_in;
    const int m_out;
    const int m_leave;
    const OwnFiles m_own;
    std::unique_ptr<CallerFiles> m_files; // null: they are this machine's
    FrameReader m_reader{0};
    bool m_greeted = false;
    Descriptor m_printed_signal{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::optional<Clock::time_point> m_flush_at; // the reading thread's
    std::mutex m_printing;                       // of the next two
    std::string m_printed;                       // and not sent yet
    Ticket m_printer = 0;                        // whose it is
    std::mutex m_writing;
    std::mutex m_mutex;
    std::condition_variable m_ended;
    std::map<Ticket, Ticket> m_jobs; // the other side's number of a job, and the service's
    bool m_leaving = false;
    LocalService m_service; // last: it uses all of the others
};

// Where nobody listens reading will find out.
void Server::write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t count = ::write(m_out, bytes.data(), bytes.size());
        if (count < 0 && errno == EPIPE)
            return;
        if (count < 0 && errno != EINTR) {
            std::fprintf(stderr, "hidetc worker: cannot write standard output: %s\n", std::strerror(errno));
            leave_process(exit_environment);
        }
        if (count > 0)
            bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void Server::send(const Message& message) {
    std::string frame = frame_of(encode(message));
    std::lock_guard lock(m_writing);
    write_all(frame);
}

void Server::happen(Ticket id, const JobEvent& event) {
    if (event.kind != JobEvent::Kind::Printed) {
        flush();
        if (event.kind == JobEvent::Kind::Calling && !event.fault)
            return; // the other side knows
        return send(Happened{id, event});
    }
    bool is_much = false;
    {
        std::lock_guard lock(m_printing);
        std::uint64_t one = 1;
        if (m_printed.empty())
            (void)!::write(m_printed_signal.get(), &one, sizeof one);
        m_printer = id;
        m_printed += event.text;
        is_much = m_printed.size() > 32 * 1024;
    }
    if (is_much)
        flush();
}

void Server::flush() {
    std::lock_guard lock(m_printing);
    if (!m_printed.empty())
        send(Happened{m_printer, {JobEvent::Kind::Printed, std::move(m_printed), std::nullopt}});
    m_printed.clear();
}

void Server::finish(Ticket id, Answer answer) {
    flush();
    {
        std::lock_guard lock(m_mutex);
        m_jobs.erase(id);
        m_ended.notify_all();
        if (m_leaving) // nobody asked to have it cancelled
            return;
    }
    std::string spent = m_service.spent();
    try {
        send(Done{id, std::move(answer), spent});
    } catch (const std::exception& error) {
        send(Done{id, {Ended::Refused, {}, {"answer-too-large", error.what()}, {}}, spent});
    }
    if (!spent.empty())
        leave_process(exit_fine);
}

void Server::submit(Submit submit) {
    Ticket id = submit.id;
    std::lock_guard lock(m_mutex);
    m_jobs[id] = m_service.submit(
        {std::move(submit.request), "", 0}, [this, id](const JobEvent& event) { happen(id, event); },
        [this, id](Answer answer) { finish(id, std::move(answer)); });
}

void Server::cancel(Ticket id) {
    std::lock_guard lock(m_mutex);
    if (auto job = m_jobs.find(id); job != m_jobs.end())
        m_service.cancel(job->second);
}

// Jobs get a moment to end what they have started.
void Server::leave(int code) {
    std::unique_lock lock(m_mutex);
    m_leaving = true;
    for (const auto& [id, ticket] : m_jobs)
        m_service.cancel(ticket);
    m_ended.wait_for(lock, std::chrono::milliseconds(500), [this] { return m_jobs.empty(); });
    leave_process(code);
}

void Server::see_files_of_caller() {
    m_files = std::make_unique<CallerFiles>(*m_own.door, m_own.places, [this](const Ask& ask) {
        flush(); // what was printed before it
        send(ask);
    });
    set_file_door(m_files.get());
    set_looker([files = m_files.get()](const std::string& path) { return files->look(path); });
}

// false: the other side makes no sense.
bool Server::receive(Message message) {
    if (auto hello = std::get_if<Hello>(&message)) {
        m_greeted = hello->protocol == protocol;
        if (!m_greeted)
            std::fprintf(stderr, "hidetc worker: the other side speaks protocol %d, this one %d\n", hello->protocol,
                         protocol);
        if (m_greeted && hello->keeps_files && m_own.door && !m_files)
            see_files_of_caller();
        return m_greeted;
    }
    if (!m_greeted)
        return false;
    if (auto submitted = std::get_if<Submit>(&message))
        submit(std::move(*submitted));
    else if (auto cancelled = std::get_if<Cancel>(&message))
        cancel(cancelled->id);
    else if (auto ping = std::get_if<Ping>(&message))
        send(Pong{ping->number});
    else if (auto told = std::get_if<Told>(&message); told && m_files)
        m_files->hear(std::move(*told));
    else if (std::holds_alternative<Shutdown>(message))
        leave(exit_fine);
    else
        return false;
    return true;
}

// And does what else is due.
void Server::wait_for_input() {
    for (;;) {
        pollfd files[3] = {{m_in, POLLIN, 0}, {m_leave, POLLIN, 0}, {m_printed_signal.get(), POLLIN, 0}};
        int timeout = -1;
        if (m_flush_at)
            timeout = static_cast<int>(std::max<std::int64_t>(
                0, std::chrono::ceil<std::chrono::milliseconds>(*m_flush_at - Clock::now()).count()));
        poll(files, 3, timeout);
        if (files[1].revents)
            leave(exit_fine);
        std::uint64_t count = 0;
        if (files[2].revents && ::read(m_printed_signal.get(), &count, sizeof count) > 0 && !m_flush_at)
            m_flush_at = Clock::now() + std::chrono::milliseconds(10);
        if (m_flush_at && Clock::now() >= *m_flush_at) {
            m_flush_at.reset();
            flush();
        }
        if (files[0].revents)
            return;
    }
}

int Server::serve() {
    for (;;) {
        wait_for_input();
        char bytes[64 * 1024];
        ssize_t count = ::read(m_in, bytes, sizeof bytes);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0)
            leave(m_greeted ? exit_fine : exit_usage);
        m_reader.feed({bytes, static_cast<std::size_t>(count)});
        for (;;) {
            auto frame = m_reader.next();
            if (frame && !frame.value())
                break;
            Result<Message> message = frame ? decode(*frame.value()) : Result<Message>(frame.error());
            if (message && receive(std::move(message).value()))
                continue;
            if (!message)
                leave_unspoken(message.error().message);
            leave(exit_usage);
        }
    }
}

} // namespace

int serve_standard_streams(const ServeOptions& options) {
    Streams streams;
    take_streams(streams);
    Descriptor leave_signal, leave_pipe;
    prepare_process(options, leave_signal, leave_pipe);
    try {
        if (options.compiles) {
            greet(streams.out.get());
            const std::shared_ptr<Tools> tools = open_tools({.use_gpu = false});
            confine_compiler(*tools);
            Server server({streams.in.get(), streams.out.get(), leave_signal.get()}, {tools, {}}, {});
            return server.serve();
        }
        Supervised here = supervised(std::move(streams.in), streams.out.get(), options.use_gpu);
        ::setenv(toolchain::scratch_variable, here.scratch.c_str(), 1);
        const auto outside = std::make_shared<Outside>(std::move(here.line));
        const std::shared_ptr<Tools> tools = open_tools({outside, options.use_gpu, false});
        confine_worker(*tools, here, options.use_gpu);
        set_file_door(outside.get());
        Server server({here.in.get(), streams.out.get(), leave_signal.get()},
                      {tools,
                       {},
                       [outside](const JobRequest& request, const std::atomic<bool>& cancelled) {
                           return outside->perform(request, cancelled);
                       }},
                      {outside.get(), own_places(here)});
        return server.serve();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hidetc worker: %s\n", error.what());
        leave_process(exit_environment);
    }
}

} // namespace hidet::session
