// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/loop_rules.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr double least_gain = 1.02;
constexpr double least_waste = 1.05; // units over the ideal

using Cycles = std::array<double, perf::pipe_count>; // by perf::PipeKind

double& of_pipe(Cycles& cycles, perf::PipeKind pipe) {
    return cycles[static_cast<std::size_t>(pipe)];
}

Cycles cycles_of(const LoopFacts& facts) {
    Cycles out{};
    for (const Pipe& pipe : facts.loop.pipes)
        for (std::size_t i = 0; i < perf::pipe_count; ++i)
            if (pipe.name == pipe_name(static_cast<perf::PipeKind>(i)))
                out[i] = pipe.cycles;
    return out;
}

struct Proposal {
    std::string edit;
    std::vector<Place> evidence;
    Cycles then{};
};

void add_evidence(Proposal& out, const Place& place) {
    const bool is_there = std::ranges::any_of(
        out.evidence, [&](const Place& known) { return known.file == place.file && known.line == place.line; });
    if (!is_there)
        out.evidence.push_back(place);
}

std::string tensors_text(const std::vector<std::string>& tensors) {
    std::vector<std::string> names;
    for (const std::string& tensor : tensors)
        if (const std::string name = tensor.empty() ? "what has no name" : cat("'", tensor, "'");
            std::ranges::find(names, name) == names.end())
            names.push_back(name);
    return join(names, ", ");
}

// ---- rules: nothing, where there is nothing of the kind -------------------------------------------------------------

std::optional<Proposal> less_waste(const LoopFacts& facts, bool of_shared) {
    Proposal out{{}, {}, cycles_of(facts)};
    std::vector<std::string> edits;
    for (const LoopAccess& access : facts.accesses) {
        if (access.is_shared() != of_shared || access.units <= access.least * least_waste)
            continue;
        of_pipe(out.then, perf::PipeKind::Memory) -=
            access.cycles() - perf::memory_cycles(of_shared, access.requests, access.least);
        add_evidence(out, access.view->place);
        const std::string how = access.view->cure.empty()
                                    ? of_shared ? "swizzle or pad the tile" : "let neighbouring lanes touch neighbours"
                                    : access.view->cure;
        if (std::ranges::find(edits, how) == edits.end())
            edits.push_back(how);
    }
    if (out.evidence.empty())
        return std::nullopt;
    out.edit = join(edits, "; ");
    return out;
}

std::optional<Proposal> rule_conflicts(const LoopFacts& facts) {
    return less_waste(facts, true);
}

std::optional<Proposal> rule_sectors(const LoopFacts& facts) {
    return less_waste(facts, false);
}

std::optional<Proposal> rule_invariant(const LoopFacts& facts) {
    Proposal out{{}, {}, cycles_of(facts)};
    std::vector<std::string> tensors;
    const auto is_written = [&](const std::string& tensor) {
        return std::ranges::any_of(facts.accesses, [&](const LoopAccess& access) {
            return access.view->kind != "load" && access.view->kind != "ldmatrix" && access.view->tensor == tensor;
        });
    };
    for (const LoopAccess& access : facts.accesses) {
        const auto& same = access.view->independent;
        if (access.view->kind != "load" || std::ranges::find(same, facts.loop.variable) == same.end() ||
            is_written(access.view->tensor))
            continue;
        of_pipe(out.then, perf::PipeKind::Memory) -= access.cycles();
        add_evidence(out, access.view->place);
        tensors.push_back(access.view->tensor);
    }
    if (tensors.empty())
        return std::nullopt;
    out.edit = cat("load ", tensors_text(tensors), " before the loop: each turn reads the same");
    return out;
}

// Each warp fetches for itself; a tile in shared memory is fetched by the block once, and read from there.
std::optional<Proposal> rule_tile(const LoopFacts& facts) {
    const bool has_shared = std::ranges::any_of(facts.accesses, &LoopAccess::is_shared);
    const double moved = facts.loop.sector_bytes, distinct = facts.loop.distinct_bytes;
    if (has_shared || facts.warps < 2 || distinct <= 0 || moved < 2 * distinct)
        return std::nullopt;
    Proposal out{{}, {}, cycles_of(facts)};
    const double reuse = std::min(moved / distinct, facts.warps);
    std::vector<std::string> tensors;
    for (const LoopAccess& access : facts.accesses)
        if (access.view->kind == "load") {
            // Of the fetches those that are left, and from the tile a wavefront for each request, if none conflicts.
            of_pipe(out.then, perf::PipeKind::Memory) += access.cycles() / reuse - access.cycles() + access.requests;
            tensors.push_back(access.view->tensor);
            add_evidence(out, access.view->place);
        }
    if (tensors.empty())
        return std::nullopt;
    out.edit = cat("copy tiles of ", tensors_text(tensors), " into shared memory: the kernel fetches each byte ",
                   three_digits(moved / distinct), " times");
    return out;
}

// Of two tensors, whose sums stay in registers.
bool may_be_product(const LoopFacts& facts) {
    std::set<std::string> operands;
    for (const LoopAccess& access : facts.accesses) {
        if (access.view->kind == "load")
            operands.insert(access.view->tensor);
        else if (!access.is_shared())
            return false;
    }
    return operands.size() >= 2;
}

std::optional<Proposal> rule_matrix_units(const LoopFacts& facts) {
    if (!may_be_product(facts) || facts.loop.matrix_flops > 0 || facts.loop.flops <= 0 ||
        facts.matrix_rate <= facts.arithmetic_rate)
        return std::nullopt;
    Proposal out{{}, {}, cycles_of(facts)};
    of_pipe(out.then, perf::PipeKind::Matrix) += facts.loop.flops / facts.matrix_rate;
    of_pipe(out.then, perf::PipeKind::Arithmetic) = 0;
    add_evidence(out, facts.loop.place);
    out.edit = cat("compute products with matrix units (mma), ",
                   three_digits(facts.matrix_rate / facts.arithmetic_rate), " times the rate");
    return out;
}

// Twice as many rows and columns of a tile in registers read half as much for each product: from shared memory, or from the
// L1 cache what other warps read as well.
std::optional<Proposal> rule_register_tile(const LoopFacts& facts) {
    if (facts.loop.limiter != pipe_name(perf::PipeKind::Memory) || facts.loop.flops + facts.loop.matrix_flops <= 0)
        return std::nullopt;
    Proposal out{{}, {}, cycles_of(facts)};
    const bool is_cached = may_be_product(facts) && facts.loop.distinct_bytes > 0 &&
                           facts.loop.sector_bytes >= 2 * facts.loop.distinct_bytes;
    double wavefronts = 0;
    for (const LoopAccess& access : facts.accesses)
        if ((access.is_shared() || is_cached) && (access.view->kind == "load" || access.view->kind == "ldmatrix")) {
            wavefronts += access.is_shared() ? access.units : access.cycles();
            add_evidence(out, access.view->place);
        }
    if (wavefronts <= 0)
        return std::nullopt;
    of_pipe(out.then, perf::PipeKind::Memory) -= wavefronts / 2;
    out.edit = cat("give each thread or warp a tile twice as high and as wide: for ",
                   si_text(facts.loop.flops + facts.loop.matrix_flops, "FLOP"), " it reads ", three_digits(wavefronts),
                   " wavefronts");
    return out;
}

} // namespace

const std::vector<LoopRuleInfo>& all_loop_rules() {
    static const std::vector<LoopRuleInfo> rules = {
#define HIDET_LOOP_RULE(name, what) {#name, what},
#include "app/session/explain/loop_rules.def"
    };
    return rules;
}

std::vector<LoopAdvice> advice_on(const LoopFacts& facts) {
    std::vector<LoopAdvice> out;
    const Cycles now = cycles_of(facts);
    const double limit = *std::ranges::max_element(now);
    const auto take = [&](const char* name, const std::optional<Proposal>& proposal) {
        if (!proposal || limit <= 0)
            return;
        const auto most = std::ranges::max_element(proposal->then);
        const double gain = *most > 0 ? limit / *most : 1;
        if (gain >= least_gain)
            out.push_back({name, proposal->edit, proposal->evidence, gain,
                           pipe_name(static_cast<perf::PipeKind>(most - proposal->then.begin()))});
    };
#define HIDET_LOOP_RULE(name, what) take(#name, rule_##name(facts));
#include "app/session/explain/loop_rules.def"
    std::ranges::stable_sort(out, std::greater(), &LoopAdvice::gain);
    return out;
}

} // namespace hidet::session
