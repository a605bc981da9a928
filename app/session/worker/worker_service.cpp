// SPDX-License-Identifier: Apache-2.0
// One thread owns the worker, the queue and all callbacks. Others leave orders in an inbox and wake it; so there is one
// lock, held for moments, and no order in which things could happen that the loop below does not show.
//
// The worker gets one job at a time. What waits is here, where a dead worker costs nothing of it.
#include "app/session/worker/worker_service.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include <sys/eventfd.h>
#include <unistd.h>

#include "app/session/worker/files_of_caller.h"
#include "app/session/worker/link.h"
#include "app/session/worker/requirements.h"
#include "lang/base/lower_priority.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Phase = ServiceState::Phase;

Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

std::string title_of(const Job& job) {
    return job.title.empty() ? row_of(kind_of(job.request)).name : job.title;
}

std::string doing(const Job& job) {
    std::string what = row_of(kind_of(job.request)).doing;
    return job.title.empty() ? what : cat(what, " '", job.title, "'");
}

} // namespace

class WorkerService::Loop {
public:
    explicit Loop(WorkerOptions options)
        : m_options(std::move(options)), m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), m_thread([this] { work(); }) {}
    void stop() {
        order([this] { m_leaving = true; });
        m_thread.join();
    }

    Ticket submit(Job job, OnEvent on_event, OnDone on_done);
    void cancel(Ticket ticket) {
        order([this, ticket] { do_cancel(ticket); });
    }
    void restart() {
        order([this] { do_restart(); });
    }
    void start() {
        order([this] { m_wanted = true; });
    }
    ServiceState state() const {
        std::lock_guard lock(m_mutex);
        return m_state;
    }

private:
    struct Item {
        Ticket ticket = 0;
        Job job;
        OnEvent on_event;
        OnDone on_done;
    };
    struct Running : Item {
        Time since;
        std::optional<Time> cancelled;
        std::optional<DiagnosticView> fault; // of compiled code that it may be in
    };
    using Order = std::function<void()>;

    void order(Order order);
    void obey();
    void work();
    void advance(Time now);
    void wait(Time now);
    void watch(Time now);

    void begin(Time now);
    void give(Time now);
    void receive(Message message);
    void greet(const Hello& hello);
    bool lacks_job(JobKind kind) const;
    std::string refusal_of(const JobRequest& request) const;
    void happen(const Happened& happened);
    void finish(Done done);

    void do_cancel(Ticket ticket);
    void do_restart();
    void lose(const char* code, const std::string& what, std::chrono::milliseconds patience = {});
    void bury(const char* code, const std::string& reason, const std::string& words, int signal = 0);
    void replace();
    void drop_worker();
    void answer(Item item, Answer answer);
    void enter(Phase phase);
    bool died_too_often(Time now);
    Clock::duration grace() const;
    std::optional<Time> next_alarm() const;

    const WorkerOptions m_options;
    process::Descriptor m_wake;

    mutable std::mutex m_mutex; // of what follows up to the next blank line
    std::vector<Order> m_inbox;
    Ticket m_last = 0;
    ServiceState m_state;

    std::deque<Item> m_queue;
    std::optional<Running> m_running;
    std::unique_ptr<WorkerLink> m_link;
    bool m_ready = false;  // it has said hello, and loaded its compilers
    bool m_wanted = false; // start a worker though no job waits
    bool m_leaving = false;
    bool m_broken = false;
    Time m_started;
    Time m_heard; // the last sign of life while one was due
    Time m_asked;
    std::uint64_t m_pings = 0;
    std::vector<Time> m_deaths; // since the last success
    std::string m_reason;
    std::string m_last_words;
    std::string m_host;
    std::vector<std::pair<std::string, std::string>> m_jobs; // that the worker does
    DoctorReport m_machine;                                  // of a remote one
    FilesForWorker m_files;                                  // likewise
    std::thread m_thread;                                    // last: it uses all of the others
};

Ticket WorkerService::Loop::submit(Job job, OnEvent on_event, OnDone on_done) {
    auto item = std::make_shared<Item>(Item{0, std::move(job), std::move(on_event), std::move(on_done)});
    {
        std::lock_guard lock(m_mutex);
        item->ticket = ++m_last;
        m_inbox.push_back([this, item] { m_queue.push_back(std::move(*item)); });
    }
    order({});
    return item->ticket;
}

void WorkerService::Loop::order(Order order) {
    if (order) {
        std::lock_guard lock(m_mutex);
        m_inbox.push_back(std::move(order));
    }
    std::uint64_t one = 1;
    (void)!::write(m_wake.get(), &one, sizeof one);
}

void WorkerService::Loop::obey() {
    std::uint64_t count = 0;
    (void)!::read(m_wake.get(), &count, sizeof count);
    std::vector<Order> orders;
    {
        std::lock_guard lock(m_mutex);
        orders.swap(m_inbox);
    }
    for (const Order& order : orders)
        order();
}

void WorkerService::Loop::work() {
    if (m_options.steps_back)
        lower_priority(); // the worker has it from the thread that starts it
    // Writing to a worker that is gone gives an error, which is enough.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    for (obey(); !m_leaving; obey()) {
        Time now = Clock::now();
        watch(now);
        advance(now);
        wait(now);
    }
    drop_worker();
    if (m_running)
        m_queue.push_front(std::move(*m_running));
    m_running.reset();
    while (!m_queue.empty()) {
        Item item = std::move(m_queue.front());
        m_queue.pop_front();
        answer(std::move(item), {Ended::Cancelled, {}, {}, {}});
        obey(); // what callbacks still submit
    }
}

// Does what can be done now: ends jobs where nobody is left to do them, starts a worker, gives it the next job.
void WorkerService::Loop::advance(Time now) {
    while (m_broken && !m_queue.empty()) {
        Item item = std::move(m_queue.front());
        m_queue.pop_front();
        answer(std::move(item), {Ended::WorkerLost, {}, {"worker-broken", m_reason}, m_last_words});
    }
    if (m_broken)
        m_wanted = false;
    if (!m_link && (m_wanted || !m_queue.empty()))
        begin(now);
    if (m_ready && !m_running && !m_queue.empty())
        give(now);
    if (std::lock_guard lock(m_mutex); m_state.waiting != static_cast<int>(m_queue.size()))
        m_state.waiting = static_cast<int>(m_queue.size());
}

void WorkerService::Loop::begin(Time now) {
    m_wanted = false;
    m_ready = false;
    m_started = m_heard = m_asked = now;
    auto process =
        process::Child::start({.words = m_options.command.empty() ? default_worker_command() : m_options.command});
    {
        std::lock_guard lock(m_mutex);
        ++m_state.workers;
    }
    if (!process)
        return bury("worker-not-started", process.error().message, "");
    m_link = std::make_unique<WorkerLink>(std::move(process).value());
    m_link->send(Hello{.keeps_files = m_options.is_remote});
    enter(Phase::Starting);
}

void WorkerService::Loop::give(Time now) {
    Item item = std::move(m_queue.front());
    m_queue.pop_front();
    m_heard = m_asked = now;
    if (std::string refusal = refusal_of(item.job.request); !refusal.empty())
        return answer(std::move(item), {Ended::Refused, {}, {"remote-lacks", std::move(refusal)}, {}});
    if (m_options.is_remote)
        m_files.begin(item.job.request);
    try {
        m_link->send(Submit{item.ticket, item.job.request});
    } catch (const std::exception&) { // too large for a message, or for the memory
        return answer(std::move(item),
                      {Ended::Refused, {}, {"request-too-large", "the request is too large for a worker"}, {}});
    }
    m_running.emplace(Running{std::move(item), now, std::nullopt, std::nullopt});
    enter(Phase::Busy);
}

Clock::duration WorkerService::Loop::grace() const {
    return m_options.grace_seconds >= 0 ? seconds(m_options.grace_seconds)
                                        : std::chrono::milliseconds(row_of(kind_of(m_running->job.request)).grace_ms);
}

std::optional<Time> WorkerService::Loop::next_alarm() const {
    if (!m_link)
        return std::nullopt;
    if (!m_ready)
        return m_started + seconds(m_options.start_seconds);
    if (!m_running)
        return std::nullopt;
    Time alarm = std::min(m_asked + seconds(m_options.ping_seconds), m_heard + seconds(m_options.silent_seconds));
    if (m_running->job.seconds > 0)
        alarm = std::min(alarm, m_running->since + seconds(m_running->job.seconds));
    if (m_running->cancelled)
        alarm = std::min(alarm, *m_running->cancelled + grace());
    return alarm;
}

void WorkerService::Loop::wait(Time now) {
    pollfd files[1 + WorkerLink::file_count] = {{m_wake.get(), POLLIN, 0}};
    nfds_t count = 1;
    if (m_link) {
        m_link->prepare(files + 1);
        count += WorkerLink::file_count;
    }
    int timeout = -1;
    if (auto alarm = next_alarm())
        timeout = static_cast<int>(
            std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(*alarm - now).count(), 0, 60'000));
    const int ready = poll(files, count, timeout);
    // Who was stopped meanwhile, as by Ctrl-Z, has heard nothing either.
    if (timeout >= 0 && Clock::now() > now + std::chrono::milliseconds(timeout) + std::chrono::seconds(2))
        m_heard = Clock::now();
    if (ready <= 0 || !m_link)
        return;
    std::vector<Message> messages;
    auto exchanged = m_link->exchange(files + 1, messages);
    if (!messages.empty())
        m_heard = Clock::now();
    WorkerLink* link = m_link.get();
    for (Message& message : messages)
        if (m_link.get() == link)
            receive(std::move(message));
    if (m_link.get() != link)
        return;
    if (!exchanged)
        lose("worker-confused", cat("cannot be understood, because ", exchanged.error().message));
    else if (m_link->is_over())
        lose("worker-died", "closed its output", std::chrono::milliseconds(200));
}

// What takes too long.
void WorkerService::Loop::watch(Time now) {
    auto alarm = next_alarm();
    if (!alarm || now < *alarm)
        return;
    if (!m_ready)
        return lose("worker-not-started", cat("said nothing sensible within ", m_options.start_seconds, " s"));
    if (m_running->cancelled && now >= *m_running->cancelled + grace())
        return replace();
    if (m_running->job.seconds > 0 && now >= m_running->since + seconds(m_running->job.seconds))
        return lose("worker-hung", cat("took longer than ", m_running->job.seconds, " s and was killed"));
    if (now >= m_heard + seconds(m_options.silent_seconds))
        return lose("worker-hung", cat("gave no sign of life for ", m_options.silent_seconds, " s and was killed"));
    m_asked = now;
    m_link->send(Ping{++m_pings});
}

void WorkerService::Loop::receive(Message message) {
    if (auto hello = std::get_if<Hello>(&message))
        return greet(*hello);
    if (m_host.empty())
        return lose("worker-confused", "did not begin with a hello");
    if (auto happened = std::get_if<Happened>(&message))
        return happen(*happened);
    if (auto done = std::get_if<Done>(&message))
        return finish(std::move(*done));
    if (auto ask = std::get_if<Ask>(&message); ask && m_options.is_remote)
        return m_link->send(m_files.answer(*ask));
    if (!std::holds_alternative<Pong>(message))
        lose("worker-confused", "asked where it should answer");
}

void WorkerService::Loop::greet(const Hello& hello) {
    if (!m_host.empty())
        return lose("worker-confused", "said hello twice");
    if (hello.protocol != protocol)
        return lose("worker-confused",
                    cat("is of another version, with protocol ", hello.protocol, " in place of ", protocol));
    m_host = hello.host.empty() ? "unknown" : hello.host;
    m_jobs = hello.jobs;
    if (m_options.is_remote && !lacks_job(JobKind::Facts))
        return m_link->send(Submit{0, FactsRequest{}});
    if (m_options.warm_up)
        return m_link->send(Submit{0, WarmUpRequest{}});
    m_ready = true;
    enter(Phase::Idle);
}

// Another version would pass over what it does not know of a request, and do something else.
bool WorkerService::Loop::lacks_job(JobKind kind) const {
    static const auto marks = job_marks();
    return std::ranges::find(m_jobs, marks[static_cast<std::size_t>(kind)]) == m_jobs.end();
}

// Why the machine of a remote worker cannot do the job, with what it has; empty: it can.
std::string WorkerService::Loop::refusal_of(const JobRequest& request) const {
    const JobKind kind = kind_of(request);
    if (!m_options.is_remote)
        return "";
    if (lacks_job(kind))
        return cat("the worker on ", quote(m_host), " is of another version, which does not have the job ",
                   quote(row_of(kind).name), " as this one means it: install this version there");
    const std::string missing = missing_for(request, m_machine);
    return missing.empty() ? "" : cat("the machine ", quote(m_host), " ", missing);
}

void WorkerService::Loop::happen(const Happened& happened) {
    if (!m_running || happened.id != m_running->ticket)
        return lose("worker-confused", "told of a job that it does not have");
    if (happened.event.kind == JobEvent::Kind::Calling) {
        m_running->fault = happened.event.fault;
        return;
    }
    if (!m_running->cancelled && m_running->on_event)
        m_running->on_event(happened.event);
}

void WorkerService::Loop::finish(Done done) {
    if (done.id == 0 && !m_ready) { // the compilers are loaded, or missing: then a compilation will say so
        if (DoctorReport* report = std::get_if<DoctorReport>(&done.answer.result))
            m_machine = std::move(*report);
        m_ready = true;
        return enter(Phase::Idle);
    }
    if (!m_running || done.id != m_running->ticket)
        return lose("worker-confused", "answered a job that it does not have");
    bool cancelled = m_running->cancelled.has_value();
    bool fits = done.answer.ended == Ended::Answered ? done.answer.result.index() == m_running->job.request.index() + 1
                : done.answer.ended == Ended::Cancelled ? cancelled
                                                        : done.answer.ended == Ended::Refused;
    if (!fits)
        return lose("worker-confused", "gave an answer that does not fit");
    Item item = std::move(*m_running);
    m_running.reset();
    if (cancelled)
        done.answer = {Ended::Cancelled, std::move(done.answer.result), {}, {}};
    else
        m_deaths.clear();
    m_reason = done.leaving.empty() ? "" : cat(done.leaving, "; the worker was replaced");
    m_last_words.clear();
    if (!done.leaving.empty()) {
        m_link->end(std::chrono::milliseconds(500));
        drop_worker();
        m_wanted = true;
    }
    enter(m_link ? Phase::Idle : Phase::Resting);
    answer(std::move(item), std::move(done.answer));
}

void WorkerService::Loop::do_cancel(Ticket ticket) {
    auto waiting =
        std::find_if(m_queue.begin(), m_queue.end(), [&](const Item& item) { return item.ticket == ticket; });
    if (waiting != m_queue.end()) {
        Item item = std::move(*waiting);
        m_queue.erase(waiting);
        return answer(std::move(item), {Ended::Cancelled, {}, {}, {}});
    }
    if (!m_running || m_running->ticket != ticket || m_running->cancelled)
        return;
    m_running->cancelled = Clock::now();
    m_link->send(session::Cancel{ticket});
}

void WorkerService::Loop::do_restart() {
    m_broken = false;
    m_deaths.clear();
    m_reason.clear();
    m_last_words.clear();
    replace();
}

// The worker goes because we say so, and the job in hand with it.
void WorkerService::Loop::replace() {
    m_wanted = m_options.keep_ready && m_link;
    drop_worker();
    enter(Phase::Resting);
    if (!m_running)
        return;
    Item item = std::move(*m_running);
    m_running.reset();
    answer(std::move(item), {Ended::Cancelled, {}, {}, {}});
}

bool WorkerService::Loop::died_too_often(Time now) {
    m_deaths.push_back(now);
    std::erase_if(m_deaths, [&](Time death) { return death + seconds(m_options.death_seconds) < now; });
    return m_deaths.size() >= static_cast<std::size_t>(m_options.deaths);
}

// `what` completes a sentence about the worker.
void WorkerService::Loop::lose(const char* code, const std::string& what, std::chrono::milliseconds patience) {
    std::string story = m_link->end(patience);
    std::string words = m_link->last_words();
    int signal = m_link->signal();
    std::string predicate = story.empty() ? what : story;
    std::string reason;
    if (m_host.empty())
        reason = cat("no worker could be started: the command ", predicate);
    else
        reason = cat("the worker ", predicate, m_running ? cat(" while ", doing(m_running->job)) : "");
    if (std::string line = last_line_of(words.empty() && m_host.empty() ? m_link->reader().banner() : words);
        !line.empty())
        reason += cat(": ", line);
    bury(m_host.empty() ? "worker-not-started" : code, reason, words, signal);
}

// The end of a worker, or of the attempt to start one. The job that it had, or was started for, ends with it.
void WorkerService::Loop::bury(const char* code, const std::string& reason, const std::string& words, int signal) {
    const bool was_alive = !m_host.empty();
    const bool was_examined = m_ready || !m_options.is_remote;
    drop_worker();
    m_reason = reason;
    m_last_words = words;
    m_broken = died_too_often(Clock::now());
    m_wanted = was_alive && m_options.keep_ready && !m_broken;
    Answer lost{Ended::WorkerLost, {}, {code, reason}, words};
    lost.signal = signal;
    std::optional<Item> item;
    if (m_running) {
        lost.fault = std::move(m_running->fault);
        if (lost.fault)
            add_note(*lost.fault, reason);
        if (m_running->cancelled)
            lost = {Ended::Cancelled, {}, {}, {}};
        item = std::move(*m_running);
        m_running.reset();
    } else if (!(was_alive && was_examined) && !m_queue.empty()) {
        item = std::move(m_queue.front());
        m_queue.pop_front();
    }
    enter(m_broken ? Phase::Broken : Phase::Lost);
    if (item)
        answer(std::move(*item), std::move(lost));
}

// One that has nothing to do is asked to leave, as it has a folder to remove.
void WorkerService::Loop::drop_worker() {
    if (m_link && m_ready && !m_running)
        m_link->end(std::chrono::milliseconds(200));
    m_link.reset();
    m_ready = false;
    m_host.clear();
}

void WorkerService::Loop::answer(Item item, Answer answer) {
    if (item.on_done)
        item.on_done(std::move(answer));
}

void WorkerService::Loop::enter(Phase phase) {
    ServiceState shown;
    {
        std::lock_guard lock(m_mutex);
        m_state.phase = phase;
        m_state.since = Clock::now();
        m_state.doing = phase == Phase::Busy ? title_of(m_running->job) : "";
        m_state.waiting = static_cast<int>(m_queue.size());
        m_state.reason = m_reason;
        m_state.last_words = m_last_words;
        m_state.host = m_host;
        shown = m_state;
    }
    if (m_options.state_changed)
        m_options.state_changed(shown);
}

std::vector<std::string> default_worker_command() {
    std::error_code error;
    std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    std::filesystem::path beside = program.parent_path() / "hidetc";
    bool is_there = !error && access(beside.c_str(), X_OK) == 0;
    return {is_there ? beside.string() : "hidetc", "worker"};
}

WorkerService::WorkerService(WorkerOptions options) : m_loop(std::make_unique<Loop>(std::move(options))) {}
WorkerService::~WorkerService() {
    m_loop->stop();
}

Ticket WorkerService::submit(Job job, OnEvent on_event, OnDone on_done) {
    return m_loop->submit(std::move(job), std::move(on_event), std::move(on_done));
}
void WorkerService::cancel(Ticket ticket) {
    m_loop->cancel(ticket);
}
ServiceState WorkerService::state() const {
    return m_loop->state();
}
void WorkerService::restart() {
    m_loop->restart();
}
void WorkerService::start() {
    m_loop->start();
}

} // namespace hidet::session
