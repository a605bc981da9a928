// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/worker_rehearser.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <optional>

#include "app/session/worker/link.h"
#include "app/session/worker/worker_service.h"
#include "lang/base/text.h"
#include "lang/host/evaluator.h"

namespace hidet::session {

namespace {

using namespace std::chrono_literals;
using End = Tried::End;

constexpr auto between_waits = 1ms;                // at the token
constexpr std::size_t most_known = 64;             // results that are kept
constexpr std::size_t most_known_text = 4u << 20;  // bytes of a request that is kept
constexpr int most_deaths = 20;                    // in ten seconds: several scripts may end theirs
constexpr std::uint64_t spare_memory = 2ull << 30; // of the worker, beside what an evaluation may hold

// What one thread asks, and the service's thread answers.
struct Question {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t steps = 0; // that it has survived so far
    std::optional<Tried> answer;
};

bool is_same(const RehearsalRequest& a, const RehearsalRequest& b) {
    return a.source.text == b.source.text && a.source.name == b.source.name && a.source.folder == b.source.folder &&
           a.stack_bytes == b.stack_bytes && a.calls == b.calls && a.texts == b.texts;
}

std::size_t size_of(const RehearsalRequest& request) {
    std::size_t size = request.source.text.size();
    for (const auto& [path, text] : request.texts)
        size += path.size() + text.size();
    return size;
}

// What it found on the disk is there still.
bool still_holds(const RehearsalRequest& request, const RehearsalResult& result) {
    lang::ImportFiles disk;
    return std::ranges::all_of(result.files,
                               [&](const RehearsedImport& known) {
                                   const lang::ScriptFile now = disk.read(request.source.folder, known.path);
                                   return now.state == known.state && now.text == known.text;
                               }) &&
           std::ranges::all_of(result.folders, [&](const std::string& path) { return disk.is_folder(path); });
}

std::string death_of(const Answer& answer) {
    if (answer.reason.code == "worker-hung")
        return "it came to no end";
    const std::string words = words_for_signal(answer.signal);
    return words.empty() ? answer.reason.message : words;
}

// For ever: what destroying it does is not known.
void leave(std::shared_ptr<void> made) {
    static auto* const left = new std::vector<std::shared_ptr<void>>;
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    left->push_back(std::move(made));
}

WorkerOptions worker_options(const RehearserOptions& asked) {
    WorkerOptions options;
    options.command = asked.command.empty() ? default_worker_command() : asked.command;
    const std::uint64_t memory = lang::EvalOptions().max_preview_bytes + spare_memory;
    for (const std::string& word : {std::string("--no-gpu"), std::string("--memory"), std::to_string(memory >> 20)})
        options.command.push_back(word);
    options.steps_back = true;
    options.keep_ready = true;
    options.deaths = most_deaths;
    return options;
}

} // namespace

class WorkerRehearser::Impl {
public:
    explicit Impl(RehearserOptions options) : m_options(std::move(options)) {}
    void start() {
        WorkerOptions options = worker_options(m_options);
        options.state_changed = [this](const ServiceState& state) { hear(state); };
        m_service = std::make_unique<WorkerService>(std::move(options));
        m_service->start();
    }

    std::optional<Tried> known(const RehearsalRequest& request) {
        std::lock_guard lock(m_mutex);
        if (m_is_unwatched)
            return Tried{};
        const auto found =
            std::ranges::find_if(m_known, [&](const Known& each) { return is_same(each.request, request); });
        if (found == m_known.end())
            return std::nullopt;
        if (found->tried.end == End::Survived && !still_holds(request, found->tried.result)) {
            m_known.erase(found);
            return std::nullopt;
        }
        return found->tried;
    }

    Ticket ask(const RehearsalRequest& request, const std::shared_ptr<Question>& question) {
        const auto hear_steps = [question](const JobEvent& event) {
            std::lock_guard lock(question->mutex);
            question->steps = event.steps;
            question->changed.notify_all();
        };
        return m_service->submit({request, request.source.name, m_options.hang_seconds}, hear_steps,
                                 [this, request, question](Answer answer) {
                                     Tried tried = judged(std::move(answer));
                                     keep(request, tried);
                                     std::lock_guard lock(question->mutex);
                                     question->answer = std::move(tried);
                                     question->changed.notify_all();
                                 });
    }
    void cancel(Ticket ticket) { m_service->cancel(ticket); }

private:
    struct Known {
        RehearsalRequest request;
        Tried tried;
    };

    // Each process begins with a job of no text: what it does once is then done.
    void hear(const ServiceState& state) {
        if (state.phase == ServiceState::Phase::Idle && state.workers != std::exchange(m_worker, state.workers))
            m_service->submit({RehearsalRequest{}, "", 0}, {}, {});
    }

    Tried judged(Answer answer) {
        switch (answer.ended) {
        case Ended::Answered: {
            RehearsalResult& result = std::get<RehearsalResult>(answer.result);
            if (result.is_out_of_memory)
                return {End::Died, {}, "it takes more memory than a preview may have"};
            return {End::Survived, std::move(result), {}};
        }
        case Ended::Cancelled: return {End::Cancelled, {}, {}};
        case Ended::Refused: return {End::Untried, {}, answer.reason.message};
        case Ended::WorkerLost: break;
        }
        if (answer.reason.code != "worker-not-started" && answer.reason.code != "worker-broken")
            return {End::Died, {}, death_of(answer)};
        if (answer.reason.code == "worker-broken")
            m_service->restart();
        if (m_worker > 0)
            return {End::Untried, {}, answer.reason.message};
        give_up(answer.reason.message);
        return {};
    }

    void give_up(const std::string& why) {
        {
            std::lock_guard lock(m_mutex);
            if (std::exchange(m_is_unwatched, true))
                return;
        }
        if (m_options.unwatched)
            m_options.unwatched(cat("scripts are evaluated in this process, which one with a fault may end: ", why));
    }

    void keep(const RehearsalRequest& request, const Tried& tried) {
        if ((tried.end != End::Survived && tried.end != End::Died) || size_of(request) > most_known_text)
            return;
        std::lock_guard lock(m_mutex);
        m_known.push_front({request, tried});
        if (m_known.size() > most_known)
            m_known.pop_back();
    }

    const RehearserOptions m_options;
    std::mutex m_mutex;        // of the next two
    std::deque<Known> m_known; // the latest first
    bool m_is_unwatched = false;
    int m_worker = 0; // the last that was there, by its number; 0: none ever was. The service's thread has it
    std::unique_ptr<WorkerService> m_service; // last: it uses all of the others
};

class WorkerRehearser::Asked final : public Rehearsal {
public:
    Asked(Impl& impl, RehearsalRequest asked) : Rehearsal(std::move(asked)), m_impl(impl) {
        m_question->answer = impl.known(request);
        if (!m_question->answer)
            m_ticket = impl.ask(request, m_question);
    }
    ~Asked() override { take_back(); }
    Tried wait(const std::atomic<bool>* cancelled) override {
        std::unique_lock lock(m_question->mutex);
        const bool is_there = waits_for(lock, cancelled, [&] { return m_question->answer.has_value(); });
        return is_there ? *m_question->answer : Tried{End::Cancelled, {}, {}};
    }
    bool goes_beyond(std::uint64_t steps, const std::atomic<bool>* cancelled) override {
        std::unique_lock lock(m_question->mutex);
        const std::optional<Tried>& answer = m_question->answer;
        return waits_for(lock, cancelled, [&] { return answer || m_question->steps > steps; }) &&
               (!answer || has_survived(*answer));
    }
    void take_back() override {
        std::lock_guard lock(m_question->mutex);
        if (!m_question->answer)
            m_impl.cancel(m_ticket);
    }
    std::optional<End> end() const { // nothing, while it is not known
        std::lock_guard lock(m_question->mutex);
        return m_question->answer ? std::optional(m_question->answer->end) : std::nullopt;
    }

private:
    template <class What>
    bool waits_for(std::unique_lock<std::mutex>& lock, const std::atomic<bool>* cancelled, const What& what) {
        while (!m_question->changed.wait_for(lock, between_waits, what))
            if (cancelled && cancelled->load(std::memory_order_relaxed))
                return false;
        return true;
    }

    Impl& m_impl;
    const std::shared_ptr<Question> m_question = std::make_shared<Question>();
    Ticket m_ticket = 0;
};

WorkerRehearser::WorkerRehearser(RehearserOptions options) : m_impl(std::make_unique<Impl>(std::move(options))) {
    m_impl->start();
}
WorkerRehearser::~WorkerRehearser() {
    for (Kept& kept : m_kept)
        leave(std::move(kept.made));
}

std::unique_ptr<Rehearsal> WorkerRehearser::begin(RehearsalRequest request) {
    sweep();
    return std::make_unique<Asked>(*m_impl, std::move(request));
}

void WorkerRehearser::keep(std::unique_ptr<Rehearsal> rehearsal, std::shared_ptr<void> made) {
    std::lock_guard lock(m_mutex);
    m_kept.push_back({std::move(rehearsal), std::move(made)});
}

// On the stack of who evaluates, as destroying what nests takes one. What ended its worker is never destroyed.
void WorkerRehearser::sweep() {
    std::vector<Kept> harmless;
    std::lock_guard lock(m_mutex);
    std::erase_if(m_kept, [&](Kept& kept) {
        const std::optional<End> end = static_cast<const Asked&>(*kept.rehearsal).end();
        if (end == End::Cancelled || end == End::Survived)
            harmless.push_back(std::move(kept));
        else if (end)
            leave(std::move(kept.made));
        return end.has_value();
    });
}

} // namespace hidet::session
