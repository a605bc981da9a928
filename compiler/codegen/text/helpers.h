// SPDX-License-Identifier: Apache-2.0
// Functions that the emitter itself calls: shifts by more than the width, on which C++ is silent, and checks.
#pragma once

#include <set>
#include <string>

#include "compiler/artifact/source.h"

namespace hidet::compiler::text {

using Helpers = std::set<std::string, std::less<>>;

const Helpers& helper_names();
// The definitions of these, each followed by an empty line.
std::string helper_text(const Helpers& used, artifact::Language language);

} // namespace hidet::compiler::text
