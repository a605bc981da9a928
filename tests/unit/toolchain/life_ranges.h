// SPDX-License-Identifier: Apache-2.0
// What nvdisasm says of the registers of machine code, which knows each instruction from NVIDIA's own tables: the measure of what
// runtime/toolchain/sass finds out itself.
#pragma once

#include <string_view>

#include "runtime/toolchain/sass/registers.h"

namespace hidet::test {

// What `nvdisasm -lrm narrow` says of these functions, in their order; rows of which it said nothing are empty.
std::vector<toolchain::sass::RegisterTable> read_life_ranges(std::string_view text,
                                                             const std::vector<toolchain::sass::Function>& functions);

} // namespace hidet::test
