// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/asked_gpu.h"

namespace hidet::artifact {

std::optional<TargetSpec> asked_gpu(const std::string& name, const TargetSpec& present) {
    if (name.empty())
        return present;
    std::optional<TargetSpec> asked = find_target(name);
    if (!asked || !asked->is_cuda())
        return std::nullopt;
    if (asked->arch.number == present.arch.number)
        return present;
    asked->arch = best_architecture(asked->arch.number);
    return asked;
}

} // namespace hidet::artifact
