// SPDX-License-Identifier: Apache-2.0
// C++ as the backend for the CPU spells it, but for the indices of threads, which a function is given in `at`.
#pragma once

#include "compiler/codegen/text/dialect.h"

namespace hidet::test {

const compiler::Dialect& serial_dialect();

} // namespace hidet::test
