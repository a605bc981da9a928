// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/findings.h"

#include <map>

#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

bool is_worse(const AccessView& a, const AccessView& b) {
    return a.units - a.least > b.units - b.least;
}

int rank_of(ContractState state) {
    return state == ContractState::Broken ? 2 : state == ContractState::Unknown ? 1 : 0;
}

template <class Key, class Value>
std::vector<Value> values_of(const std::map<Key, Value>& of) {
    return transformed(of, [](const auto& each) { return each.second; });
}

} // namespace

LineFindings line_findings(const Explained& explained, const std::string& file) {
    std::map<int, const BoundsAccess*> leaving;               // by line
    std::map<std::pair<int, bool>, const AccessView*> worst;  // and whether it is of shared memory
    std::map<std::pair<int, int>, const ContractView*> least; // by place
    for (const KernelExplained& kernel : explained.kernels) {
        for (const AccessView& view : kernel.accesses) {
            if (view.finding.empty() || view.place.file != file)
                continue;
            const AccessView*& kept = worst[{view.place.line, view.memory == "shared"}];
            if (!kept || is_worse(view, *kept))
                kept = &view;
        }
        if (!kernel.bounds)
            continue;
        for (const BoundsAccess& view : kernel.bounds->accesses)
            if (view.verdict == "leaves" && view.place.file == file)
                leaving.try_emplace(view.place.line, &view);
    }
    for (const ContractView& view : explained.contracts) {
        if (view.place.file != file)
            continue;
        const ContractView*& kept = least[{view.place.line, view.place.column}];
        if (!kept || rank_of(view.state) > rank_of(kept->state))
            kept = &view;
    }
    return {values_of(leaving), values_of(worst), values_of(least)};
}

} // namespace hidet::session
