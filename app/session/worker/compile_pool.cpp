// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/compile_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>

#include "lang/base/lower_priority.h"
#include "runtime/package/thread_pool.h"

namespace hidet::session {

struct CompilePool::Member {
    explicit Member(WorkerOptions options) : service(std::move(options)) {}
    int jobs = 0; // under the pool's mutex
    WorkerService service;
};

namespace {

// An answer that somebody waits for.
class Promise {
public:
    void keep(Answer answer) {
        std::lock_guard lock(m_mutex);
        m_answer = std::move(answer);
        m_kept.notify_all();
    }
    // nothing: not yet
    std::optional<Answer> wait(std::chrono::milliseconds time) {
        std::unique_lock lock(m_mutex);
        m_kept.wait_for(lock, time, [this] { return m_answer.has_value(); });
        return std::exchange(m_answer, std::nullopt);
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_kept;
    std::optional<Answer> m_answer;
};

constexpr double most_seconds = 300; // of one compilation

bool is_set(const std::atomic<bool>* flag) {
    return flag && flag->load(std::memory_order_relaxed);
}

Answer wait_for(Service& service, Job job, const std::atomic<bool>* cancelled) {
    auto promise = std::make_shared<Promise>();
    Ticket ticket = service.submit(std::move(job), {}, [promise](Answer answer) { promise->keep(std::move(answer)); });
    bool asked = false;
    for (;;) {
        if (auto answer = promise->wait(cancelled && !asked ? std::chrono::milliseconds(5) : std::chrono::hours(1)))
            return std::move(*answer);
        if (!asked && is_set(cancelled)) {
            service.cancel(ticket);
            asked = true;
        }
    }
}

} // namespace

CompilePool::CompilePool(PoolOptions options)
    : m_options(std::move(options)), m_programs(std::make_shared<toolchain::LazyPlaces>(m_options.places)) {
    m_options.workers = std::max(m_options.workers, 1);
    if (m_options.worker.command.empty()) {
        m_options.worker.command = default_worker_command();
        m_options.worker.command.emplace_back("--compiler");
    }
}

// With the lock held.
CompilePool::Members& CompilePool::those_that(bool lower_priority) {
    Members& asked = lower_priority ? m_patient : m_prompt;
    if (asked.empty()) {
        PoolOptions options = m_options;
        options.worker.warm_up = lower_priority; // others begin with what somebody waits for
        options.worker.keep_ready = options.worker.steps_back = lower_priority;
        asked = members(options, lower_priority ? 0 : options.workers);
    }
    return asked;
}

CompilePool::Members CompilePool::members(const PoolOptions& options, int first) {
    Members out;
    for (int index = first; index < first + options.workers; ++index) {
        WorkerOptions worker = options.worker;
        if (options.state_changed)
            worker.state_changed = [index, changed = options.state_changed](const ServiceState& state) {
                changed(index, state);
            };
        out.push_back(std::make_unique<Member>(std::move(worker)));
    }
    return out;
}

CompilePool::~CompilePool() = default;

// Of the one with the least to do, and of those the one that was started first.
Answer CompilePool::answer_of(JobRequest request, const std::atomic<bool>* cancelled) {
    Member* member = nullptr;
    {
        std::lock_guard lock(m_mutex);
        const Members& asked = those_that(has_stepped_back());
        member = std::ranges::min_element(asked, [](const auto& a, const auto& b) { return a->jobs < b->jobs; })->get();
        ++member->jobs;
    }
    Answer answer = wait_for(member->service, {std::move(request), "", most_seconds}, cancelled);
    std::lock_guard lock(m_mutex);
    --member->jobs;
    return answer;
}

Result<toolchain::SolverAnswer> CompilePool::solve(const std::string& question, const std::atomic<bool>* cancelled) {
    Answer answer = answer_of(SolveRequest{question}, cancelled);
    switch (answer.ended) {
    case Ended::Answered: return std::get<toolchain::SolverAnswer>(std::move(answer.result));
    case Ended::Refused: return answer.reason;
    case Ended::Cancelled: return Error{"cancelled", "the proof was cancelled"};
    case Ended::WorkerLost: break;
    }
    return Error{"worker-lost", answer.reason.message};
}

Result<toolchain::CompileResult> CompilePool::compile(const toolchain::CompileRequest& request) {
    if (request.language != artifact::Language::CudaCxx)
        return m_programs.compile(request);
    toolchain::CompileRequest sent = request;
    sent.cancelled = nullptr;
    Answer answer = answer_of(std::move(sent), request.cancelled);
    switch (answer.ended) {
    case Ended::Answered: return std::get<toolchain::CompileResult>(std::move(answer.result));
    case Ended::Refused: return answer.reason;
    case Ended::Cancelled: return Error{"cancelled", "the compilation was cancelled"};
    case Ended::WorkerLost: return Error{"worker-lost", answer.reason.message};
    }
    return Error{"worker-lost", "the answer is of no known kind"};
}

Result<std::string> CompilePool::recipe(const toolchain::CompileRequest& request) {
    return m_programs.recipe(request);
}

void CompilePool::start() {
    std::lock_guard lock(m_mutex);
    for (const auto& member : those_that(true))
        member->service.start();
}

void CompilePool::restart() {
    std::lock_guard lock(m_mutex);
    for (const auto* members : {&m_patient, &m_prompt})
        for (const auto& member : *members)
            member->service.restart();
}

std::shared_ptr<Tools> open_confined_tools(ToolsOptions options) {
    PoolOptions pool;
    pool.workers = std::clamp(package::usable_processors(), 1, 16);
    options.compilers = std::make_shared<CompilePool>(std::move(pool));
    return open_tools(std::move(options));
}

} // namespace hidet::session
