// SPDX-License-Identifier: Apache-2.0
// What a loop makes of the variables that it changes: their values at its iterations, as far as they follow from one iteration.
//
// One iteration is walked with unknowns in their place. What it adds to one is a step; what it takes around a ring (`s += 1;
// if s == stages: s = 0`) is a remainder, and what follows such a one (`phase = 1 - phase` where it begins anew, `before = s`) goes
// with it; of the rest the bounds are kept that one iteration does not leave (as Houdini does: Flanagan and Leino, FME 2001).
#pragma once

#include "compiler/prove/thread_state.h"

namespace hidet::compiler::prove {

struct CarriedValue {
    const ir::Var* var = nullptr;
    Value before;         // the loop
    Term start = nullptr; // the number of that, or the offset of an address; null: neither
    Same same = Same::InThread;
    Term step = nullptr;      // it is start + step * iteration
    std::int64_t around = 0;  // above 0: of that, the remainder
    Term turns = nullptr;     // it steps once whenever as many iterations, and these, make a turn of a ring
    std::int64_t ring = 1;    // of so many
    bool is_at_least = false; // never below `start`
    bool is_at_most = false;  // never above it
    bool is_not_negative = false;
};

std::string name_of(const CarriedValue& carried);

// Of the variables that `body` assigns, those that are declared around it.
std::vector<const ir::Var*> carried_by(const ir::StmtRef& body, const ThreadState& state);
// Which asynchronous accesses it closes groups of; Itself: none.
EndsBy closes_group(ir::IntrinsicId id);

// The value at an iteration. `holds`: what has to hold beside it.
Value value_at(Terms& terms, const CarriedValue& carried, Term iteration, std::vector<Term>& holds);

// What one iteration did: `unknown` stood for it, and became `after`. `during`: the conditions under which it ran.
void classify(Terms& terms, CarriedValue& carried, Term unknown, Term after, Term during, int first_new,
              const Ask& solver);
// One that goes with the ring that another one takes: `other_unknown` stood for that. False: it does not.
bool follow_ring(Terms& terms, CarriedValue& carried, Term unknown, Term after, const CarriedValue& other,
                 Term other_unknown, Term during, const Ask& solver);
// The bounds that hold together of those that are not classified.
void keep_bounds(Terms& terms, std::vector<CarriedValue*> carried, const std::vector<Term>& unknowns,
                 const std::vector<Term>& after, Term during, const Ask& solver);

} // namespace hidet::compiler::prove
