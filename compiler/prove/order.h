// SPDX-License-Identifier: Apache-2.0
// What barriers that count who arrives say of two accesses of a block: one is before the other where its thread arrives behind
// it in a phase that the other thread has waited for; and so is a copy that some thread has waited for, before what others do
// behind a later barrier of the block.
#pragma once

#include <map>

#include "compiler/prove/phase_counts.h"
#include "compiler/prove/phases.h"

namespace hidet::compiler::prove {

class Order {
public:
    Order(Terms& terms, const KernelFacts& facts, const Ask& solver);

    const Phases& phases() const { return m_phases; }
    // Where an example may be none, as there may be more order than is seen; empty: there is nothing to see.
    std::string doubt() const;

    // That they are in some order, `b` of another thread; false: nothing is known to say so.
    Term is_ordered(const OpenAccess& a, const OpenAccess& b, Copies& other);
    // Only that the first one is before the second; `of_other`: another thread makes the first, else the second.
    Term is_first(const OpenAccess& first, bool of_other, const OpenAccess& second, Copies& other);
    // That a copy of the block has ended, as a barrier told the other thread, which may be of another block.
    Term is_ended_for(const OpenAccess& copy, bool of_other, const OpenAccess& second, Copies& other);
    // That copies see what it wrote, too.
    Term is_fenced_before(OpenAccess first, const OpenAccess& second, bool of_other, Copies& other);

private:
    struct Side { // an access, and whether the other thread makes it
        const OpenAccess& open;
        const MemoryAccess& access;
        bool is_other;
    };
    Term comes_first(const Side& first, const Side& second, Copies& other);
    Term ends_before_barrier(const Side& copy, const Side& second, Copies& other);
    Term has_been_waited_for(const MemoryAccess& copy, const SyncEvent& end, const SyncEvent& wait);
    std::vector<SyncInstance> releases(const Side& first);
    void add_releases_of_warp(const Moment& moment, std::vector<SyncInstance>& out);
    std::vector<SyncInstance> known_by(const Side& second, int object);
    SyncInstance of_lane(const SyncInstance& instance, std::int64_t lane);
    // With the other access's iterations where it stands for any, in the world of its thread.
    SyncInstance placed(const SyncInstance& instance, const Side& of, const Side& partner, Copies& other);

    Terms& m_terms;
    const KernelFacts& m_facts;
    Phases m_phases;
    PhaseCounts m_counts;
    std::vector<const SyncEvent*> m_waits, m_barriers; // by place; those of the block that no loop repeats
    std::map<int, const SyncEvent*> m_ends;            // of copies, by place
};

} // namespace hidet::compiler::prove
