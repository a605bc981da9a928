// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

template <class T>
static VectorFn find(Op op, unsigned shared) {
    using U = std::uint32_t;
    switch (op) {
    case Op::Add: return binary<AddOp, T>(shared);
    case Op::Sub: return binary<SubOp, T>(shared);
    case Op::Mul: return binary<MulOp, T>(shared);
    case Op::Div: return binary<DivOp, T>(shared);
    case Op::Mod: return binary<ModOp, T>(shared);
    case Op::FloorDiv: return binary<FloorDivOp, T>(shared);
    case Op::FloorMod: return binary<FloorModOp, T>(shared);
    case Op::Min: return binary<MinOp, T>(shared);
    case Op::Max: return binary<MaxOp, T>(shared);
    case Op::Lt: return binary<LtOp, T, U>(shared);
    case Op::Le: return binary<LeOp, T, U>(shared);
    case Op::Eq: return binary<EqOp, T, U>(shared);
    case Op::Ne: return binary<NeOp, T, U>(shared);
    case Op::MulAdd: return ternary<MulAddOp, T>(shared);
    case Op::Fma: return ternary<FmaOp, T>(shared);
    case Op::Neg: return unary_lanes<NegOp, T, T>;
    case Op::Abs: return unary_lanes<AbsOp, T, T>;
    default: return nullptr;
    }
}

VectorFn find_float(Op op, Scalar type, unsigned shared) {
    switch (type) {
    case Scalar::F32: return find<float>(op, shared);
    case Scalar::F64: return find<double>(op, shared);
    default: return nullptr;
    }
}

} // namespace hidet::vm::HIDET_VM_ISA
