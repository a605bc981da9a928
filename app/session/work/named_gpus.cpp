// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/named_gpus.h"

#include <algorithm>

#include "app/session/work/refusal.h"

namespace hidet::session {

std::optional<std::vector<artifact::TargetSpec>> named_gpus(Work& work, const std::vector<std::string>& names) {
    std::vector<artifact::TargetSpec> targets;
    for (const std::string& name : names) {
        std::optional<artifact::TargetSpec> target = artifact::find_target(name);
        if (!target || !target->is_cuda()) {
            report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchArch, {}, name));
            return std::nullopt;
        }
        const bool is_known =
            std::ranges::any_of(targets, [&](const artifact::TargetSpec& each) { return each.arch == target->arch; });
        if (!is_known)
            targets.push_back(std::move(*target));
    }
    return targets;
}

} // namespace hidet::session
