// SPDX-License-Identifier: Apache-2.0
// How deep the expressions of one line nest without brackets.
#pragma once

#include "lang/parse/faults.h"
#include "lang/parse/token.h"

namespace hidet::lang {

// `lambda: lambda: ...` and `a if b else c if d else ...` nest without brackets, and the parser follows them by calling
// itself. A line with too many is reported and taken out before it gets there.
void bound_nesting(Tokens& tokens, Faults& faults);

} // namespace hidet::lang
