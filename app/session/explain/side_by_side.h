// SPDX-License-Identifier: Apache-2.0
// Two scripts that are to compute the same, and the one word that counts: which is faster, or that there is nothing to say of it.
// Where a device is there they are measured in turns; beside the emulator, whose times say nothing, the predicted times count.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::session {

struct SideBySide {
    std::string word; // "faster", "slower", "no difference", "wrong", "invalid": of the first
    std::string why;  // in words, with the figures
    bool is_predicted = false;
    std::optional<double> seconds, other_seconds; // of a call each; nothing: not known
    KernelBenchResult bench;
};

// `request.other` is the second. `bench` is bench_kernel(), or does the same elsewhere.
SideBySide side_by_side(const KernelBenchRequest& request,
                        const std::function<KernelBenchResult(const KernelBenchRequest&)>& bench);

} // namespace hidet::session
