// SPDX-License-Identifier: Apache-2.0
// Which GPU runs which machine code, and which of several fits best.
#pragma once

#include "runtime/capi/device.h"
#include "runtime/package/words.h"

namespace hidet::capi {

// 0: it does not run it. A cubin runs on GPUs of its generation that are not older, PTX on all that are not older, and what is
// compiled for one generation's own instructions ("sm_90a") on that alone. The newest is the best, and a cubin better than PTX.
inline int fitness(package::Text architecture, package::ImageKind kind, Capability gpu) {
    if (architecture.size() < 5 || std::memcmp(architecture.data(), "sm_", 3) != 0)
        return 0;
    int number = 0;
    std::size_t at = 3;
    for (; at < architecture.size() && architecture.data()[at] >= '0' && architecture.data()[at] <= '9'; ++at) {
        if (number > 1000)
            return 0;
        number = 10 * number + (architecture.data()[at] - '0');
    }
    const char suffix = at < architecture.size() ? architecture.data()[at] : '\0';
    const int own = 10 * gpu.major + gpu.minor;
    if (number > own || at + (suffix != '\0') != architecture.size())
        return 0;
    const bool is_generation = number / 10 == gpu.major;
    if ((suffix == 'a' && number != own) || (suffix == 'f' && !is_generation) ||
        (suffix != '\0' && suffix != 'a' && suffix != 'f'))
        return 0;
    if (kind == package::ImageKind::Cubin)
        return is_generation ? 4 * number + 2 + (suffix != '\0') : 0;
    return kind == package::ImageKind::Ptx ? 4 * number + (suffix != '\0') : 0;
}

// "x86-64-v4, x86-64-v3": what a module is compiled for.
inline package::Words<300> architectures_of(const package::Plan& plan, package::Row module) {
    package::Words<300> words;
    bool is_first = true;
    for (const package::PlanImage<package::Flat>& image : plan.images) {
        if (image.module != module)
            continue;
        words.add(is_first ? "" : ", ", image.architecture);
        is_first = false;
    }
    words.add(is_first ? "nothing" : "");
    return words;
}

} // namespace hidet::capi
