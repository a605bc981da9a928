// SPDX-License-Identifier: Apache-2.0
#include "app/session/snapshot/targets.h"
#include "lang/base/ranges.h"

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
    return transformed<std::string>(all_targets(), &TargetInfo::name);
}

const std::vector<PlacementInfo>& all_placements() {
    static const std::vector<PlacementInfo> placements = {
#define HIDET_TARGET(name, text, label, where, gpu, emulates)                                                          \
    {Placement::name, text,         label,                                                                             \
     where,           Target::name, GpuUse::gpu == GpuUse::None ? WorkerPlace::Host : WorkerPlace::Gpu},
#define HIDET_ELSEWHERE(name, text, label, where, target)                                                              \
    {Placement::name, text, label, where, Target::target, WorkerPlace::Remote},
#include "app/session/snapshot/targets.def"
    };
    return placements;
}

const PlacementInfo& info(Placement placement) {
    return all_placements()[static_cast<std::size_t>(placement)];
}

Placement placement_named(std::string_view name) {
    const auto& all = all_placements();
    const auto found = std::find_if(all.begin(), all.end(), [&](const PlacementInfo& row) { return row.name == name; });
    return found == all.end() ? all.front().placement : found->placement;
}

} // namespace hidet::session
