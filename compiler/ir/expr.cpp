// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/expr.h"

#include <cmath>
#include <limits>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"

namespace hidet::ir {

const char* builtin_name(Builtin which) {
    static constexpr const char* names[] = {
        "threadIdx.x",         "threadIdx.y",        "threadIdx.z",         "blockIdx.x",
        "blockIdx.y",          "blockIdx.z",         "blockDim.x",          "blockDim.y",
        "blockDim.z",          "gridDim.x",          "gridDim.y",           "gridDim.z",
        "cluster.thread_rank", "cluster.block_rank", "cluster.dim_threads", "cluster.dim_blocks",
    };
    return names[static_cast<std::size_t>(which)];
}

const char* spelling(BinOp op) {
    switch (op) {
    case BinOp::Add: return "+";
    case BinOp::Sub: return "-";
    case BinOp::Mul: return "*";
    case BinOp::Div: return "/";
    case BinOp::Mod: return "rem";
    case BinOp::FloorDiv: return "//";
    case BinOp::FloorMod: return "%";
    case BinOp::Lt: return "<";
    case BinOp::Le: return "<=";
    case BinOp::Eq: return "==";
    case BinOp::Ne: return "!=";
    case BinOp::And: return "and";
    case BinOp::Or: return "or";
    case BinOp::BitAnd: return "&";
    case BinOp::BitOr: return "|";
    case BinOp::BitXor: return "^";
    case BinOp::Shl: return "<<";
    case BinOp::Shr: return ">>";
    }
    return "?";
}

bool is_comparison(BinOp op) {
    return op >= BinOp::Lt && op <= BinOp::Ne;
}

bool is_division(BinOp op) {
    return op == BinOp::Div || op == BinOp::Mod || op == BinOp::FloorDiv || op == BinOp::FloorMod;
}

bool is_commutative(BinOp op) {
    switch (op) {
    case BinOp::Add:
    case BinOp::Mul:
    case BinOp::Eq:
    case BinOp::Ne:
    case BinOp::BitAnd:
    case BinOp::BitOr:
    case BinOp::BitXor: return true;
    default: return false;
    }
}

VarRef make_var(std::string name, TypeRef type) {
    return make_node<Var>(std::move(name), std::move(type));
}

ExprRef make_symbol(std::string name, TypeRef type) {
    return make_node<SymbolVar>(std::move(name), std::move(type));
}

ExprRef make_builtin(Builtin which) {
    return make_node<BuiltinVar>(which);
}

// Integers wrap and floats round, so that a value has one representation in its type; so has NaN.
ExprRef make_constant(ConstantValue value, TypeRef type) {
    if (auto dtype = scalar_of(type)) {
        if (auto* integer = std::get_if<std::int64_t>(&value); integer && (is_integer(*dtype) || is_subbyte(*dtype)))
            *integer = wrap_to(*integer, *dtype);
        if (auto* number = std::get_if<double>(&value))
            *number = std::isnan(*number) ? std::numeric_limits<double>::quiet_NaN() : round_to(*number, *dtype);
    }
    return make_node<Constant>(std::move(value), std::move(type));
}

ExprRef int_constant(std::int64_t value, DType dtype) {
    HIDET_CHECK(is_integer(dtype) || is_subbyte(dtype), info(dtype).name);
    return make_constant(value, data_type(dtype));
}

ExprRef float_constant(double value, DType dtype) {
    HIDET_CHECK(is_float(dtype), info(dtype).name);
    return make_constant(value, data_type(dtype));
}

ExprRef bool_constant(bool value) {
    return make_constant(std::int64_t{value}, data_type(DType::Bool));
}

ExprRef string_constant(std::string value) {
    return make_constant(std::move(value), string_type());
}

ExprRef make_unary(UnOp op, ExprRef a) {
    return make_node<Unary>(op, std::move(a));
}

ExprRef make_binary(BinOp op, ExprRef a, ExprRef b) {
    return make_node<Binary>(op, std::move(a), std::move(b));
}

ExprRef make_element(ExprRef base, ExprVec indices, bool is_protected) {
    return make_node<TensorElement>(std::move(base), std::move(indices), is_protected);
}

ExprRef make_slice(ExprRef base, ExprVec indices, ExprVec starts, ExprVec stops) {
    HIDET_CHECK(indices.size() == starts.size() && indices.size() == stops.size());
    return make_node<TensorSlice>(std::move(base), std::move(indices), std::move(starts), std::move(stops));
}

ExprRef make_call(std::string callee, ExprVec args, TypeRef type) {
    return make_node<Call>(std::move(callee), std::move(args), std::move(type));
}

ExprRef make_intrinsic(IntrinsicId id, ExprVec args, TypeRef type) {
    return make_intrinsic(default_attr(id), std::move(args), std::move(type));
}

ExprRef make_intrinsic(const IntrinsicAttr& attr, ExprVec args, TypeRef type) {
    return make_node<Intrinsic>(attr.id, attr, std::move(args), std::move(type));
}

ExprRef make_let(VarRef var, ExprRef value, ExprRef body) {
    return make_node<Let>(std::move(var), std::move(value), std::move(body));
}

ExprRef make_cast(ExprRef a, TypeRef type) {
    return make_node<Cast>(std::move(a), std::move(type));
}

ExprRef make_select(ExprRef condition, ExprRef a, ExprRef b) {
    return make_node<Select>(std::move(condition), std::move(a), std::move(b));
}

ExprRef make_deref(ExprRef pointer) {
    return make_node<Deref>(std::move(pointer));
}

ExprRef make_address(ExprRef place) {
    return make_node<Address>(std::move(place));
}

std::optional<double> constant_number(const ExprRef& expr) {
    const auto* constant = as<Constant>(expr);
    if (!constant || constant->type->kind != Kind::DataType)
        return std::nullopt;
    if (const auto* value = std::get_if<double>(&constant->value))
        return *value;
    if (const auto* value = std::get_if<std::int64_t>(&constant->value))
        return scalar_of(constant->type) == DType::U64 ? static_cast<double>(static_cast<std::uint64_t>(*value))
                                                       : static_cast<double>(*value);
    return std::nullopt;
}

} // namespace hidet::ir
