// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/func.h"

namespace hidet::session {

// Where the arguments of each launch of a host function come from, in the order in which it makes them, if it makes all of them: the
// number of a parameter that is a pointer or that a tensor map is of; -1: it is a number. Nothing: what is launched depends on
// more than numbers and the shapes of tensors.
using ArgumentSources = std::vector<std::vector<int>>;
std::optional<ArgumentSources> argument_sources(const ir::Function& launch);

} // namespace hidet::session
