// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/candidates.h"

#include <algorithm>
#include <cmath>

#include "app/session/model/tune/choice_edit.h"

namespace hidet::session {

namespace {

CandidateState state_of(const TunedCandidate& candidate) {
    const bool was_tried = candidate.seconds || candidate.is_recorded;
    if (was_tried && !candidate.discarded.empty())
        return CandidateState::Discarded;
    return candidate.seconds ? CandidateState::Measured : CandidateState::Open;
}

CandidateRow row_of(const TunedCandidate& candidate) {
    CandidateRow row;
    row.schedule = candidate.schedule;
    row.state = state_of(candidate);
    if (candidate.predicted > 0)
        row.predicted = candidate.predicted;
    row.seconds = candidate.seconds;
    row.spread = candidate.spread;
    row.note = candidate.discarded;
    return row;
}

CandidateRow refused(const TunedCandidate& candidate) {
    CandidateRow row;
    row.schedule = candidate.schedule;
    row.state = CandidateState::Refused;
    row.note = candidate.discarded;
    return row;
}

// Measured before open before discarded before refused; then as the numbers say.
bool is_shown_before(const CandidateRow& a, const CandidateRow& b) {
    if (a.state != b.state)
        return a.state < b.state;
    if (a.seconds && b.seconds && *a.seconds != *b.seconds)
        return *a.seconds < *b.seconds;
    return a.predicted.value_or(INFINITY) < b.predicted.value_or(INFINITY);
}

// What somebody chose for the first of its kernels. Nothing: nobody did.
std::optional<std::string> chosen_for(const TunedOperator& op, std::string_view choices) {
    if (op.keys.empty())
        return std::nullopt;
    const auto choice = choice_about(choices, ModelChoice::scheduled(op.keys.front(), {}));
    return choice ? std::optional(choice->what) : std::nullopt;
}

const TunedCandidate* fastest_of(const TunedOperator& op) {
    const auto found = std::ranges::find(op.candidates, op.best, &TunedCandidate::schedule);
    return op.best.empty() || found == op.candidates.end() ? nullptr : &*found;
}

} // namespace

CandidateTable candidate_table(const TunedOperator& op, std::string_view choices) {
    CandidateTable table;
    for (const TunedCandidate& candidate : op.candidates)
        table.rows.push_back(row_of(candidate));
    if (!table.rows.empty())
        table.rows.front().is_automatic = true;
    const std::optional<std::string> chosen = chosen_for(op, choices);
    table.is_chosen = chosen.has_value();
    const TunedCandidate* fastest = fastest_of(op);
    for (CandidateRow& row : table.rows) {
        row.is_used = chosen ? row.schedule == *chosen : row.is_automatic;
        row.is_fastest = fastest && row.schedule == fastest->schedule && row.state == CandidateState::Measured;
    }
    std::ranges::stable_sort(table.rows, is_shown_before);
    for (const TunedCandidate& candidate : op.refused)
        table.rows.push_back(refused(candidate));
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const CandidateRow& row = table.rows[i];
        std::size_t* const counts[] = {&table.measured, &table.open, &table.discarded, &table.refused};
        ++*counts[static_cast<std::size_t>(row.state)];
        if (row.is_used)
            table.used = i;
        if (row.is_automatic)
            table.automatic = i;
        if (row.is_fastest)
            table.fastest = i;
    }
    return table;
}

std::string with_schedule(std::string_view choices, const TunedOperator& op, const std::string& schedule) {
    std::string text(choices);
    for (const std::string& key : op.keys) {
        const ModelChoice choice = ModelChoice::scheduled(key, schedule);
        text = schedule.empty() ? without_choice(text, choice) : with_choice(text, choice);
    }
    return text;
}

FastestChoices with_fastest(std::string_view choices, const std::vector<TunedOperator>& operators) {
    FastestChoices out{std::string(choices)};
    for (const TunedOperator& op : operators) {
        const TunedCandidate* best = fastest_of(op);
        if (!best || !best->seconds || op.keys.empty()) // none: it is no operator of the model
            continue;
        const TunedCandidate& automatic = op.candidates.front();
        if (automatic.seconds) {
            out.before += static_cast<double>(op.uses) * *automatic.seconds;
            out.now += static_cast<double>(op.uses) * *best->seconds;
        }
        // Nobody's choice needs no choice.
        std::string next = with_schedule(out.choices, op, best == &automatic ? std::string() : best->schedule);
        out.operators += next != out.choices;
        out.choices = std::move(next);
    }
    return out;
}

std::string without_schedules(std::string_view choices) {
    std::vector<ModelChoice> all = choices_in(choices);
    std::erase_if(all, [](const ModelChoice& each) { return each.kind == ChoiceKind::Template; });
    return text_of_choices(std::move(all));
}

const TunedOperator* operator_of(const std::vector<TunedOperator>& operators, std::uint32_t anchor) {
    for (const TunedOperator& op : operators)
        if (std::ranges::find(op.anchors, anchor) != op.anchors.end())
            return &op;
    return nullptr;
}

} // namespace hidet::session
