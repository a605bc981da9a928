// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

VectorFn find_integer(Op op, Scalar type, unsigned shared) {
    switch (type) {
    case Scalar::Bool:
    case Scalar::U32: return with_operation<std::uint32_t>(op, UseLeaf{shared});
    case Scalar::I32: return with_operation<std::int32_t>(op, UseLeaf{shared});
    case Scalar::I64: return with_operation<std::int64_t>(op, UseLeaf{shared});
    case Scalar::U64: return with_operation<std::uint64_t>(op, UseLeaf{shared});
    default: return nullptr; // the rest is widened first
    }
}

} // namespace hidet::vm::HIDET_VM_ISA
