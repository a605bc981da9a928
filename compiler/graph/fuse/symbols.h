// SPDX-License-Identifier: Apache-2.0
// Symbols that no argument of the launch function shows. A dimension of a tensor that is a symbol tells the symbol's value;
// where a tensor has `batch * 12` rows and no other has `batch`, the caller hands the value over as a number.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/func.h"

namespace hidet::graph {

// The functions with those symbols as i64 parameters, appended in the order of their names, the launch function's too.
// `shown`: symbols that stay symbols. The names of the others are appended to `asked`.
std::vector<ir::FunctionRef> with_symbol_parameters(const std::vector<ir::FunctionRef>& functions,
                                                    const ir::Function& launch, std::vector<std::string>& asked);

} // namespace hidet::graph
