// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/counted_lines.h"

namespace hidet::session {

namespace {

void add_access(std::vector<AccessCounters>& accesses, const char* memory, const char* unit, vm::WorkKind kind,
                const vm::Traffic& traffic) {
    if (traffic.requests > 0)
        accesses.push_back({memory, vm::word_of(kind), traffic.requests, traffic.bytes, unit, traffic.units,
                            traffic.least, traffic.worst});
}

} // namespace

void CountedLines::add(const std::vector<vm::CountedInstruction>& counted, const SourceMap& sources) {
    for (const vm::CountedInstruction& instruction : counted) {
        const Place place = place_of(instruction.origin.span, sources);
        Sums& sums = m_lines[{instruction.kernel, place.file, place.line}];
        sums.place = {place.file, place.line, 1, place.line, 1};
        sums.kinds[instruction.kind].add(instruction.counters);
    }
}

std::vector<LineCounters> CountedLines::lines() const {
    std::vector<LineCounters> out;
    for (const auto& [key, sums] : m_lines) {
        LineCounters line;
        line.kernel = std::get<0>(key), line.place = sums.place;
        for (const auto& [kind, counters] : sums.kinds) {
            line.instructions += counters.warps;
            line.threads += counters.threads;
            line.flops += counters.flops;
            line.branches += counters.branches;
            line.divergent += counters.divergent;
            line.kinds.push_back({vm::word_of(kind), counters.warps});
            add_access(line.accesses, "global", "sectors", kind, counters.global);
            add_access(line.accesses, "shared", "wavefronts", kind, counters.shared);
        }
        out.push_back(std::move(line));
    }
    return out;
}

} // namespace hidet::session
