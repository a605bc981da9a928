// SPDX-License-Identifier: Apache-2.0
// The supervisor reads requests as they pass, and only to know which files they are about. What the other process asks for
// is answered on a thread of its own, as compilations take their time. Nothing that it sends can do more than that: a path
// outside of the rights is refused, whoever names it.
#include "app/session/worker/supervise.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <mutex>
#include <optional>
#include <poll.h>
#include <set>
#include <thread>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "app/session/kernel_bench/run.h"
#include "app/session/tools/tools.h"
#include "app/session/tune/tuning.h"
#include "app/session/worker/call.h"
#include "app/session/worker/compile_pool.h"
#include "app/session/worker/file_rights.h"
#include "app/session/worker/frames.h"
#include "app/session/worker/jobs.h"
#include "app/session/worker/perform.h"
#include "app/session/worker/serve.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/passing.h"
#include "runtime/toolchain/files.h"

namespace hidet::session {

namespace {

using process::Descriptor;

class Supervisor {
public:
    Supervisor(Descriptor from, bool use_gpu) : m_from(std::move(from)), m_use_gpu(use_gpu) {}
    Supervised work(); // returns in the other process

private:
    std::optional<Supervised> read();
    std::optional<Supervised> pass_on(std::string_view frame);
    std::optional<Supervised> become_two();
    void send(std::string_view bytes);
    void end_child();
    void take_call();
    void wait_for_calls();
    void answer(Descriptor call);
    void answer(int call, const Ask& ask);
    void answer(int call, const Submit& submit);
    std::shared_ptr<Tools> tools();
    [[noreturn]] void end_as_it_did();

    pid_t m_child = 0; // 0: there is none yet
    Descriptor m_from, m_to, m_line, m_ending;
    const bool m_use_gpu;
    FrameReader m_reader{0};
    bool m_greeted = false;
    Hello m_caller; // who asks, once greeted
    bool m_understands = true;
    std::string m_problem; // with what was read
    std::unique_ptr<toolchain::TemporaryFolder> m_scratch;
    std::set<std::string> m_records; // that the other process has
    std::mutex m_mutex;              // of what follows
    FileRights m_rights;
    std::shared_ptr<Tools> m_tools;
    int m_calls = 0; // that are being answered
    std::condition_variable m_answered;
};

std::shared_ptr<Tools> Supervisor::tools() {
    std::lock_guard lock(m_mutex);
    if (!m_tools)
        m_tools = open_confined_tools({.use_gpu = m_use_gpu});
    return m_tools;
}

// Where nobody reads any more the other process has ended, which is heard of by itself.
void Supervisor::send(std::string_view bytes) {
    if (m_to.is_open() && !write_all(m_to.get(), bytes))
        m_to.close();
}

// The files of a database that writes ahead, so that nothing has to be made where nothing may be.
std::vector<std::string> files_of_records(const std::set<std::string>& databases) {
    std::vector<std::string> files;
    for (const std::string& path : databases) {
        if (::access(path.c_str(), F_OK) != 0)
            (void)text_of_records(path);
        for (const char* ending : {"", "-wal", "-shm"}) {
            files.push_back(path + ending);
            const Descriptor made(::open(files.back().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
        }
    }
    return files;
}

// In the supervisor: nothing. Nobody else's locks are held, as there is one thread, or others that only answer.
std::optional<Supervised> Supervisor::become_two() {
    process::Pipe pipe;
    process::SocketPair line;
    if (!m_scratch)
        if (auto made = toolchain::TemporaryFolder::make())
            m_scratch = std::move(made).value();
    if (m_scratch) {
        std::lock_guard lock(m_mutex);
        m_rights.readable.insert(m_scratch->path());
        m_rights.writable.insert(m_scratch->path());
    }
    m_records = m_rights.records;
    Supervised other{Descriptor(), Descriptor(), files_of_records(m_records), m_scratch ? m_scratch->path() : ""};
    const pid_t parent = ::getpid();
    if (pipe.open() && line.open())
        m_child = ::fork();
    if (m_child <= 0 && ::getpid() == parent) {
        std::fprintf(stderr, "hidetc worker: no process can be made: %s\n", std::strerror(errno));
        leave_process(exit_environment);
    }
    if (m_child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
            ::_exit(exit_environment);
        (void)m_scratch.release(); // the supervisor's
        other.in = std::move(pipe.read_end);
        other.line = std::move(line.theirs);
        return other;
    }
    m_to = std::move(pipe.write_end);
    m_line = std::move(line.ours);
    m_ending.reset(static_cast<int>(::syscall(SYS_pidfd_open, m_child, 0)));
    send(cat(frame_greeting, frame_of(encode(m_caller))));
    return std::nullopt;
}

// Nobody waits for an answer of it: a request comes when the one before was answered.
void Supervisor::end_child() {
    m_to.close();
    pollfd ending{m_ending.get(), POLLIN, 0};
    if (::poll(&ending, 1, 2000) <= 0)
        ::kill(m_child, SIGKILL);
    while (::waitpid(m_child, nullptr, 0) < 0 && errno == EINTR) {
    }
    m_line.close();
}

// The rights are there before the request is.
std::optional<Supervised> Supervisor::pass_on(std::string_view frame) {
    const Result<Message> message = decode(frame);
    if (m_child == 0 && !m_greeted) {
        const Hello* hello = message ? std::get_if<Hello>(&message.value()) : nullptr;
        m_greeted = hello && hello->protocol == protocol;
        if (hello)
            m_caller = *hello;
        if (!m_greeted)
            leave_unspoken(hello ? cat("the other side speaks protocol ", hello->protocol, ", this one ", protocol)
                                 : std::string("the first message is no hello"));
        return std::nullopt; // who does jobs hears it when it is there
    }
    if (const Submit* submit = message ? std::get_if<Submit>(&message.value()) : nullptr) {
        {
            std::lock_guard lock(m_mutex);
            m_caller.keeps_files ? m_rights.add_own(submit->request) : m_rights.add(submit->request);
        }
        if (m_child != 0 && m_rights.records != m_records) {
            end_child();
            m_child = 0;
        }
    }
    if (m_child == 0)
        if (auto other = become_two())
            return other;
    send(frame_of(frame));
    return std::nullopt;
}

std::optional<Supervised> Supervisor::read() {
    char bytes[64 * 1024];
    const ssize_t count = ::read(m_from.get(), bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return std::nullopt;
    const std::string_view read(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
    m_reader.feed(m_understands ? read : "");
    while (m_understands) {
        const auto frame = m_reader.next();
        m_understands = frame.ok();
        if (!frame)
            m_problem = frame.error().message;
        if (!frame || !frame.value())
            break;
        if (auto other = pass_on(*frame.value()))
            return other;
    }
    // What makes no sense is answered by who does jobs, where there is one.
    if (!m_understands && m_child == 0)
        leave_unspoken(m_problem);
    if (read.empty() && m_child == 0)
        leave_process(m_greeted ? exit_fine : exit_usage);
    if (!m_understands)
        send(read);
    if (read.empty()) {
        m_from.close();
        m_to.close(); // it reads the end, and leaves
    }
    return std::nullopt;
}

void Supervisor::take_call() {
    Descriptor call = process::take_passed(m_line.get());
    if (!call.is_open())
        return m_line.close();
    {
        std::lock_guard lock(m_mutex);
        ++m_calls;
    }
    std::thread([this, call = std::make_shared<Descriptor>(std::move(call))] {
        answer(std::move(*call));
        std::lock_guard lock(m_mutex);
        --m_calls;
        m_answered.notify_all();
    }).detach();
}

// A compilation removes its folder when it ends, which is soon: who asked has hung up.
void Supervisor::wait_for_calls() {
    std::unique_lock lock(m_mutex);
    m_answered.wait_for(lock, std::chrono::seconds(2), [this] { return m_calls == 0; });
}

void Supervisor::answer(Descriptor call) {
    try {
        const Result<Message> question = receive_message(call.get());
        if (!question)
            return;
        if (const auto* ask = std::get_if<Ask>(&question.value()))
            answer(call.get(), *ask);
        else if (const auto* submit = std::get_if<Submit>(&question.value()))
            answer(call.get(), *submit);
    } catch (const std::exception&) { // no memory for it: the line is closed, which the other side understands
    }
}

Error refused(const std::string& path) {
    return {"file-unreadable", cat("'", path, "' is outside of what this job is about")};
}

Result<void> store(const std::string& path, Descriptor content) {
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    HIDET_TRY_TO(file.copy(InputFile(content.release())));
    return file.commit();
}

void Supervisor::answer(int call, const Ask& ask) {
    bool is_allowed = false;
    {
        std::lock_guard lock(m_mutex);
        is_allowed = ask.what == Ask::What::OpenFile ? m_rights.may_read(ask.path) : m_rights.may_write(ask.path);
    }
    Descriptor content = ask.what == Ask::What::StoreFile ? process::take_passed(call) : Descriptor();
    Result<InputFile> opened = refused(ask.path);
    Result<void> done = refused(ask.path);
    if (is_allowed && ask.what == Ask::What::OpenFile)
        opened = InputFile::open(ask.path);
    if (is_allowed && ask.what == Ask::What::StoreFile && content.is_open())
        done = store(ask.path, std::move(content));
    if (is_allowed && ask.what == Ask::What::MakeFolders)
        done = make_folders(ask.path);
    if (ask.what == Ask::What::OpenFile)
        done = opened ? Result<void>() : opened.error();
    send_message(call, Told{.error = done ? Error{} : done.error()});
    if (opened)
        process::pass(call, opened.value().descriptor());
}

// Who asked may hang up meanwhile.
void Supervisor::answer(int call, const Submit& submit) {
    std::atomic<bool> cancelled{false};
    std::future<Answer> answer = std::async(std::launch::async, [&]() -> Answer {
        const auto* compilation = std::get_if<toolchain::CompileRequest>(&submit.request);
        if (!compilation || submit.id == 0)
            return perform(submit.request, {tools(), cancelled, {}, {}});
        toolchain::CompileRequest request = *compilation;
        request.cancelled = &cancelled;
        auto result = tools()->toolchain().compiler().compile(request);
        if (!result)
            return {Ended::Refused, {}, result.error(), {}};
        return {Ended::Answered, std::move(result).value(), {}, {}};
    });
    while (answer.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
        pollfd hung_up{call, POLLRDHUP, 0};
        if (::poll(&hung_up, 1, 0) > 0 && (hung_up.revents & (POLLRDHUP | POLLHUP | POLLERR)))
            cancelled = true;
    }
    send_message(call, Done{submit.id, answer.get(), ""});
}

// Whoever started us asks how we ended, and means the other one.
void Supervisor::end_as_it_did() {
    int status = 0;
    while (::waitpid(m_child, &status, 0) < 0 && errno == EINTR) {
    }
    wait_for_calls();
    m_scratch.reset();
    if (WIFSIGNALED(status)) {
        std::signal(WTERMSIG(status), SIG_DFL);
        ::raise(WTERMSIG(status));
    }
    leave_process(WIFEXITED(status) ? WEXITSTATUS(status) : exit_environment);
}

Supervised Supervisor::work() {
    for (;;) {
        pollfd files[3] = {{m_from.get(), POLLIN, 0}, {m_line.get(), POLLIN, 0}, {m_ending.get(), POLLIN, 0}};
        ::poll(files, 3, -1);
        if (files[2].revents)
            end_as_it_did();
        if (files[1].revents)
            take_call();
        if (files[0].revents)
            if (auto other = read())
                return std::move(*other);
    }
}

} // namespace

Supervised supervised(Descriptor requests, int answers, bool use_gpu) {
    greet(answers);
    return Supervisor(std::move(requests), use_gpu).work();
}

} // namespace hidet::session
