// SPDX-License-Identifier: Apache-2.0
// The blocks that a statement holds, whatever statement it is.
#pragma once

#include <vector>

#include "lang/ast/ast.h"

namespace hidet::lang::service {

std::vector<ast::Block> blocks_of(const ast::Stmt& statement);

} // namespace hidet::lang::service
