// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/codegen/text/dialect.h"

namespace hidet::compiler {

const Dialect& cpp_dialect(); // C++ for the CPU

} // namespace hidet::compiler
