// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/math.h"
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

namespace {

struct UseLanes {
    template <class F, class From, class To>
    VectorFn operator()() const {
        return unary_lanes<F, From, To>;
    }
    VectorFn none() const { return nullptr; }
};

} // namespace

static VectorFn find_binary(Op op, Scalar type, unsigned shared) {
    if (type == Scalar::F32)
        return op == Op::Pow ? binary<PowOp, float>(shared) : binary<Atan2Op, float>(shared);
    if (type == Scalar::F64)
        return op == Op::Pow ? binary<PowOp, double>(shared) : binary<Atan2Op, double>(shared);
    return nullptr;
}

VectorFn find_math(Op op, Scalar type, unsigned shared) {
    if (op == Op::Pow || op == Op::Atan2)
        return find_binary(op, type, shared);
    if (type == Scalar::F32)
        return with_math<float>(op, UseLanes{});
    if (type == Scalar::F64)
        return with_math<double>(op, UseLanes{});
    return nullptr;
}

} // namespace hidet::vm::HIDET_VM_ISA
