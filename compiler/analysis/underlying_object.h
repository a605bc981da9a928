// SPDX-License-Identifier: Apache-2.0
// What an address is of, as it is written.
#pragma once

#include "compiler/ir/expr.h"

namespace hidet::compiler {

ir::ExprRef underlying_object(ir::ExprRef expr); // 'x' of '~x'; else the expression
// Behind conversions and '~'; null: it is of no tensor's. A pointer that a tensor holds is no address of its element.
const ir::TensorElement* element_behind_address(const ir::ExprRef& pointer);

} // namespace hidet::compiler
