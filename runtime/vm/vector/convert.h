// SPDX-License-Identifier: Apache-2.0
// Convert, Wrap, Move and the 64-bit packing as operations on one value: a table shared by leaves and scalar code.
// Local to each file, as ops.h.
#pragma once

#include "compiler/artifact/program.h"
#include "runtime/vm/vector/ops.h"

namespace hidet::vm {
namespace {

template <class To, class From>
struct NumberOp {
    static To apply(From a) { return convert_number<To>(a); }
};
struct HalfToFloatOp {
    static float apply(std::uint32_t a) { return half_to_float(a); }
};
struct Bf16ToFloatOp {
    static float apply(std::uint32_t a) { return bf16_to_float(a); }
};
struct E4m3ToFloatOp {
    static float apply(std::uint32_t a) { return e4m3_to_f32(static_cast<std::uint8_t>(a)); }
};
struct E5m2ToFloatOp {
    static float apply(std::uint32_t a) { return e5m2_to_f32(static_cast<std::uint8_t>(a)); }
};
struct SameOp {
    template <class T>
    static T apply(T a) {
        return a;
    }
};
template <class From>
inline float shorten(From a) {
    if constexpr (sizeof(From) == 8)
        return to_odd(a);
    else
        return a;
}
template <class From>
struct ToHalfOp {
    static std::uint32_t apply(From a) { return float_to_half(shorten(a)); }
};
template <class From>
struct ToBf16Op {
    static std::uint32_t apply(From a) { return float_to_bf16(shorten(a)); }
};
template <class From>
struct ToTf32Op {
    static float apply(From a) { return round_tf32(shorten(a)); }
};
template <class From>
struct ToE4m3Op {
    static std::uint32_t apply(From a) { return f32_to_e4m3(shorten(a)); }
};
template <class From>
struct ToE5m2Op {
    static std::uint32_t apply(From a) { return f32_to_e5m2(shorten(a)); }
};
template <class T, class Word>
struct WrapOp {
    static Word apply(Word a) { return static_cast<Word>(static_cast<T>(a)); }
};
struct WrapBoolOp {
    static std::uint32_t apply(std::uint32_t a) { return a & 1u; }
};
template <int Word>
struct UnpackOp {
    static std::uint32_t apply(std::uint64_t a) { return static_cast<std::uint32_t>(a >> (32 * Word)); }
};

// Calls use.template operator()<Op, From, To>() with the operation, or returns a null result.
template <class Use>
auto with_conversion(artifact::Scalar to, artifact::Scalar from, Use&& use) {
    using artifact::Scalar;
    auto to_number = [&]<class From>() {
        switch (to) {
        case Scalar::I32: return use.template operator()<NumberOp<std::int32_t, From>, From, std::int32_t>();
        case Scalar::U32: return use.template operator()<NumberOp<std::uint32_t, From>, From, std::uint32_t>();
        case Scalar::I64: return use.template operator()<NumberOp<std::int64_t, From>, From, std::int64_t>();
        case Scalar::U64: return use.template operator()<NumberOp<std::uint64_t, From>, From, std::uint64_t>();
        case Scalar::F32: return use.template operator()<NumberOp<float, From>, From, float>();
        case Scalar::F64: return use.template operator()<NumberOp<double, From>, From, double>();
        default: return use.none();
        }
    };
    auto to_short = [&]<class From>() {
        switch (to) {
        case Scalar::F16: return use.template operator()<ToHalfOp<From>, From, std::uint32_t>();
        case Scalar::BF16: return use.template operator()<ToBf16Op<From>, From, std::uint32_t>();
        case Scalar::TF32: return use.template operator()<ToTf32Op<From>, From, float>();
        case Scalar::F8E4M3: return use.template operator()<ToE4m3Op<From>, From, std::uint32_t>();
        case Scalar::F8E5M2: return use.template operator()<ToE5m2Op<From>, From, std::uint32_t>();
        default: return to_number.template operator()<From>();
        }
    };
    switch (from) {
    case Scalar::I32: return to_number.template operator()<std::int32_t>();
    case Scalar::U32: return to_number.template operator()<std::uint32_t>();
    case Scalar::I64: return to_number.template operator()<std::int64_t>();
    case Scalar::U64: return to_number.template operator()<std::uint64_t>();
    case Scalar::F32: return to_short.template operator()<float>();
    case Scalar::F64: return to_short.template operator()<double>();
    case Scalar::F16: return use.template operator()<HalfToFloatOp, std::uint32_t, float>();
    case Scalar::BF16: return use.template operator()<Bf16ToFloatOp, std::uint32_t, float>();
    case Scalar::F8E4M3: return use.template operator()<E4m3ToFloatOp, std::uint32_t, float>();
    case Scalar::F8E5M2: return use.template operator()<E5m2ToFloatOp, std::uint32_t, float>();
    case Scalar::TF32: return use.template operator()<SameOp, float, float>();
    default: return use.none();
    }
}

template <class Use>
auto with_wrap(artifact::Scalar type, Use&& use) {
    using artifact::Scalar;
    using Word = std::uint32_t;
    using Signed = std::int32_t;
    switch (type) {
    case Scalar::Bool: return use.template operator()<WrapBoolOp, Word, Word>();
    case Scalar::I8: return use.template operator()<WrapOp<std::int8_t, Signed>, Signed, Signed>();
    case Scalar::I16: return use.template operator()<WrapOp<std::int16_t, Signed>, Signed, Signed>();
    case Scalar::U8:
    case Scalar::F8E4M3:
    case Scalar::F8E5M2: return use.template operator()<WrapOp<std::uint8_t, Word>, Word, Word>();
    case Scalar::U16:
    case Scalar::F16:
    case Scalar::BF16: return use.template operator()<WrapOp<std::uint16_t, Word>, Word, Word>();
    default: return use.none();
    }
}

} // namespace
} // namespace hidet::vm
