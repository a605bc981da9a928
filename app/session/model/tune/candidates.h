// SPDX-License-Identifier: Apache-2.0
// The schedules that an operator may have, to be looked at side by side and chosen from: what tuning found out about each
// (tune.h), and what the user's choices say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/model/tune/tune.h"

namespace hidet::session {

enum class CandidateState : std::uint8_t {
    Measured,
    Open,      // not measured
    Discarded, // measured or tried, and it cannot be taken: the note says why
    Refused,   // by its template: the note says why
};

struct CandidateRow {
    std::string schedule; // "matmul_wgmma(block_n=64, split=2)"
    CandidateState state = CandidateState::Open;
    std::optional<double> predicted; // seconds; nothing: it was refused, or is not known
    std::optional<double> seconds;   // median
    double spread = 0;               // (p90 - p10) / median
    bool is_automatic = false;       // taken where nobody chooses
    bool is_used = false;            // the model is planned with it
    bool is_fastest = false;         // of those that were measured and may be taken
    std::string note;
};

struct CandidateTable {
    std::vector<CandidateRow>
        rows; // measured ones first, the fastest first of all; then by prediction; refused ones last
    std::size_t measured = 0, open = 0, discarded = 0, refused = 0;
    std::optional<std::size_t> used, automatic, fastest; // rows
    bool is_chosen = false;                              // by the user: the one that is used
};

// `choices`: the text of a choices file. Of an operator that is tuned as a model without choices of templates would be.
CandidateTable candidate_table(const TunedOperator& op, std::string_view choices);

// The choices with this schedule for all kernels that the operator stands for; an empty one: nobody's choice.
std::string with_schedule(std::string_view choices, const TunedOperator& op, const std::string& schedule);
// The choices with the fastest schedule of each operator that has one faster than nobody's choice.
struct FastestChoices {
    std::string choices;
    std::size_t operators = 0;  // with another schedule than before
    double before = 0, now = 0; // seconds of all operators that were measured, as nobody chooses and as chosen now
};
FastestChoices with_fastest(std::string_view choices, const std::vector<TunedOperator>& operators);

// Choices without any of schedules: what a search for schedules goes by, which leaves operators alone that somebody chose for.
std::string without_schedules(std::string_view choices);

// Operator that has an anchor of that id, in any of the kernels that it stands for. Null: none.
const TunedOperator* operator_of(const std::vector<TunedOperator>& operators, std::uint32_t anchor);

} // namespace hidet::session
