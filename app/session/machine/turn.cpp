// SPDX-License-Identifier: Apache-2.0
#include "app/session/machine/turn.h"

namespace hidet::session {

namespace sass = toolchain::sass;

static std::string binding_name(const sass::Bound& bound) {
    switch (bound.by) {
    case sass::BoundBy::Latency: return "latency";
    case sass::BoundBy::Issue: return "issue";
    case sass::BoundBy::Pipe: return pipe_name(bound.pipe);
    }
    return "";
}

MachineTurn turn_view(const sass::Turn& turn, const ListingPlaces& places) {
    MachineTurn out;
    out.instructions = turn.instructions;
    out.stalls = turn.stalls;
    out.latency = turn.latency;
    out.warps_to_hide = warps_to_hide(turn);
    for (const sass::PipeLoad& load : turn.pipes)
        out.pipes.push_back({pipe_name(load.pipe), load.instructions, load.cycles});
    for (int warps : {1, 2, 4, 8, 12, 16}) {
        const sass::Bound bound = bound_of(turn, warps);
        out.bounds.push_back({warps, bound.cycles, binding_name(bound)});
    }
    out.predicated = turn.predicated;
    out.loads = turn.loads;
    out.in_flight = turn.in_flight;
    out.bank_conflicts = turn.bank_conflicts;
    out.bank_cycles = turn.bank_cycles;
    for (const sass::LongWait& wait : turn.waits)
        out.stands.push_back({places.line(wait.waiter), places.place(wait.waiter), wait.cycles});
    return out;
}

} // namespace hidet::session
