// SPDX-License-Identifier: Apache-2.0
// A launch that all ranks make together: their kernels reach each other's memory, so none of them can run alone.
#include <algorithm>
#include <array>

#include "compiler/artifact/memory_scope.h"
#include "lang/base/text.h"
#include "runtime/vm/host.h"
#include "runtime/vm/saved_memory.h"
#include "runtime/vm/team.h"

namespace hidet::vm {

namespace {

// Names the ranks or their memory, or has accesses or fences that they see.
bool reaches_ranks(const Function& kernel) {
    return std::ranges::any_of(kernel.code, [](const artifact::Instr& i) {
        const bool is_of_scope = i.op == Op::Load || i.op == Op::Store || i.op == Op::Fence ||
                                 (i.op >= Op::AtomicAdd && i.op <= Op::AtomicBits);
        return i.op == Op::PeerAddress || (i.op == Op::Special && i.x >= 12) ||
               (is_of_scope && artifact::has_scope(i.flags, artifact::flag_system_scope));
    });
}

std::string shape_text(const LaunchShape& shape) {
    const auto three = [](const LaunchShape::Extents& e) { return tuple_text({e[0], e[1], e[2]}, '(', ')'); };
    return cat("grid ", three(shape.grid), ", block ", three(shape.block));
}

// What a rank comes with, and what it goes away with.
struct RankPart {
    const LaunchContext* context = nullptr;
    Orders* orders = nullptr;
    RankLaunch outcome = {};
};
using RankParts = std::span<RankPart* const>;

// What is known of global memory is known of all of them, and every access may be one that others see.
void link(std::vector<LaunchContext>& contexts, Ranks& ranks, LaunchShadow& shadow, FindingLog& log) {
    shadow.tracks_all = true;
    shadow.published.resize(contexts.size());
    for (LaunchContext& context : contexts) {
        ranks.launches.push_back(&context);
        context.ranks = &ranks;
        if (!context.log)
            continue;
        shadow.granule = std::min(shadow.granule, context.global->granule);
        for (const auto& [id, bytes] : context.global->narrower)
            shadow.granule = std::min(shadow.granule, bytes);
        context.global = &shadow;
        context.log = &log;
    }
}

// As the ranks came, or in the random order of a seed.
std::vector<RankLaunch> run_once(RankParts parts, RankHistory::Launch& history, std::optional<std::uint64_t> seed) {
    constexpr int warp_threads = 32;
    std::vector<LaunchContext> contexts;
    for (const RankPart* part : parts) {
        LaunchContext& context = contexts.emplace_back(*part->context);
        context.history = context.log ? &history : nullptr;
        if (!seed)
            continue;
        context.timelines = nullptr, context.tiles = nullptr, context.counts = false;
        context.is_random = true, context.seed = *seed;
        const GroupLanes lanes =
            choose_group_lanes(*context.kernel, static_cast<int>(context.shape.threads()), warp_threads);
        context.group_lanes = lanes.usual, context.most_lanes = lanes.most;
    }
    Ranks ranks;
    LaunchShadow shadow;
    FindingLog log;
    link(contexts, ranks, shadow, log);
    std::vector<RankLaunch> launches;
    for (LaunchContext& context : contexts)
        launches.push_back({.context = &context});
    run_ranks(launches);
    for (RankLaunch& launch : launches)
        for (Finding& finding : launch.found)
            finding.order = seed;
    return launches;
}

std::int64_t steps_of(const std::vector<RankLaunch>& launches) {
    std::int64_t steps = 0;
    for (const RankLaunch& launch : launches)
        steps += static_cast<std::int64_t>(launch.result.steps);
    return steps;
}

// Of the memory of all ranks.
class SavedRanks {
public:
    explicit SavedRanks(RankParts parts) {
        for (const RankPart* part : parts)
            m_saved.emplace_back(*part->context);
    }
    bool fits() const { return std::ranges::all_of(m_saved, &SavedMemory::fits); }
    void restore() const {
        for (const SavedMemory& each : m_saved)
            each.restore();
    }

private:
    std::vector<SavedMemory> m_saved;
};

// A rank waits for values that others write, so what it meets depends on how far they are: where nothing is found, random orders
// are tried as of other launches (orders.cpp).
Result<void> run_together(std::span<void* const> met) {
    std::vector<RankPart*> parts;
    for (void* each : met)
        parts.push_back(static_cast<RankPart*>(each));
    const LaunchContext& context = *parts[0]->context;
    Orders& orders = *parts[0]->orders;
    const bool tries = context.log && !context.is_random && orders.most > 1 && orders.steps > 0;
    std::optional<SavedRanks> before;
    if (tries)
        before.emplace(parts);
    RankHistory::Launch history(*context.history_of_ranks, context.kernel->name);
    std::vector<RankLaunch> launches = run_once(parts, history, std::nullopt);
    int tried = 1;
    if (before && before->fits() && launches[0].is_clean) {
        const SavedRanks after(parts);
        const std::int64_t steps = steps_of(launches);
        for (; tried < orders.most && orders.steps >= steps && launches[0].is_clean; ++tried) {
            before->restore();
            std::vector<RankLaunch> again = run_once(parts, history, static_cast<std::uint64_t>(tried));
            orders.steps -= std::max(steps_of(again), steps);
            if (!again[0].is_clean)
                launches = std::move(again);
        }
        after.restore();
    }
    history.end();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i]->outcome = std::move(launches[i]);
        parts[i]->outcome.result.statistics.orders_least = parts[i]->outcome.result.statistics.orders_most =
            tries ? tried : 0;
    }
    return {};
}

} // namespace

// Where each rank has the symmetric memory of an argument, as addresses of this machine.
void HostRunner::map_peers(LaunchContext& context) {
    for (const std::uint64_t argument : context.args) {
        const Allocation* own = m_context.memory->find(id_of(argument));
        if (!own || own->info.peers.empty() || context.peers.contains(id_of(argument)))
            continue;
        std::vector<std::uint64_t>& places = context.peers[id_of(argument)];
        const BufferInfo info = own->info;
        const auto bytes = static_cast<std::size_t>(own->bytes);
        for (std::size_t rank = 0; rank < info.peers.size(); ++rank) {
            BufferInfo there = info;
            there.peers.clear();
            const bool is_own = static_cast<int>(rank) == context.rank;
            places.push_back(is_own ? make_pointer(id_of(argument), 0)
                                    : m_context.memory->map(info.peers[rank], bytes, std::move(there)));
        }
    }
}

void HostRunner::unmap_peers(const LaunchContext& context) {
    for (const auto& [id, places] : context.peers)
        for (const std::uint64_t place : places)
            if (id_of(place) != id)
                m_context.memory->unmap(place);
}

bool HostRunner::reaches_symmetric(const LaunchContext& context) const {
    return std::ranges::any_of(context.args, [&](const std::uint64_t argument) {
        const Allocation* own = m_context.memory->find(id_of(argument));
        return own && !own->info.peers.empty();
    });
}

bool HostRunner::is_of_ranks(const Function& kernel) const {
    return m_context.options->team && m_context.options->team->size() > 1 && reaches_ranks(kernel);
}

LaunchResult HostRunner::run_with_ranks(LaunchContext& context) {
    Team& team = *m_context.options->team;
    context.rank = m_context.options->rank;
    context.kept = nullptr;
    map_peers(context);
    RankPart part{.context = &context, .orders = m_context.orders};
    Team::Call call{cat("a launch of kernel '", context.kernel->name, "', ", shape_text(context.shape)), {}, &part};
    for (int rank = 0; rank < team.size(); ++rank)
        call.members.push_back(rank);
    const Result<void> met = team.meet(context.rank, std::move(call), run_together);
    unmap_peers(context);
    RankLaunch& launch = part.outcome;
    if (m_context.options->print && !launch.printed.empty())
        m_context.options->print(launch.printed);
    if (!met && met.error().code == "cancelled")
        fail_launch(FindingKind::Cancelled, *context.kernel, "other ranks, which have failed");
    if (!met)
        fail_launch(FindingKind::Collective, *context.kernel, cat("the other ranks, and ", met.error().message));
    if (launch.found.empty() && !launch.is_clean)
        fail_launch(FindingKind::Cancelled, *context.kernel, "another rank, whose kernel failed");
    if (!launch.found.empty()) {
        Finding last = std::move(launch.found.back());
        launch.found.pop_back();
        throw FindingError{std::move(last), std::move(launch.found)};
    }
    return std::move(launch.result);
}

} // namespace hidet::vm
