// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/codegen/text/dialect.h"

namespace hidet::compiler {

const Dialect& cuda_dialect(); // CUDA C++

} // namespace hidet::compiler
