// SPDX-License-Identifier: Apache-2.0
// The last step of a search. In a model a kernel's first blocks start while the one before it ends, and its own end is
// covered by the next one's start; a schedule that is the fastest alone need not be it there. So schedules that are nearly
// as fast, of kernels so short that this matters, are measured again as the second of three kernels.
#include <algorithm>

#include "compiler/graph/plan/signature.h"
#include "compiler/tune/alone.h"
#include "compiler/tune/search.h"
#include "lang/base/text.h"

namespace hidet::tune {

using namespace graph;

namespace {

constexpr double nearly = 1.05;       // times the fastest
constexpr double longest = 40e-6;     // seconds: ends of what takes longer weigh little
constexpr double close_beside = 0.01; // of its own time: what is nobody's choice stays unless another is faster by more
constexpr std::size_t most_finalists = 3;
constexpr std::size_t most_trials = 32; // compiled together

std::vector<Candidate*> finalists(Operator& op) {
    const Candidate* fastest = op.find(op.best);
    if (!fastest || !fastest->seconds || *fastest->seconds > longest)
        return {};
    std::vector<Candidate*> found;
    double least = *fastest->seconds;
    for (const Candidate& each : op.candidates)
        if (each.seconds && each.discarded.empty())
            least = std::min(least, *each.seconds);
    for (Candidate& each : op.candidates)
        if (each.seconds && each.discarded.empty() && *each.seconds <= nearly * least)
            found.push_back(&each);
    std::ranges::stable_sort(found, [](const Candidate* a, const Candidate* b) { return *a->seconds < *b->seconds; });
    if (found.size() > most_finalists)
        found.resize(most_finalists);
    return found.size() > 1 ? found : std::vector<Candidate*>();
}

bool reads(const Graph& graph, const Group& reader, const Group& maker) {
    return std::ranges::any_of(reader.nodes, [&](NodeId id) {
        return std::ranges::any_of(graph.node(id).inputs, [&](ValueId input) {
            const NodeId producer = graph.value(input).producer;
            return producer.valid() && std::ranges::find(maker.nodes, producer) != maker.nodes.end();
        });
    });
}

// The one that is the fastest in its place, if all are known there.
const Candidate* winner(const Operator& op, const std::vector<Candidate*>& all) {
    if (all.empty() || !std::ranges::all_of(all, [](const Candidate* each) { return each->beside.has_value(); }))
        return nullptr;
    const Candidate* best = all.front();
    for (const Candidate* each : all)
        if (*each->beside < *best->beside)
            best = each;
    const Candidate& first = op.candidates.front();
    const bool is_first_close = first.beside && *first.beside - *best->beside <= close_beside * *first.seconds;
    return is_first_close ? &first : best;
}

} // namespace

// The kernel that makes its input, the last of several, and the first that reads its result.
Search::Neighbours Search::neighbours_of(const Operator& op) const {
    const std::vector<Group>& groups = m_partition.groups;
    const auto own =
        static_cast<std::size_t>(std::ranges::find(groups, op.group.anchor, &Group::anchor) - groups.begin());
    Neighbours out;
    if (own == groups.size() || !can_be_alone(m_graph, {groups[own]}))
        return out;
    std::string text = m_options.version;
    const auto add = [&](std::size_t i) {
        Group group = groups[i];
        if (const std::size_t row = m_row_of_group[i]; i != own && row != SIZE_MAX) {
            const Operator& other = m_operators[row];
            group.schedule = other.best.empty() ? group.schedule : other.best;
            const Candidate* taken = other.find(other.best);
            if (!taken && !other.candidates.empty()) // none: its template fits, but no schedule of it does
                taken = &other.candidates.front();
            text += cat("\n", group.schedule, " ", taken ? taken->source : "");
        }
        out.key += cat(i == own ? "measured beside\n" : "beside\n", signature_of(m_graph, group).text, "\n");
        out.groups.push_back(std::move(group));
    };
    const auto is_beside = [&](std::size_t i, bool is_before) {
        return can_be_alone(m_graph, {groups[i]}) &&
               (is_before ? reads(m_graph, groups[own], groups[i]) : reads(m_graph, groups[i], groups[own]));
    };
    for (std::size_t i = own; i-- > 0;)
        if (is_beside(i, true)) {
            add(i);
            break;
        }
    out.own = out.groups.size();
    add(own);
    for (std::size_t i = own + 1; i < groups.size(); ++i)
        if (is_beside(i, false)) {
            add(i);
            break;
        }
    out.source = hash_of(text);
    return out;
}

Result<void> Search::settle(Measurer* measurer) {
    struct Final {
        Operator* op = nullptr;
        std::vector<Candidate*> candidates;
        Neighbours beside;
        std::vector<Candidate*> missing;
    };
    std::vector<Final> finals; // each beside the others as they are by now
    for (Operator& op : m_operators)
        if (std::vector<Candidate*> all = finalists(op); !all.empty())
            if (Neighbours beside = neighbours_of(op); beside.groups.size() > 1)
                finals.push_back({&op, std::move(all), std::move(beside), {}});
    const auto key_of_final = [&](const Final& final, const Candidate& candidate) {
        return RecordKey{final.beside.key, m_machine, hash_of(final.beside.source + candidate.source),
                         candidate.schedule};
    };
    std::vector<Final*> left;
    for (Final& final : finals) {
        HIDET_TRY(const auto records, m_options.records.load(final.beside.key, m_machine));
        HIDET_TRY(const auto unfinished, m_options.records.unfinished(final.beside.key, m_machine));
        for (Candidate* candidate : final.candidates) {
            const RecordKey key = key_of_final(final, *candidate);
            if (const auto found = records.find({key.source, key.schedule}); found != records.end())
                candidate->beside = found->second.seconds;
            else
                final.missing.push_back(candidate);
        }
        if (!final.missing.empty() && unfinished.empty())
            left.push_back(&final);
    }
    for (std::size_t first = 0; measurer && first < left.size() && !is_over(); first += most_trials) {
        std::vector<Measurement> measurements;
        const std::size_t end = std::min(first + most_trials, left.size());
        for (std::size_t i = first; i < end; ++i) {
            const Final& final = *left[i];
            const auto way_of = [&](const Candidate& candidate) {
                Variant variant{candidate.schedule, final.beside.groups};
                variant.groups[final.beside.own].schedule = candidate.schedule;
                return variant;
            };
            measurements.push_back({m_graph, way_of(*final.candidates.front()), {}});
            for (const Candidate* candidate : final.missing) {
                measurements.back().variants.push_back(way_of(*candidate));
                measurements.back().keys.push_back(key_of_final(final, *candidate));
            }
        }
        std::size_t next = first;
        const auto keep = [&](const Measurement& measurement) {
            const Final& final = *left[next++];
            Result<void> kept;
            for (std::size_t i = 0; kept && i < measurement.outcomes.size(); ++i) {
                const Measurement::Outcome& outcome = measurement.outcomes[i];
                if (outcome.problem.empty())
                    (*std::ranges::find(final.missing, measurement.variants[i].name, &Candidate::schedule))->beside =
                        outcome.seconds;
                kept = m_options.records.store(measurement.keys[i], {outcome.seconds, outcome.spread, outcome.problem});
                ++m_measured;
            }
            report(final.op->name, static_cast<std::size_t>(final.op - m_operators.data()));
            return kept;
        };
        HIDET_TRY_TO(measure_and_keep(*measurer, m_options.records, measurements, keep));
    }
    for (const Final& final : finals)
        if (const Candidate* best = winner(*final.op, final.candidates))
            final.op->best = best->schedule;
    return {};
}

} // namespace hidet::tune
