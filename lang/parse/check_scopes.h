// SPDX-License-Identifier: Apache-2.0
// The rules of syntax that no grammar holds: `return` outside of a function, `break` outside of a loop, `nonlocal` without
// a variable to mean, `await` outside of async code, the place of `from __future__`.
#pragma once

#include "lang/ast/ast.h"
#include "lang/parse/faults.h"

namespace hidet::lang {

// Names are followed only where it matters: when the file declares some `global` or `nonlocal`.
enum class NameTracking : bool { Off, On };

void check_scopes(ast::Block body, NameTracking names, Faults& faults);

} // namespace hidet::lang
