// SPDX-License-Identifier: Apache-2.0
// Tensor memory is there for generated code alone: the virtual machine has none.
#include "compiler/codegen/bytecode/generator.h"
#include "lang/base/text.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

#define HIDET_CHOICES(...)
#define HIDET_INTRINSIC(row, ...)                                                                                      \
    Value IntrinsicGenerator::emulate(Of<IntrinsicId::row>, const ir::Intrinsic& e) {                                  \
        unsupported(e, cat("'", ir::info(e.id).name, "', which needs tensor memory"));                                 \
    }
#include "compiler/ir/intrinsics/tensor_memory.def"
#undef HIDET_INTRINSIC
#undef HIDET_CHOICES

} // namespace hidet::compiler::bytecode
