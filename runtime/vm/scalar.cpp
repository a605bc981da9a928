// SPDX-License-Identifier: Apache-2.0
// The same operations on u registers: one 64-bit slot, integers extended as their type wants it, floats by their bits.
#include "runtime/vm/vector/convert.h"
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

template <class F, class From, class To>
void convert_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t*, const std::uint64_t*) {
    put<To>(d, F::apply(get<From>(a)));
}
struct UseConversion {
    template <class F, class From, class To>
    ScalarFn operator()() const {
        return convert_slot<F, From, To>;
    }
    ScalarFn none() const { return nullptr; }
};

template <class F, int operands, class T, class R>
void operation_slot(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c) {
    if constexpr (operands == 1)
        put<R>(d, F::apply(get<T>(a)));
    else if constexpr (operands == 2)
        put<R>(d, F::apply(get<T>(a), get<T>(b)));
    else
        put<R>(d, F::apply(get<T>(a), get<T>(b), get<T>(c)));
}
struct UseOperation {
    template <class F, int operands, class T, class R>
    ScalarFn operator()() const {
        return operation_slot<F, operands, T, R>;
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

} // namespace

ScalarFn find_scalar(Op op, Scalar type, int x) {
    switch (op) {
    case Op::Move: return move_slot;
    case Op::Select: return select_slot;
    case Op::Convert: return with_conversion(type, static_cast<Scalar>(x), UseConversion{});
    case Op::Wrap: return with_wrap(type, UseConversion{});
    case Op::Pack64: return pack_slot;
    case Op::Unpack64:
        return x ? convert_slot<UnpackOp<1>, std::uint64_t, std::uint32_t>
                 : convert_slot<UnpackOp<0>, std::uint64_t, std::uint32_t>;
    default: break;
    }
    switch (type) {
    case Scalar::Bool:
    case Scalar::U32: return with_operation<std::uint32_t>(op, UseOperation{});
    case Scalar::I32: return with_operation<std::int32_t>(op, UseOperation{});
    case Scalar::I64: return with_operation<std::int64_t>(op, UseOperation{});
    case Scalar::U64: return with_operation<std::uint64_t>(op, UseOperation{});
    case Scalar::F32: return with_operation<float>(op, UseOperation{});
    case Scalar::F64: return with_operation<double>(op, UseOperation{});
    default: return nullptr; // the rest is widened first
    }
}

} // namespace hidet::vm
