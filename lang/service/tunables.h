// SPDX-License-Identifier: Apache-2.0
// Numbers of a script that kernels are made with and that can be changed where they stand: sizes of blocks and of tiles. The
// sizes of arguments are none of them: who calls the kernel decides about those.
#pragma once

#include "lang/service/service.h"

namespace hidet::lang::service {

struct TunableNumber {
    std::string name; // "block_m", "block_dim", "block_dim.y"
    std::int64_t value = 0;
    Range literal;
    int number = 0; // of those of this name, from 0 on
};

// In the order of the text.
std::vector<TunableNumber> tunable_numbers(const Document& document);

} // namespace hidet::lang::service
