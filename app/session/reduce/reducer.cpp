// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "app/session/reduce/part_cuts.h"
#include "app/session/reduce/reduce.h"
#include "app/session/reduce/script_text.h"
#include "app/session/reduce/statement_cuts.h"
#include "app/session/reduce/trial.h"
#include "app/session/work/large_thread.h"
#include "lang/base/text.h"

namespace hidet::session {

const std::vector<TrialWayInfo>& all_trial_ways() {
    static const std::vector<TrialWayInfo> ways = {
#define HIDET_TRIAL_WAY(name, word, command) {TrialWay::name, word, command},
#include "app/session/reduce/trial_ways.def"
    };
    return ways;
}

const TrialWayInfo& info(TrialWay way) {
    return all_trial_ways()[static_cast<std::size_t>(way)];
}

namespace {

using ReduceClock = std::chrono::steady_clock;

constexpr std::size_t asked_ways = 3; // where nobody says which, the first in the table
constexpr std::uint64_t step_limits[] = {100'000, 1'000'000, 10'000'000}; // a loop that lost its end costs as many

// One that shows the finding, smaller than the script before.
struct SmallerScript {
    std::shared_ptr<const ScriptText> script;
    DiagnosticView finding;
};

class Reducer {
public:
    explicit Reducer(const ReduceRequest& request) : m_request(request), m_start(ReduceClock::now()) {}

    ReduceResult run() {
        m_result.lines_before = count_lines(m_request.source.text);
        if (!is_valid_utf8(m_request.source.text) || m_request.source.text.find('\0') != std::string::npos)
            refuse("it is no text");
        else if (find()) {
            choose_steps();
            add_triers();
            begin();
            while (!stopped() && round()) {
            }
            take_best();
        }
        return std::move(m_result);
    }

private:
    bool is_cancelled() const { return m_request.cancelled && m_request.cancelled->load(std::memory_order_relaxed); }
    bool is_late() const {
        return m_request.deadline > 0 &&
               std::chrono::duration<double>(ReduceClock::now() - m_start).count() > m_request.deadline;
    }
    bool stopped() const { return is_cancelled() || is_late(); }

    void refuse(const std::string& why) {
        m_result.status = Status::UserMistake;
        const std::string message = cat("cannot reduce '", m_request.source.name, "': ", why);
        m_result.diagnostics.push_back(view_of(Diagnostic::make(DiagId::BadValue, {}, message), SourceMap{}));
    }

    // ---- the finding
    bool is_wanted(const DiagnosticView& view) const {
        return (m_request.code.empty() || view.id == m_request.code) &&
               view.message.find(m_request.keep) != std::string::npos;
    }

    // Warnings count where nothing is an error, or where they are asked for.
    bool find() {
        const bool is_named = !m_request.code.empty() || !m_request.keep.empty();
        return (!is_named && find(Severity::Error)) || (m_result.status == Status::Ok && find(Severity::Note)) ||
               (m_result.status == Status::Ok && refuse_all());
    }

    bool find(Severity least) {
        m_others.clear();
        const auto& ways = all_trial_ways();
        for (std::size_t i = 0; i < ways.size() && m_result.status == Status::Ok; ++i) {
            const bool is_asked = m_request.way ? ways[i].way == *m_request.way : i < asked_ways;
            if (is_asked && find_by(ways[i].way, least))
                return true;
        }
        return false;
    }

    bool refuse_all() {
        if (!m_others.empty())
            refuse(cat("no finding is the one that was named; one is '", m_others.front().message, "' [",
                       m_others.front().id, "]"));
        else
            refuse(m_request.way ? cat("'", info(*m_request.way).command, "' finds nothing") : "it has no finding");
        return false;
    }

    bool find_by(TrialWay way, Severity least) {
        auto trier = std::make_unique<Trier>(m_request, way, m_request.max_steps);
        const Trial trial = trier->attempt(m_request.source.text, [this] { return stopped(); });
        if (trial.is_stopped || stopped()) {
            m_result.status = Status::Cancelled;
            return false;
        }
        if (trial.is_refused && !m_request.way)
            return false; // another way may do
        for (const TrialFinding& each : trial.findings) {
            if (trial.is_refused || each.view.id == "worker-not-started") {
                m_result.status = Status::Environment;
                m_result.diagnostics.push_back(each.view);
                return false;
            }
            if (each.view.severity > least)
                continue;
            if (!is_wanted(each.view)) {
                m_others.push_back(each.view);
                continue;
            }
            m_result.way = way;
            m_wanted = each.identity;
            for (const TrialFinding& any : trial.findings)
                m_ids.insert(any.view.id);
            m_best = {std::make_shared<const ScriptText>(m_request.source.text), each.view};
            m_triers.push_back(std::move(trier));
            return true;
        }
        return false;
    }

    std::optional<DiagnosticView> shown_by(Trier& trier, const std::string& text, const Trier::IsStopped& is_stopped) {
        ++m_tries;
        const Trial trial = trier.attempt(text, is_stopped);
        const auto shown = std::ranges::find(trial.findings, m_wanted, &TrialFinding::identity);
        const auto is_new = [&](const TrialFinding& each) { return !m_ids.contains(each.view.id); };
        if (shown == trial.findings.end() || std::ranges::any_of(trial.findings, is_new))
            return {};
        return shown->view;
    }

    // ---- how it is tried
    void choose_steps() {
        m_steps = m_request.max_steps;
        const std::string& id = m_best.finding.id;
        const bool is_about_limits = m_best.finding.is(DiagId::EmulateStepBudget) ||
                                     m_best.finding.is(DiagId::TooManySteps) || id == "worker-hung";
        if (m_steps > 0 || is_about_limits || m_result.way == TrialWay::Check || m_result.way == TrialWay::Cuda)
            return;
        for (const std::uint64_t steps : step_limits) {
            auto trier = std::make_unique<Trier>(m_request, m_result.way, steps);
            if (!shown_by(*trier, m_request.source.text, [this] { return stopped(); }))
                continue;
            m_steps = steps;
            m_triers.front() = std::move(trier);
            return;
        }
    }

    void add_triers() {
        constexpr std::size_t most = 8;
        std::size_t count = m_request.workers > 0
                                ? static_cast<std::size_t>(m_request.workers)
                                : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most);
        if (m_result.way == TrialWay::Cuda)
            count = 1;
        while (m_triers.size() < count)
            m_triers.push_back(std::make_unique<Trier>(m_request, m_result.way, m_steps));
    }

    // Each candidate is formatted, so that what comes out can come in again.
    void begin() {
        const std::string text = formatted(m_best.script->text());
        if (text == m_best.script->text())
            return;
        if (auto finding = shown_by(*m_triers.front(), text, [this] { return stopped(); }))
            m_best = {std::make_shared<const ScriptText>(text), std::move(*finding)};
    }

    // ---- candidates
    std::optional<SmallerScript> tried(Trier& trier, const Cut& cut, const Trier::IsStopped& is_stopped) {
        std::string text = with_cut(m_best_base->text(), cut);
        auto script = std::make_shared<const ScriptText>(text);
        if (script->has_mistakes() && !m_best.script->has_mistakes())
            return {};
        text = formatted(text);
        script = std::make_shared<const ScriptText>(text);
        if (!(script->weight() < m_best.script->weight()))
            return {};
        {
            const std::lock_guard lock(m_mutex);
            if (m_failed.contains(text))
                return {};
        }
        if (auto finding = shown_by(trier, text, is_stopped))
            return SmallerScript{std::move(script), std::move(*finding)};
        const std::lock_guard lock(m_mutex);
        if (!is_stopped())
            m_failed.insert(std::move(text));
        return {};
    }

    // The first candidate from `at` on that shows the finding becomes the best one; nothing: none of them does.
    std::optional<std::size_t> first(std::size_t at, std::size_t count, const std::function<Cut(std::size_t)>& cut_of) {
        std::atomic<std::size_t> next = at, found = count;
        SmallerScript best;
        const auto work = [&](Trier& trier) {
            for (std::size_t i; (i = next++) < found && !stopped();) {
                auto smaller = tried(trier, cut_of(i), [&, i] { return stopped() || found < i; });
                const std::lock_guard lock(m_mutex);
                if (!smaller || i > found)
                    continue;
                found = i;
                best = std::move(*smaller);
            }
        };
        std::vector<std::unique_ptr<LargeThread>> threads;
        try {
            for (std::size_t i = 1; i < std::min(m_triers.size(), count - at); ++i)
                threads.push_back(std::make_unique<LargeThread>([&, i] { work(*m_triers[i]); }));
        } catch (const std::system_error&) { // those that there are do all of it
        }
        work(*m_triers.front());
        threads.clear();
        if (found < count)
            m_best = std::move(best);
        if (m_request.progress)
            m_request.progress({m_tries, count_lines(m_best.script->text())});
        return found < count ? std::optional<std::size_t>(found) : std::nullopt;
    }

    // ---- rounds
    bool round() {
        bool is_smaller = false;
        for (std::size_t level = 0; level < StatementLevels(*m_best.script).depth() && !stopped(); ++level)
            is_smaller |= sweep(level);
        return shrink_parts() || is_smaller;
    }

    // Ever smaller runs of the statements of one level, the last ones first: what is defined is used further down.
    bool sweep(std::size_t level) {
        const std::shared_ptr<const ScriptText> base = m_best.script;
        m_best_base = base.get();
        const StatementLevels levels(*base);
        std::vector<bool> removed(levels.count(level));
        for (std::size_t size = removed.size(); size > 0; size = size == 1 ? 0 : (size + 1) / 2)
            sweep_runs(levels, level, size, removed);
        return m_best.script != base;
    }

    void sweep_runs(const StatementLevels& levels, std::size_t level, std::size_t size, std::vector<bool>& removed) {
        std::vector<std::size_t> kept;
        for (std::size_t i = removed.size(); i-- > 0;)
            if (!removed[i])
                kept.push_back(i);
        const auto without = [&](std::size_t run) {
            std::vector<bool> out = removed;
            for (std::size_t i = run * size; i < std::min(kept.size(), (run + 1) * size); ++i)
                out[kept[i]] = true;
            return out;
        };
        const std::size_t runs = (kept.size() + size - 1) / size;
        for (std::size_t at = 0; at < runs && !stopped(); ++at) {
            const auto found = first(at, runs, [&](std::size_t run) { return levels.without(level, without(run)); });
            if (!found)
                return;
            removed = without(*found);
            at = *found;
        }
    }

    bool shrink_parts() {
        const std::shared_ptr<const ScriptText> before = m_best.script;
        std::vector<Cut> cuts = part_cuts(*before);
        m_best_base = before.get();
        for (std::size_t at = 0; at < cuts.size() && !stopped();) {
            const auto found = first(at, cuts.size(), [&](std::size_t i) { return cuts[i]; });
            if (!found)
                break;
            at = *found;
            m_best_base = m_best.script.get();
            cuts = part_cuts(*m_best.script);
        }
        return m_best.script != before;
    }

    // ---- the result
    void take_best() {
        m_result.is_smallest = !stopped();
        if (is_cancelled())
            m_result.status = Status::Cancelled;
        m_result.finding = m_best.finding;
        m_result.lines_after = count_lines(m_best.script->text());
        std::string message = m_best.finding.message;
        std::ranges::replace_if(
            message, [](char c) { return c == '\n' || c == '\r'; }, ' ');
        const std::string order = m_request.order ? cat(" --seed ", *m_request.order) : "";
        const std::string head = cat("# ", info(m_result.way).command, order, ": ", message, " [", m_best.finding.id,
                                     "]\n# reduced by hidetc reduce ", m_request.version, "\n");
        m_result.text = formatted(head + m_best.script->text());
    }

    const ReduceRequest& m_request;
    const ReduceClock::time_point m_start;
    ReduceResult m_result;
    std::vector<DiagnosticView> m_others; // findings that were not meant
    std::string m_wanted;                 // the identity of the one that was
    std::set<std::string> m_ids;          // of all findings: one that is new would hide what is looked for
    std::uint64_t m_steps = 0;
    std::vector<std::unique_ptr<Trier>> m_triers;
    SmallerScript m_best;
    const ScriptText* m_best_base = nullptr; // what is cut
    std::mutex m_mutex;
    std::set<std::string> m_failed; // candidates that do not show it
    std::atomic<std::size_t> m_tries = 0;
};

} // namespace

ReduceResult reduce(const ReduceRequest& request) {
    return Reducer(request).run();
}

} // namespace hidet::session
