// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/options.h"
#include "app/session/session.h"

namespace hidet::cli {

inline session::Target target_of(const Options& options) {
    if (options.verb == "emulate" || options.target == "emulate")
        return session::Target::Emulate;
    return options.target == "cuda"  ? session::Target::Cuda
           : options.target == "cpu" ? session::Target::Cpu
                                     : session::Target::Auto;
}

} // namespace hidet::cli
