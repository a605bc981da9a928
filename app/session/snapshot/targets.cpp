// SPDX-License-Identifier: Apache-2.0
#include "app/session/snapshot/targets.h"

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

} // namespace hidet::session
