// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/options.h"
#include "app/session/targets.h"
#include "lang/base/text.h"

namespace hidet::cli {

inline session::Target target_of(const Options& options) {
    const std::string& name = options.verb == "emulate" ? options.verb : options.target;
    return session::target_named(name).value_or(session::Target::Auto);
}

// "auto, cuda, cpu or emulate": of the table.
inline std::string target_choices() {
    std::vector<std::string> names = session::target_names();
    const std::string last = std::move(names.back());
    names.pop_back();
    return join(names, ", ") + " or " + last;
}

} // namespace hidet::cli
