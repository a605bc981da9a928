// SPDX-License-Identifier: Apache-2.0
// The same operations on u registers: one 64-bit slot, integers extended as their type wants it, floats by their bits.
#include "runtime/vm/vector/convert.h"
#include "runtime/vm/vector/math.h"
#include "runtime/vm/vector/table.h"

namespace hidet::vm {

namespace {

using artifact::Op;
using artifact::Scalar;

template <class T>
T get(const std::uint64_t* slot) {
    T value;
    std::memcpy(&value, slot, sizeof value);
    return value;
}
template <class T>
void put(std::uint64_t* slot, T value) {
    if constexpr (std::is_integral_v<T>) {
        *slot = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
        *slot = 0;
        std::memcpy(slot, &value, sizeof value);
    }
}

template <class F, class T, class R>
void unary_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t*, const std::uint64_t*) {
    put<R>(d, F::apply(get<T>(a)));
}
template <class F, class T, class R>
void binary_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t*) {
    put<R>(d, F::apply(get<T>(a), get<T>(b)));
}
template <class F, class T>
void ternary_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c) {
    put<T>(d, F::apply(get<T>(a), get<T>(b), get<T>(c)));
}

struct UseSlot {
    template <class F, class From, class To>
    ScalarFn operator()() const {
        return unary_slot<F, From, To>;
    }
    ScalarFn none() const { return nullptr; }
};

void move_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t*, const std::uint64_t*) {
    *d = *a;
}
void select_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c) {
    *d = *c ? *a : *b;
}
void pack_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t*) {
    *d = (*a & 0xFFFFFFFFu) | *b << 32;
}

template <class T>
ScalarFn find_number(Op op) {
    using U = std::uint32_t;
    switch (op) {
    case Op::Add: return binary_slot<AddOp, T, T>;
    case Op::Sub: return binary_slot<SubOp, T, T>;
    case Op::Mul: return binary_slot<MulOp, T, T>;
    case Op::Div: return binary_slot<DivOp, T, T>;
    case Op::Mod: return binary_slot<ModOp, T, T>;
    case Op::FloorDiv: return binary_slot<FloorDivOp, T, T>;
    case Op::FloorMod: return binary_slot<FloorModOp, T, T>;
    case Op::Min: return binary_slot<MinOp, T, T>;
    case Op::Max: return binary_slot<MaxOp, T, T>;
    case Op::Lt: return binary_slot<LtOp, T, U>;
    case Op::Le: return binary_slot<LeOp, T, U>;
    case Op::Eq: return binary_slot<EqOp, T, U>;
    case Op::Ne: return binary_slot<NeOp, T, U>;
    case Op::MulAdd: return ternary_slot<MulAddOp, T>;
    case Op::Fma: return ternary_slot<FmaOp, T>;
    case Op::Neg: return unary_slot<NegOp, T, T>;
    case Op::Abs: return unary_slot<AbsOp, T, T>;
    default: return nullptr;
    }
}

template <class T>
ScalarFn find_bits(Op op) {
    switch (op) {
    case Op::And: return binary_slot<AndOp, T, T>;
    case Op::Or: return binary_slot<OrOp, T, T>;
    case Op::Xor: return binary_slot<XorOp, T, T>;
    case Op::Shl: return binary_slot<ShlOp, T, T>;
    case Op::Shr: return binary_slot<ShrOp, T, T>;
    case Op::BitNot: return unary_slot<BitNotOp, T, T>;
    case Op::Not: return unary_slot<NotOp, T, T>;
    default: return find_number<T>(op);
    }
}

template <class T>
ScalarFn find_real(Op op) {
    if (op == Op::Pow)
        return binary_slot<PowOp, T, T>;
    if (op == Op::Atan2)
        return binary_slot<Atan2Op, T, T>;
    if (ScalarFn fn = with_math<T>(op, UseSlot{}))
        return fn;
    return find_number<T>(op);
}

} // namespace

ScalarFn find_scalar(Op op, Scalar type, int x) {
    switch (op) {
    case Op::Move: return move_slot;
    case Op::Select: return select_slot;
    case Op::Convert: return with_conversion(type, static_cast<Scalar>(x), UseSlot{});
    case Op::Wrap: return with_wrap(type, UseSlot{});
    case Op::Pack64: return pack_slot;
    case Op::Unpack64:
        return x ? unary_slot<UnpackOp<1>, std::uint64_t, std::uint32_t>
                 : unary_slot<UnpackOp<0>, std::uint64_t, std::uint32_t>;
    default: break;
    }
    switch (type) {
    case Scalar::Bool:
    case Scalar::U32: return find_bits<std::uint32_t>(op);
    case Scalar::I32: return find_bits<std::int32_t>(op);
    case Scalar::I64: return find_bits<std::int64_t>(op);
    case Scalar::U64: return find_bits<std::uint64_t>(op);
    case Scalar::F32: return find_real<float>(op);
    case Scalar::F64: return find_real<double>(op);
    default: return nullptr;
    }
}

} // namespace hidet::vm
