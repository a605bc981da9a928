// SPDX-License-Identifier: Apache-2.0
// Registers that a product of a warp group has, which its threads may use only after they have waited for it, and which it sees
// as they were at the last fence.
#pragma once

#include <vector>

#include "compiler/prove/kernel_facts.h"

namespace hidet::compiler::prove {

// Where they may be used otherwise. Arrays are taken as a whole.
std::vector<Obstacle> misused_product_registers(const ir::Function& kernel);

} // namespace hidet::compiler::prove
