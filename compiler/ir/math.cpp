// SPDX-License-Identifier: Apache-2.0
// Which mathematical function is defined for which type, and the promotion of its arguments.
#include <algorithm>

#include "compiler/ir/fold.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

static bool is_rounding(IntrinsicId id) {
    return id == IntrinsicId::Round || id == IntrinsicId::Ceil || id == IntrinsicId::Floor || id == IntrinsicId::Trunc;
}

static bool is_defined(IntrinsicId id, DType dtype) {
    if (is_float(dtype))
        return true;
    if (is_integer(dtype))
        return id == IntrinsicId::Min || id == IntrinsicId::Max || id == IntrinsicId::Abs || is_rounding(id);
    if (dtype != DType::F16x2)
        return false;
    switch (id) {
    case IntrinsicId::Sin:
    case IntrinsicId::Cos:
    case IntrinsicId::Exp:
    case IntrinsicId::Sqrt:
    case IntrinsicId::Rsqrt:
    case IntrinsicId::Log:
    case IntrinsicId::Round:
    case IntrinsicId::Ceil:
    case IntrinsicId::Floor:
    case IntrinsicId::Min:
    case IntrinsicId::Max:
    case IntrinsicId::Fma: return true;
    default: return false;
    }
}

// An integer to a small constant power is a product; no integer pow exists at run time.
static ExprRef integer_power(const ExprRef& base, std::int64_t exponent) {
    VarRef factor = make_var("base", data_type(*scalar_of(base->type)));
    ExprRef result = factor;
    for (std::int64_t i = 1; i < exponent; ++i)
        result = mul(result, factor);
    bool is_simple = base->kind == Kind::Var || base->kind == Kind::BuiltinVar;
    if (!is_simple)
        return make_let(factor, base, result);
    ExprRef repeated = base;
    for (std::int64_t i = 1; i < exponent; ++i)
        repeated = mul(repeated, base);
    return repeated;
}

static ExprRef try_integer_power(const ExprVec& args, DType dtype) {
    auto exponent = constant_int(args[1]);
    if (!is_integer(dtype) || !exponent || *exponent < 0 || *exponent > 16)
        return nullptr;
    ExprRef base = cast_to(args[0], dtype);
    if (*exponent == 0 && can_drop(base))
        return int_constant(1, dtype);
    return *exponent == 0 ? nullptr : *exponent == 1 ? base : integer_power(base, *exponent);
}

static DType promoted_type(IntrinsicId id, const ExprVec& args) {
    std::optional<DType> common;
    for (const ExprRef& arg : args) {
        auto dtype = scalar_of(arg->type);
        auto next = dtype && common ? promote(*common, *dtype) : dtype;
        if (!next && common)
            throw TypeError(cat("'", info(id).short_name(), "' is not defined for '", info(*common).short_name,
                                "' and '", describe(arg->type), "'"));
        if (!next)
            throw TypeError(cat("'", info(id).short_name(), "' is not defined for '", describe(arg->type), "'"));
        common = next;
    }
    return is_integer(*common) && std::ranges::any_of(args, is_unsigned_only) ? DType::U64 : *common;
}

// The one of two constants that it is by their numbers: of a literal from 2**63 on and a negative one the lesser is no u64.
static ExprRef constant_extremum(IntrinsicId id, const ExprVec& args, DType dtype) {
    const bool is_min = id == IntrinsicId::Min;
    const auto order = is_min || id == IntrinsicId::Max ? order_of_constants(args[0], args[1]) : std::nullopt;
    if (!order)
        return nullptr;
    const ExprRef& chosen = (*order < 0) == is_min ? args[0] : args[1];
    const bool is_held = dtype != DType::U64 || is_unsigned_only(chosen) || *constant_int(chosen) >= 0;
    return is_held ? cast_to(chosen, dtype) : chosen;
}

ExprRef math(IntrinsicId id, const ExprVec& args) {
    const IntrinsicInfo& row = info(id);
    HIDET_CHECK(static_cast<int>(args.size()) >= row.min_args && static_cast<int>(args.size()) <= row.max_args,
                row.name);
    DType dtype = promoted_type(id, args);
    if (id == IntrinsicId::Pow)
        if (ExprRef power = try_integer_power(args, dtype))
            return power;
    if (!is_defined(id, dtype))
        throw TypeError(cat("'", info(id).short_name(), "' is not defined for '", info(dtype).short_name, "'"));
    if (is_integer(dtype) && is_rounding(id))
        return cast_to(args[0], dtype);
    if (ExprRef chosen = constant_extremum(id, args, dtype))
        return chosen;
    ExprVec converted = transformed(args, [&](const ExprRef& arg) { return cast_to(arg, dtype); });
    if (ExprRef folded = fold_math(id, dtype, converted))
        return folded;
    bool is_test = row.result.kind == IntrinsicResult::Kind::Fixed;
    return make_intrinsic(id, std::move(converted), data_type(is_test ? row.result.dtype : dtype));
}

} // namespace hidet::ir
