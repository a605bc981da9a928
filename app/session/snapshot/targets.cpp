// SPDX-License-Identifier: Apache-2.0
#include "app/session/snapshot/targets.h"

#include <algorithm>

namespace hidet::session {

const std::vector<TargetInfo>& all_targets() {
    static const std::vector<TargetInfo> targets = {
#define HIDET_TARGET(name, text, label, where, gpu, emulates) {Target::name, text, label, where, GpuUse::gpu, emulates},
#include "app/session/snapshot/targets.def"
    };
    return targets;
}

const TargetInfo& info(Target target) {
    return all_targets()[static_cast<std::size_t>(target)];
}

std::optional<Target> target_named(std::string_view name) {
    for (const TargetInfo& row : all_targets())
        if (row.name == name)
            return row.target;
    return std::nullopt;
}

std::vector<std::string> target_names() {
    std::vector<std::string> names;
    for (const TargetInfo& row : all_targets())
        names.emplace_back(row.name);
    return names;
}

static std::vector<Placement> make_placements() {
    std::vector<Placement> out;
    for (const TargetInfo& row : all_targets())
        out.push_back({row.name, row.label, row.where, row.target,
                       row.gpu == GpuUse::None ? WorkerPlace::Host : WorkerPlace::Gpu});
#define HIDET_ELSEWHERE(name, label, where, target)                                                                    \
    out.push_back({name, label, where, Target::target, WorkerPlace::Remote});
#include "app/session/snapshot/targets.def"
    return out;
}

const std::vector<Placement>& all_placements() {
    static const std::vector<Placement> placements = make_placements();
    return placements;
}

const Placement& placement_named(std::string_view name) {
    const auto& all = all_placements();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Placement& row) { return row.name == name; });
    return found == all.end() ? all.front() : *found;
}

} // namespace hidet::session
