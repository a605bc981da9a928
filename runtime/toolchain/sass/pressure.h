// SPDX-License-Identifier: Apache-2.0
// Where registers are scarce, and whose values hold them.
#pragma once

#include <optional>
#include <vector>

#include "runtime/toolchain/sass/flow.h"
#include "runtime/toolchain/sass/registers.h"

namespace hidet::toolchain::sass {

struct Holder {
    std::optional<std::size_t> writer; // the nearest before that wrote the value; nothing: no instruction did
    int registers = 0;
};

// The first instruction at which the most general registers are live; nothing where none are.
std::optional<std::size_t> peak_of(const RegisterTable& registers);
// Who wrote the general registers that are live there: by writer.
std::vector<Holder> holders_at(const Flow& flow, const RegisterTable& registers, std::size_t at);

} // namespace hidet::toolchain::sass
