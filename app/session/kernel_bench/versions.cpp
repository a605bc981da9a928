// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/versions.h"

namespace hidet::session {

namespace {

bool is_comparable(const RunRecord& run) {
    const bool wrong = run.verdict == VerdictKind::Wrong || run.verdict == VerdictKind::Failed;
    return !wrong && run.times && run.times->median > 0;
}

std::optional<std::size_t> fastest_before(const std::vector<Version>& versions, std::size_t end) {
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < end; ++i)
        if (is_comparable(versions[i].best) && (!out || is_better(versions[i].best, versions[*out].best)))
            out = i;
    return out;
}

} // namespace

bool is_better(const RunRecord& run, const RunRecord& than) {
    if (!is_comparable(run) || !is_comparable(than))
        return is_comparable(run) || !is_comparable(than);
    return run.times->median < than.times->median;
}

std::vector<Version> versions_of(const std::vector<RunRecord>& runs, const std::string& key) {
    std::vector<Version> out;
    for (const RunRecord& run : runs) {
        if (run.key() != key || !run.edited.empty()) // no version of the script
            continue;
        if (out.empty() || out.back().hash != run.hash)
            out.push_back({run.hash, run, 0});
        ++out.back().runs;
        if (is_better(run, out.back().best))
            out.back().best = run;
    }
    return out;
}

std::optional<Slowdown> slowdown_of(const std::vector<Version>& versions) {
    if (versions.size() < 2)
        return std::nullopt;
    const std::size_t newest = versions.size() - 1;
    const auto fastest = fastest_before(versions, newest);
    if (!fastest)
        return std::nullopt;
    Slowdown out;
    out.fastest = *fastest;
    out.whole = delta_of(versions[newest].best, versions[*fastest].best);
    if (out.whole.change != Change::Slower)
        return std::nullopt;
    out.after = newest;
    out.before = *fastest;
    for (std::size_t i = newest; i-- > *fastest + 1;) {
        const Change change = delta_of(versions[i].best, versions[*fastest].best).change;
        if (change == Change::Slower) {
            out.after = i;
            out.unknown = 0;
        } else if (change == Change::NotComparable) {
            ++out.unknown;
        } else {
            out.before = i;
            break;
        }
    }
    out.step = delta_of(versions[out.after].best, versions[out.before].best);
    return out;
}

} // namespace hidet::session
