// SPDX-License-Identifier: Apache-2.0
// Who holds which element of a register tensor: a layout with local parts spreads it over workers, each of which has the same
// slots.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/layout.h"

namespace hidet::compiler {

// How many workers a constant layout spreads elements over; 1: each worker has them all. Nothing: it is a form of which that is
// not known.
std::optional<std::int64_t> worker_count(const ir::LayoutRef& layout);
// Of those, where the count is known: workers of a composition count as those of a composed task mapping do.
std::int64_t worker_of(const ir::LayoutRef& layout, const std::vector<std::int64_t>& index);

} // namespace hidet::compiler
