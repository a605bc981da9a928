// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/search.h"

#include <algorithm>

#include "compiler/graph/document/costs.h"
#include "compiler/graph/plan/plan.h"
#include "compiler/graph/plan/signature.h"
#include "compiler/ir/text/print.h"
#include "compiler/perf/predict.h"
#include "lang/base/helpers.h"
#include "lang/base/text.h"

namespace hidet::tune {

using namespace graph;

namespace {

constexpr std::size_t most_at_level_1 = 8, most_at_level_2 = 200;
constexpr std::size_t most_of_operator = 8; // measured together
constexpr std::size_t most_together = 96;   // compiled together: enough for all cores of a large machine
constexpr std::size_t most_without_gain = 32;
constexpr double close = 1.01; // what is nobody's choice stays unless another is faster by more than this

std::size_t most_measured(int level) {
    return level <= 1 ? most_at_level_1 : most_at_level_2;
}

double number(const Dim& dim) {
    const auto value = dim ? ir::constant_int(dim) : std::nullopt;
    return value ? static_cast<double>(*value) : 0;
}

double metric(const std::vector<TemplateMetric>& metrics, const char* name) {
    const auto found = std::ranges::find(metrics, name, &TemplateMetric::name);
    return found == metrics.end() ? 0 : found->value;
}

bool has_matrix_units(const Graph& graph, const Group& group) {
    const graph::Node& anchor = graph.node(group.anchor);
    const ir::DType dtype = graph.value(anchor.inputs[0]).spec.dtype;
    return (dtype == ir::DType::F16 || dtype == ir::DType::BF16) &&
           anchor.is_any_of({OpId::Matmul, OpId::RmsMatmul, OpId::PackedMatmul, OpId::RmsPackedMatmul, OpId::Conv2d,
                             OpId::Conv2dChannelLast, OpId::Attn, OpId::AttnMaskAdd});
}

// Of those that were measured and may be taken. Null: there is none.
const Candidate* fastest(const Operator& op) {
    const Candidate* best = nullptr;
    for (const Candidate& each : op.candidates)
        if (each.seconds && each.discarded.empty() && (!best || *each.seconds < *best->seconds))
            best = &each;
    return best;
}

// What nobody chose stays unless another is predicted to be faster. Empty: nothing may be taken.
std::string first_by_prediction(const Operator& op) {
    const Candidate* best = nullptr;
    for (const Candidate& each : op.candidates)
        if (each.discarded.empty() && (!best || (each.predicted > 0 && each.predicted * close < best->predicted)))
            best = &each;
    return best ? best->schedule : "";
}

// What a schedule computes: two that say the same in other words are one.
std::string text_of(const AnchorSchedule& schedule) {
    std::string text = ir::print_module(*schedule.module).text;
    for (const auto& order : schedule.orders)
        for (const std::int64_t axis : order ? *order : Ints{})
            text += cat(" ", axis);
    return text;
}

} // namespace

std::string machine_text(const artifact::TargetSpec& target) {
    if (!target.is_cuda())
        return cat(target.name, ", ", target.cores, target.cores == 1 ? " core" : " cores");
    return cat(target.name, ", ", target.multiprocessors, " multiprocessors, ",
               artifact::architecture_name(target.arch));
}

Result<void> measure_and_keep(Measurer& measurer, Records& records, std::vector<Measurement>& measurements,
                              const std::function<Result<void>(const Measurement&)>& keep) {
    std::vector<RecordKey> marks;
    for (const Measurement& each : measurements)
        marks.insert(marks.end(), each.keys.begin(), each.keys.end());
    HIDET_TRY_TO(records.mark(marks));
    Result<void> kept;
    const Result<void> measured = measurer.measure(measurements, [&](const Measurement& measurement) {
        if (kept)
            kept = keep(measurement);
    });
    if (!measured || !kept)
        return measured ? kept : measured;
    return records.unmark(marks); // it was cancelled before some of them
}

const Candidate* Operator::find(const std::string& schedule) const {
    const auto found = std::ranges::find(candidates, schedule, &Candidate::schedule);
    return found == candidates.end() ? nullptr : &*found;
}

Search::Search(const Graph& graph, const Partition& partition, const SearchOptions& options)
    : m_graph(graph), m_partition(partition), m_options(options), m_machine(machine_text(options.target)) {
    find_operators(partition);
    for (Operator& op : m_operators)
        if (!is_over())
            try_candidates(op);
    // An operator that no template takes has nothing to choose from.
    for (Operator& op : m_operators)
        if (op.candidates.empty())
            op.refused.clear();
}

void Search::find_operators(const Partition& partition) {
    std::map<std::string, std::size_t> rows;
    std::vector<bool> is_wanted; // by operator
    for (const Group& group : partition.groups) {
        m_row_of_group.push_back(SIZE_MAX);
        const graph::Node& anchor = m_graph.node(group.anchor);
        if (!group.schedule.empty() || !group.parts.empty() || !anchor.task || anchor.inputs.empty())
            continue;
        const auto [found, is_new] = rows.emplace(signature_of(m_graph, group).text, m_operators.size());
        if (is_new && m_options.templates.candidates({m_graph, group.anchor, m_options.target}, 0).empty())
            found->second = SIZE_MAX; // nothing to choose from
        if (found->second == SIZE_MAX)
            continue;
        if (is_new) {
            m_operators.emplace_back();
            m_operators.back().group = group;
            m_operators.back().key = found->first;
            m_operators.back().name = name_of(m_graph, group.anchor);
        }
        Operator& op = m_operators[found->second];
        ++op.uses;
        op.anchors.push_back(group.anchor);
        is_wanted.resize(m_operators.size());
        is_wanted[found->second] = is_wanted[found->second] || is_asked_for(group);
        m_row_of_group.back() = found->second;
    }
    leave_others(is_wanted);
}

bool Search::is_asked_for(const Group& group) const {
    return !m_options.only || std::ranges::any_of(group.nodes, [&](NodeId node) {
        return std::ranges::find(*m_options.only, node) != m_options.only->end();
    });
}

void Search::leave_others(const std::vector<bool>& is_wanted) {
    std::vector<std::size_t> rows(m_operators.size(), SIZE_MAX);
    std::vector<Operator> left;
    for (std::size_t i = 0; i < m_operators.size(); ++i)
        if (is_wanted[i]) {
            rows[i] = left.size();
            left.push_back(std::move(m_operators[i]));
        }
    m_operators = std::move(left);
    for (std::size_t& row : m_row_of_group)
        row = row == SIZE_MAX ? SIZE_MAX : rows[row];
}

void Search::try_candidates(Operator& op) {
    const AnchorTask task{m_graph, op.group.anchor, m_options.target, !has_epilogue(op.group)};
    std::vector<std::string> texts = m_options.templates.candidates(task, m_options.level);
    const std::size_t wanted = m_options.threads ? m_options.threads : std::thread::hardware_concurrency();
    const std::size_t threads =
        m_options.templates.takes_any_thread() ? std::clamp<std::size_t>(wanted, 1, texts.size() / 8 + 1) : 1;
    std::vector<std::vector<ScheduleAttempt>> parts(threads);
    const auto attempt = [&](std::size_t part) {
        const auto at = [&](std::size_t i) {
            return texts.begin() + static_cast<std::ptrdiff_t>(texts.size() * i / threads);
        };
        parts[part] = m_options.templates.attempt(task, {at(part), at(part + 1)});
    };
    {
        Helpers helpers;
        for (std::size_t i = 1; i < threads; ++i)
            if (!helpers.start([&, i] { attempt(i); }))
                attempt(i);
        attempt(0);
    }
    std::map<std::string, std::string> known; // what it computes, schedule
    std::size_t i = 0;
    for (std::vector<ScheduleAttempt>& part : parts)
        for (ScheduleAttempt& attempt : part) {
            Candidate candidate{.schedule = texts[i++], .seconds = {}, .beside = {}, .discarded = {}};
            if (!attempt.schedule) {
                candidate.discarded = attempt.refusal;
                op.refused.push_back(std::move(candidate));
                continue;
            }
            const Result<double> predicted = this->predicted(op, attempt);
            if (!predicted) {
                candidate.discarded = predicted.error().message;
                op.refused.push_back(std::move(candidate));
                continue;
            }
            const auto [same, is_new] = known.emplace(text_of(*attempt.schedule), candidate.schedule);
            if (!is_new) {
                candidate.discarded = cat("the same as ", same->second);
                op.refused.push_back(std::move(candidate));
                continue;
            }
            candidate.source = source_of(candidate.schedule);
            candidate.predicted = predicted.value();
            op.candidates.push_back(std::move(candidate));
        }
    // Nobody's choice is what the provider takes first.
    if (op.candidates.size() > 1)
        std::stable_sort(op.candidates.begin() + 1, op.candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; });
}

Result<double> Search::predicted(const Operator& op, const ScheduleAttempt& attempt) const {
    if (m_options.predict)
        return m_options.predict(attempt.schedule->module);
    const NodeCost cost = cost_of(m_graph, op.group);
    const perf::OperatorWork work{number(cost.flops), number(cost.bytes), has_matrix_units(m_graph, op.group)};
    return perf::predict(*attempt.schedule->module, metric(attempt.metrics, "read_bytes"),
                         metric(attempt.metrics, "in_flight_bytes"), work, m_options.target);
}

std::string source_text(const std::string& version, const std::string& script) {
    return hash_of(cat(version, "\n", script));
}

std::string Search::source_of(const std::string& schedule) const {
    return source_text(m_options.version, m_options.templates.source_of(schedule));
}

RecordKey Search::key_of(const Operator& op, const std::string& schedule) const {
    const Candidate* known = op.find(schedule);
    return {op.key, m_machine, known ? known->source : source_of(schedule), schedule};
}

Result<void> Search::recall(Operator& op) {
    HIDET_TRY(const auto records, m_options.records.load(op.key, m_machine));
    HIDET_TRY(const auto unfinished, m_options.records.unfinished(op.key, m_machine));
    for (Candidate& candidate : op.candidates) {
        const RecordKey key = key_of(op, candidate.schedule);
        if (const auto found = records.find({key.source, key.schedule}); found != records.end()) {
            candidate.seconds = found->second.seconds;
            candidate.spread = found->second.spread;
            candidate.discarded = found->second.problem;
            candidate.is_recorded = true;
            continue;
        }
        const auto mark = unfinished.find({key.source, key.schedule});
        if (mark == unfinished.end())
            continue;
        candidate.is_alone = mark->second > 1;
        if (!candidate.is_alone) {
            candidate.discarded = took_process;
            candidate.is_recorded = true;
            HIDET_TRY_TO(m_options.records.store(key, {std::nullopt, 0, took_process}));
        }
    }
    choose(op);
    return {};
}

Result<void> Search::recall_alone() {
    for (Operator& op : m_operators)
        HIDET_TRY_TO(recall(op));
    return {};
}

Result<void> Search::recall() {
    const Result<void> known = recall_alone();
    return known ? settle(nullptr) : known;
}

Variant Search::variant(const Operator& op, const std::string& schedule) const {
    Variant variant{schedule, {op.group}};
    variant.groups.front().schedule = schedule;
    return variant;
}

Search::Queue Search::queue_of(Operator& op) const {
    Queue queue{&op, {}, {}};
    const std::size_t count = std::min(op.candidates.size(), most_measured(m_options.level));
    for (std::size_t i = 0; i < count; ++i) {
        Candidate& candidate = op.candidates[i];
        if (!candidate.is_recorded)
            (candidate.is_alone ? queue.alone : queue.together).push_back(&candidate);
    }
    for (std::size_t i = count; i < op.candidates.size(); ++i)
        if (!op.candidates[i].is_recorded)
            op.candidates[i].discarded = cat("not measured: it is not among the first ", count, " by prediction");
    return queue;
}

Result<void> Search::run(Measurer& measurer) {
    HIDET_TRY_TO(recall_alone());
    std::vector<Queue> queues = transformed(m_operators, [&](Operator& op) { return queue_of(op); });
    for (const bool alone : {false, true})
        for (;;) {
            std::vector<Queue*> wave;
            std::size_t count = 0;
            for (Queue& queue : queues) {
                const auto& left = alone ? queue.alone : queue.together;
                if (left.empty() || count >= most_together)
                    continue;
                wave.push_back(&queue);
                count += std::min(left.size(), alone ? 1 : most_of_operator);
                if (alone)
                    break;
            }
            if (wave.empty())
                break;
            if (is_over())
                return {};
            HIDET_TRY_TO(measure(measurer, wave, alone));
        }
    return settle(measurer.is_waiting() ? nullptr : &measurer);
}

Result<void> Search::measure(Measurer& measurer, std::vector<Queue*>& queues, bool alone) {
    std::vector<Measurement> measurements;
    for (Queue* queue : queues) {
        std::vector<Candidate*>& left = alone ? queue->alone : queue->together;
        const auto count = static_cast<std::ptrdiff_t>(std::min(left.size(), alone ? 1 : most_of_operator));
        Measurement measurement{m_graph, variant(*queue->op, queue->op->candidates.front().schedule), {}};
        for (auto each = left.begin(); each != left.begin() + count; ++each) {
            measurement.variants.push_back(variant(*queue->op, (*each)->schedule));
            measurement.keys.push_back(key_of(*queue->op, (*each)->schedule));
        }
        left.erase(left.begin(), left.begin() + count);
        measurements.push_back(std::move(measurement));
    }
    std::size_t next = 0;
    return measure_and_keep(measurer, m_options.records, measurements,
                            [&](const Measurement& measurement) { return keep(measurement, *queues[next++]); });
}

Result<void> Search::keep(const Measurement& measurement, Queue& queue) {
    Operator& op = *queue.op;
    const Candidate* best = fastest(op);
    const double before = best ? *best->seconds : 0;
    for (std::size_t i = 0; i < measurement.outcomes.size(); ++i) {
        const Measurement::Outcome& outcome = measurement.outcomes[i];
        const auto candidate = std::ranges::find(op.candidates, measurement.variants[i].name, &Candidate::schedule);
        candidate->seconds = outcome.seconds;
        candidate->spread = outcome.spread;
        candidate->discarded = outcome.problem;
        HIDET_TRY_TO(m_options.records.store(key_of(op, candidate->schedule),
                                             {outcome.seconds, outcome.spread, outcome.problem}));
        ++m_measured;
        ++queue.without_gain;
    }
    best = fastest(op);
    if (before == 0 || (best && *best->seconds < before))
        queue.without_gain = 0;
    if (queue.without_gain >= most_without_gain) {
        for (Candidate* candidate : queue.together)
            candidate->discarded = cat("not measured: ", queue.without_gain, " before it were no better");
        queue.together.clear();
    }
    choose(op);
    report(op.name, static_cast<std::size_t>(&op - m_operators.data()));
    return {};
}

bool Search::is_over() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - m_start;
    const bool is_late = m_options.deadline_seconds > 0 && spent.count() > m_options.deadline_seconds;
    if (is_late || (m_options.cancelled && m_options.cancelled->load(std::memory_order_relaxed)))
        m_is_complete = false;
    return !m_is_complete;
}

void Search::choose(Operator& op) const {
    const Candidate* best = fastest(op);
    if (!best && m_options.predict)
        op.best = first_by_prediction(op);
    if (!best)
        return;
    const Candidate& first = op.candidates.front();
    if (first.seconds && first.discarded.empty() && *first.seconds <= close * *best->seconds)
        best = &first;
    op.best = best->schedule;
}

Result<std::string> fastest_recorded(Records& records, const RecordKey& automatic,
                                     const std::vector<std::string>& schedules) {
    HIDET_TRY(const auto rows, records.load(automatic.op, automatic.machine));
    const std::pair<const ScheduleOfSource, Record>* best = nullptr;
    for (const auto& row : rows)
        if (row.first.first == automatic.source && row.second.seconds && row.second.problem.empty() &&
            (!best || *row.second.seconds < *best->second.seconds) &&
            std::ranges::find(schedules, row.first.second) != schedules.end())
            best = &row;
    if (!best)
        return std::string();
    const auto first = rows.find({automatic.source, automatic.schedule});
    const bool is_first_close = first != rows.end() && first->second.seconds && first->second.problem.empty() &&
                                *first->second.seconds <= close * *best->second.seconds;
    return is_first_close ? automatic.schedule : best->first.second;
}

void Search::report(const std::string& what, std::size_t done) const {
    if (m_options.progress)
        m_options.progress({done + 1, m_operators.size(), m_measured, what});
}

Partition Search::chosen(Partition partition) const {
    for (std::size_t i = 0; i < partition.groups.size(); ++i)
        if (const std::size_t row = m_row_of_group[i]; row != SIZE_MAX && !m_operators[row].best.empty())
            partition.groups[i].schedule = m_operators[row].best;
    return partition;
}

} // namespace hidet::tune
