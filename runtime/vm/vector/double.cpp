// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

VectorFn find_double(Op op, unsigned shared) {
    return with_operation<double>(op, UseLeaf{shared});
}

} // namespace hidet::vm::HIDET_VM_ISA
