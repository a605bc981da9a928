// SPDX-License-Identifier: Apache-2.0
#include "app/session/fleet/tune_fleet.h"

#include "app/session/fleet/work_list.h"
#include "app/session/tune/tuning.h"
#include "app/session/worker/worker_service.h"
#include "lang/base/helpers.h"
#include "lang/base/text.h"

#include <condition_variable>
#include <mutex>

namespace hidet::session {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_looks{20};
constexpr double in_queue = 1e9;      // seconds until a scheduler has room
constexpr double of_a_dead_link = 30; // seconds without a word
constexpr int most_deaths = 6;        // of one worker without a result between them
constexpr int most_failed_starts = 3;

bool is_error(Status status) {
    return status != Status::Ok;
}

void refuse_fleet(Outcome& outcome, const std::string& message) {
    outcome.status = Status::Environment;
    outcome.diagnostics.push_back(view_of(Diagnostic::make(DiagId::EnvironmentRefused, {}, message), SourceMap{}));
}

// All happens in the thread of run(); services leave what they have to tell in an inbox.
class FleetCoordinator {
public:
    FleetCoordinator(const std::vector<ModelRequest>& requests, const Fleet& fleet);
    FleetTuning run();

private:
    struct Slot {
        std::unique_ptr<WorkerService> service;
        std::optional<FleetTask> task;
        Ticket ticket = 0;
        int failed_starts = 0;
        bool is_out = false;
    };
    struct News {
        std::size_t slot = 0;
        std::variant<JobEvent, Answer> what;
    };

    bool is_over() const;
    bool list();
    void work();
    void give();
    void submit(std::size_t slot, FleetTask task);
    void wait();
    void hear(const News& news);
    void hear(std::size_t slot, const JobEvent& event);
    void finish(std::size_t slot, Answer answer);
    void take_list(std::size_t slot, const FleetTask& task, ModelTuneResult result);
    void take_measured(std::size_t slot, const FleetTask& task, ModelTuneResult result);
    void take_loss(std::size_t slot, FleetTask task, const Error& reason);
    void keep(const tune::RecordKey& key, const tune::Record& record, std::size_t model);
    void lose(const FleetTask& task);
    void leave_out(std::size_t slot, const std::string& reason);
    bool is_of_fleet(std::size_t slot, const std::string& machine);
    void fail(std::size_t model, ModelTuneResult result);
    void stop();
    void report() const;
    std::size_t live() const;

    const std::vector<ModelRequest>& m_requests;
    const ModelRequest& m_first;
    const Fleet& m_fleet;
    const Clock::time_point m_start = Clock::now();
    std::unique_ptr<tune::Records> m_records;
    std::string m_known; // of them when the lists of this round were asked for
    std::string m_machine;
    std::string m_failure; // ends it all
    WorkList m_work;
    FleetTuning m_out;
    std::vector<bool> m_has_failed;
    bool m_is_complete = true;
    bool m_is_first_list = true;

    std::mutex m_mutex; // of the inbox
    std::condition_variable m_told;
    std::vector<News> m_inbox;
    std::vector<Slot> m_slots; // last: they tell until they are gone
};

FleetCoordinator::FleetCoordinator(const std::vector<ModelRequest>& requests, const Fleet& fleet)
    : m_requests(requests), m_first(requests.front()), m_fleet(fleet), m_has_failed(requests.size()) {
    m_out.results.resize(requests.size());
    for (const std::vector<std::string>& command : fleet.commands) {
        WorkerOptions options;
        options.command = command;
        options.is_remote = true;
        options.start_seconds = in_queue;
        options.silent_seconds = of_a_dead_link;
        options.deaths = most_deaths;
        options.death_seconds = in_queue;
        m_slots.emplace_back().service = std::make_unique<WorkerService>(std::move(options));
    }
}

FleetTuning FleetCoordinator::run() {
    auto opened = open_records(m_first.records);
    if (opened)
        m_records = std::move(opened).value();
    else
        m_failure = opened.error().message;
    while (!is_over() && list())
        work();
    stop();
    const bool is_cancelled = m_first.cancelled && m_first.cancelled->load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < m_out.results.size(); ++i) {
        ModelTuneResult& result = m_out.results[i];
        result.measured = m_work.measured(i);
        result.is_complete = result.is_complete && m_is_complete && !is_over();
        if (is_cancelled)
            result.status = Status::Cancelled;
        else if (!m_failure.empty())
            refuse_fleet(result, m_failure);
    }
    return std::move(m_out);
}

bool FleetCoordinator::is_over() const {
    const std::chrono::duration<double> spent = Clock::now() - m_start;
    return !m_failure.empty() || (m_first.deadline > 0 && spent.count() > m_first.deadline) ||
           (m_first.cancelled && m_first.cancelled->load(std::memory_order_relaxed));
}

// What the records lack of each model. False: nothing.
bool FleetCoordinator::list() {
    Result<std::string> known = m_records->text();
    if (!known) {
        m_failure = known.error().message;
        return false;
    }
    m_known = std::move(known).value();
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        if (!m_has_failed[i])
            m_work.add_list(i);
    work();
    m_is_first_list = false;
    for (std::size_t i = 0; i < m_requests.size() && !is_over(); ++i)
        for (const std::vector<tune::RecordKey>& together : std::exchange(m_out.results[i].missing, {}))
            m_work.add(i, together);
    return !is_over() && !m_work.is_empty();
}

void FleetCoordinator::work() {
    const auto is_working = [](const Slot& slot) { return slot.task.has_value(); };
    for (;;) {
        if (!is_over())
            give();
        if (std::ranges::none_of(m_slots, is_working))
            return;
        if (is_over())
            for (const Slot& slot : m_slots)
                if (slot.task)
                    slot.service->cancel(slot.ticket);
        wait();
        report();
    }
}

std::size_t FleetCoordinator::live() const {
    return static_cast<std::size_t>(std::ranges::count(m_slots, false, &Slot::is_out));
}

void FleetCoordinator::give() {
    for (std::size_t i = 0; i < m_slots.size(); ++i)
        if (!m_slots[i].is_out && !m_slots[i].task)
            if (std::optional<FleetTask> task = m_work.next(live()))
                submit(i, std::move(*task));
}

void FleetCoordinator::submit(std::size_t slot, FleetTask task) {
    ModelRequest model = m_requests[task.model];
    model.records = ""; // which are here
    model.print = nullptr;
    if (m_first.deadline > 0)
        model.deadline = m_first.deadline - std::chrono::duration<double>(Clock::now() - m_start).count();
    ModelTuneRequest request{std::move(model), {true, m_known, keys_of(task)}};
    const auto tell = [this, slot](std::variant<JobEvent, Answer> what) {
        std::lock_guard lock(m_mutex);
        m_inbox.push_back({slot, std::move(what)});
        m_told.notify_one();
    };
    m_slots[slot].task = std::move(task);
    m_slots[slot].ticket = m_slots[slot].service->submit({std::move(request), "", 0}, tell, tell);
}

void FleetCoordinator::wait() {
    std::vector<News> news;
    {
        std::unique_lock lock(m_mutex);
        m_told.wait_for(lock, between_looks, [this] { return !m_inbox.empty(); });
        news.swap(m_inbox);
    }
    for (News& each : news)
        if (const auto* event = std::get_if<JobEvent>(&each.what))
            hear(each.slot, *event);
        else
            finish(each.slot, std::get<Answer>(std::move(each.what)));
}

void FleetCoordinator::hear(std::size_t slot, const JobEvent& event) {
    if (!m_slots[slot].task)
        return;
    const FleetTask& task = *m_slots[slot].task;
    if (event.kind == JobEvent::Kind::Printed && task.is_list() && m_is_first_list && m_requests[task.model].print)
        m_requests[task.model].print(event.text);
    if (event.kind != JobEvent::Kind::Recorded)
        return;
    const Result<std::vector<tune::KeyedRecord>> rows = tune::records_in(event.text);
    if (!rows)
        return;
    for (const auto& [key, record] : rows.value())
        if (has_key(task, key))
            keep(key, record, task.model);
}

void FleetCoordinator::keep(const tune::RecordKey& key, const tune::Record& record, std::size_t model) {
    if (!m_work.mark_measured(key, model))
        return;
    if (const Result<void> kept = m_records->store(key, record); !kept)
        m_failure = kept.error().message;
}

void FleetCoordinator::finish(std::size_t slot, Answer answer) {
    FleetTask task = *std::exchange(m_slots[slot].task, std::nullopt);
    if (answer.ended == Ended::WorkerLost)
        return take_loss(slot, std::move(task), answer.reason);
    if (answer.ended == Ended::Refused)
        leave_out(slot, answer.reason.message);
    auto* result = std::get_if<ModelTuneResult>(&answer.result);
    if (answer.ended != Ended::Answered || !result)
        return m_work.give_again(std::move(task));
    m_slots[slot].failed_starts = 0;
    if (task.is_list())
        take_list(slot, task, std::move(*result));
    else
        take_measured(slot, task, std::move(*result));
}

// Measurements of another machine would be other records, of which nobody asked for.
bool FleetCoordinator::is_of_fleet(std::size_t slot, const std::string& machine) {
    if (m_machine.empty())
        m_machine = machine;
    if (machine.find(m_machine) != std::string::npos)
        return true;
    leave_out(slot, cat("it has ", quote(machine), ", and the others ", quote(m_machine)));
    return false;
}

void FleetCoordinator::take_list(std::size_t slot, const FleetTask& task, ModelTuneResult result) {
    if (is_error(result.status))
        return fail(task.model, std::move(result));
    if (!result.missing.empty() && !is_of_fleet(slot, result.missing.front().front().machine))
        return m_work.add_list(task.model);
    m_out.results[task.model] = std::move(result);
}

void FleetCoordinator::take_measured(std::size_t slot, const FleetTask& task, ModelTuneResult result) {
    if (result.is_lost) {
        m_slots[slot].service->restart(); // its device is broken for that process
        return lose(task);
    }
    if (is_error(result.status))
        return fail(task.model, std::move(result));
    if (!m_work.has_rest(task))
        return;
    if (is_of_fleet(slot, result.where))
        m_is_complete = false; // what it has not measured is none of the search's any more
    else
        m_work.give_again(task);
}

void FleetCoordinator::take_loss(std::size_t slot, FleetTask task, const Error& reason) {
    if (reason.code == "worker-broken") {
        leave_out(slot, reason.message);
        return m_work.give_again(std::move(task));
    }
    if (reason.code == "worker-not-started") {
        if (++m_slots[slot].failed_starts == most_failed_starts)
            leave_out(slot, reason.message);
        return m_work.give_again(std::move(task));
    }
    m_out.notes.push_back(
        cat("worker ", slot + 1, " of ", m_slots.size(), " was lost, and its work given to others: ", reason.message));
    if (task.is_list())
        return m_work.give_again(std::move(task));
    lose(task);
}

void FleetCoordinator::lose(const FleetTask& task) {
    m_work.lose(task, [&](const tune::RecordKey& key) {
        keep(key, {std::nullopt, 0, tune::took_process}, task.model);
    });
}

void FleetCoordinator::leave_out(std::size_t slot, const std::string& reason) {
    m_slots[slot].is_out = true;
    m_out.notes.push_back(cat("worker ", slot + 1, " of ", m_slots.size(), " is left out: ", reason));
    if (live() == 0)
        m_failure = cat("no worker of '--fleet ", m_fleet.name, "' is left: ", reason);
}

// The same would happen to the others.
void FleetCoordinator::fail(std::size_t model, ModelTuneResult result) {
    m_has_failed[model] = true;
    result.missing.clear();
    m_out.results[model] = std::move(result);
    m_work.drop(model);
}

void FleetCoordinator::stop() {
    {
        Helpers ending; // each waits for its worker for a moment
        for (Slot& slot : m_slots) {
            const auto end = [&slot] { slot.service = nullptr; };
            if (!ending.start(end))
                end();
        }
    }
    if (m_fleet.end)
        m_fleet.end();
}

void FleetCoordinator::report() const {
    if (!m_first.progress)
        return;
    const auto is_there = [](const Slot& slot) { return slot.service->state().phase == ServiceState::Phase::Busy; };
    const auto workers = static_cast<std::size_t>(std::ranges::count_if(m_slots, is_there));
    if (workers == 0)
        return m_first.progress({.what = cat("waiting for workers of ", m_fleet.name)});
    m_first.progress({.what = cat("measuring with ", workers, workers == 1 ? " worker" : " workers"),
                      .done = m_work.done(),
                      .total = m_work.total()});
}

} // namespace

FleetTuning tune_on_fleet(const std::vector<ModelRequest>& requests, const Fleet& fleet) {
    return FleetCoordinator(requests, fleet).run();
}

} // namespace hidet::session
