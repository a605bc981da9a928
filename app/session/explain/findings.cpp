// SPDX-License-Identifier: Apache-2.0
// Costs are shares of the predicted time. A multiprocessor's units work beside each other, and the busiest takes as long as the
// kernel does; what another unit wastes counts by how long it is busy beside that one. So costs do not add up to the whole.
#include "app/session/explain/findings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "compiler/artifact/warp_traffic.h"
#include "compiler/perf/pipes.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr double few_warps = 0.5; // of those that fit: below it waits are badly hidden
constexpr double idle_multiprocessors = 0.05;

double extents_product(const std::vector<std::int64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies());
}

class KernelFinder {
public:
    KernelFinder(const KernelExplained& kernel, const std::vector<LoopView>& loops)
        : m_kernel(kernel), m_loops(loops), m_cost(*kernel.cost), m_blocks(extents_product(m_cost.grid)),
          m_busiest(m_cost.pipes.empty() ? 0 : m_cost.pipes.front().cycles) {}

    std::vector<KernelFinding> all() {
        for (const AccessView& access : m_kernel.accesses)
            add_access(access);
        for (const LoopView& loop : m_loops)
            add_loop(loop);
        add_queue();
        add_spills();
        add_waves();
        add_occupancy();
        std::ranges::stable_sort(m_out, std::greater(), &KernelFinding::seconds);
        return std::move(m_out);
    }

private:
    double seconds_of(double share) const { return m_cost.predicted_seconds * std::clamp(share, 0.0, 1.0); }

    void add_access(const AccessView& access) {
        if (access.finding.empty())
            return;
        const bool is_shared = access.memory == "shared";
        const double wasted = perf::memory_cycles(is_shared, access.requests, access.units) -
                              perf::memory_cycles(is_shared, access.requests, access.least);
        const double moved = is_shared || m_cost.sector_bytes <= 0
                                 ? 0
                                 : (access.units - access.least) * artifact::sector_bytes / m_cost.sector_bytes;
        const double share = m_busiest > 0 && m_blocks > 0 ? wasted / m_blocks / m_busiest : 0;
        m_out.push_back({"accesses",
                         cat(access.kind, is_shared ? " in shared memory" : "",
                             access.tensor.empty() ? "" : cat(" of '", access.tensor, "'"), ": ", access.finding),
                         access.cure, access.place, seconds_of(std::max(share, moved * memory_share())), access.fixes});
    }

    // What moves to global memory and back, beside the busiest unit.
    double memory_share() const {
        for (const Pipe& pipe : m_cost.pipes)
            if (pipe.name == pipe_name(perf::PipeKind::Memory) && m_busiest > 0)
                return pipe.cycles / m_busiest;
        return 0;
    }

    void add_loop(const LoopView& loop) {
        if (loop.advice.empty() || loop.pipes.empty() || m_busiest <= 0)
            return;
        const LoopAdvice& best = loop.advice.front();
        const auto is_cure = [&](const AccessView& access) { return best.edit == access.cure; };
        if (std::ranges::any_of(m_kernel.accesses, is_cure)) // which is said of the access
            return;
        std::string evidence;
        for (const Place& place : best.evidence)
            evidence += cat(place.line, ":", place.column, " ");
        if (!m_advised.insert(std::move(evidence)).second) // of loops inside of each other the outer one is told
            return;
        const double turns = static_cast<double>(std::max<std::int64_t>(loop.trips, 1));
        const double share = std::min(1.0, loop.pipes.front().cycles * turns / m_busiest);
        m_out.push_back({"loops",
                         cat("the loop over '", loop.variable, "' is limited by ", loop.limiter, ": ", best.edit),
                         "",
                         loop.place,
                         seconds_of(share * (1 - 1 / std::max(best.gain, 1.0))),
                         {}});
    }

    void add_queue() {
        const auto updates = [](const AccessView& access) {
            return access.kind == "atomic" && access.memory == "global" ? access.requests : 0;
        };
        const auto most = std::ranges::max_element(m_kernel.accesses, std::less(), updates);
        if (m_cost.queue_seconds <= 0 || most == m_kernel.accesses.end() || updates(*most) <= 0)
            return;
        m_out.push_back(
            {"accesses",
             cat("atomic operations", most->tensor.empty() ? "" : cat(" on '", most->tensor, "'"),
                 " queue up at the word that most of them update"),
             "combine in registers, then in the warp by shuffles and in the block by shared memory; one update a block",
             most->place,
             m_cost.queue_seconds,
             {}});
    }

    void add_spills() {
        const int spilled = m_cost.facts ? m_cost.facts->spill_store_bytes + m_cost.facts->spill_load_bytes : 0;
        if (spilled <= 0)
            return;
        m_out.push_back({"machine",
                         cat("registers are spilled to local memory, ", spilled, " bytes a thread"),
                         "smaller tiles a thread, or fewer threads a block",
                         {},
                         0,
                         {}});
    }

    void add_waves() {
        if (m_cost.waves <= 0)
            return;
        const double lost = 1 - m_cost.waves / std::ceil(m_cost.waves);
        if (lost < idle_multiprocessors)
            return;
        const bool is_small = m_cost.waves < 1;
        m_out.push_back(
            {"waves",
             is_small ? cat("the grid is small: it fills ", percent_text(m_cost.waves), " of the GPU")
                      : cat("the last wave of blocks leaves ", percent_text(m_cost.tail), " of the GPU idle"),
             is_small ? "smaller tiles, or several blocks for one tile" : "tiles of another size, or blocks that stay",
             {},
             is_small ? m_cost.idle_seconds : seconds_of(lost),
             {}});
    }

    void add_occupancy() {
        if (!m_cost.occupancy)
            return;
        const Occupancy& of = *m_cost.occupancy;
        if (!of.impossible.empty())
            m_out.push_back({"occupancy", "no block fits: " + of.impossible, "", {}, m_cost.predicted_seconds, {}});
        else if (!of.one_more.empty() && of.fraction < few_warps)
            m_out.push_back({"occupancy",
                             cat("few warps run beside each other: ", occupancy_text(of)),
                             of.one_more,
                             {},
                             m_cost.occupancy_seconds,
                             {}});
    }

    const KernelExplained& m_kernel;
    const std::vector<LoopView>& m_loops;
    const CostView& m_cost;
    double m_blocks, m_busiest;
    std::vector<KernelFinding> m_out;
    std::set<std::string> m_advised; // where the evidence lies of what loops were told
};

} // namespace

std::vector<KernelFinding> findings_of(const KernelExplained& kernel, const std::vector<LoopView>& loops) {
    return kernel.cost ? KernelFinder(kernel, loops).all() : std::vector<KernelFinding>();
}

} // namespace hidet::session
