// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/ops.h"

#include <cmath>

#include "compiler/ir/family.h"
#include "compiler/ir/fold.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

// ---- types ------------------------------------------------------------------------------------------------------------

bool same_type(const TypeRef& a, const TypeRef& b) {
    return a == b || structural_equal(a, b);
}

static std::string describe_dim(const ExprRef& dim) {
    if (auto value = constant_int(dim))
        return std::to_string(*value);
    if (const auto* var = as<Var>(dim))
        return var->name;
    if (const auto* symbol = as<SymbolVar>(dim))
        return symbol->name;
    return "...";
}

static std::string describe_tensor(const TensorType& tensor) {
    return describe(tensor.element) + "[" +
           join(transformed(tensor.shape, [&](const ExprRef& dim) { return describe_dim(dim); }), ", ") + "]";
}

std::string describe(const TypeRef& type) {
    if (!type)
        return "nothing";
    if (const TensorType* tensor = tensor_of(type))
        return describe_tensor(*tensor);
    if (const auto* data = as<DataType>(type))
        return info(data->dtype).short_name;
    if (const auto* pointer = as<PointerType>(type))
        return "~" + describe(pointer->base);
    if (const auto* reference = as<ReferenceType>(type))
        return describe(reference->base) + " reference";
    if (const auto* array = as<ArrayType>(type))
        return describe(array->base) + "[" + std::to_string(array->count) + "]";
    if (const auto* opaque = as<OpaqueType>(type))
        return opaque->name;
    if (type->kind == Kind::VoidType)
        return "void";
    return type->kind == Kind::StringType ? "str" : "function";
}

// As an operand is called in a message: "pointer '~f32'", "'i32'".
static std::string operand(const ExprRef& value) {
    const char* kind = tensor_of(value->type) ? "tensor " : is_pointer(value->type) ? "pointer " : "";
    return cat(kind, "'", describe(value->type), "'");
}

static DType common_type(const char* op, const ExprRef& a, const ExprRef& b) {
    auto left = scalar_of(a->type);
    auto right = scalar_of(b->type);
    if (left && right && is_integer(*left) && is_integer(*right) && (is_unsigned_only(a) || is_unsigned_only(b)))
        return DType::U64;
    if (left && right)
        if (auto common = promote(*left, *right))
            return *common;
    throw TypeError(cat("'", op, "' is not defined for ", operand(a), " and ", operand(b)));
}

[[noreturn]] static void refuse(const char* op, const ExprRef& a, const ExprRef& b) {
    throw TypeError(cat("'", op, "' is not defined for ", operand(a), " and ", operand(b)));
}

[[noreturn]] static void refuse(const char* op, const ExprRef& a) {
    throw TypeError(cat("'", op, "' is not defined for ", operand(a)));
}

// ---- effects ------------------------------------------------------------------------------------------------------------

bool can_drop(const ExprRef& expr) {
    if (!expr || expr->kind == Kind::Var || expr->kind == Kind::Constant)
        return true;
    if (expr->kind == Kind::Call)
        return false;
    if (const auto* intrinsic = as<Intrinsic>(expr); intrinsic && acts(intrinsic->id))
        return false;
    bool droppable = true;
    for_each_child(*expr, [&](const Node* child) {
        if (droppable && child && is_expr(*child))
            droppable = can_drop(ExprRef(static_cast<const Expr*>(child)));
    });
    return droppable;
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------------

static bool is_float_constant(const ExprRef& expr, double value) { // a float constant, the sign of zero included
    const auto* constant = as<Constant>(expr);
    const auto* number = constant ? std::get_if<double>(&constant->value) : nullptr;
    return number && *number == value && std::signbit(*number) == std::signbit(value);
}

static ExprRef simplify_integers(BinOp op, const ExprRef& a, const ExprRef& b) {
    bool b_zero = is_constant(b, 0);
    bool b_one = is_constant(b, 1);
    switch (op) {
    case BinOp::Add:
    case BinOp::BitOr:
    case BinOp::BitXor: return b_zero ? a : is_constant(a, 0) ? b : nullptr;
    case BinOp::Sub: return b_zero ? a : nullptr;
    case BinOp::Mul:
        if (b_one || (is_constant(a, 0) && can_drop(b)))
            return a;
        return is_constant(a, 1) || (b_zero && can_drop(a)) ? b : nullptr;
    case BinOp::BitAnd: return is_constant(a, 0) && can_drop(b) ? a : b_zero && can_drop(a) ? b : nullptr;
    case BinOp::Div:
    case BinOp::FloorDiv: return b_one ? a : nullptr;
    case BinOp::Mod:
    case BinOp::FloorMod: return b_one && can_drop(a) ? int_constant(0, *scalar_of(a->type)) : nullptr;
    default: return nullptr;
    }
}

// Only what holds for every float, infinities, NaN and the zeros included.
static ExprRef simplify_floats(BinOp op, const ExprRef& a, const ExprRef& b) {
    switch (op) {
    case BinOp::Add: return is_float_constant(b, -0.0) ? a : is_float_constant(a, -0.0) ? b : nullptr;
    case BinOp::Sub: return is_float_constant(b, 0.0) ? a : nullptr;
    case BinOp::Mul: return is_float_constant(b, 1.0) ? a : is_float_constant(a, 1.0) ? b : nullptr;
    case BinOp::Div: return is_float_constant(b, 1.0) ? a : nullptr;
    default: return nullptr;
    }
}

static bool supports(BinOp op, DType dtype) {
    if (is_integer(dtype))
        return true;
    if (is_float(dtype))
        return op != BinOp::BitAnd && op != BinOp::BitOr && op != BinOp::BitXor;
    if (is_complex(dtype))
        return op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul || op == BinOp::Div;
    const bool divides = op == BinOp::Div && is_vector(dtype) && is_float(info(dtype).lane);
    return is_vector(dtype) && (op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul || divides);
}

static ExprRef scalar_arithmetic(BinOp op, const ExprRef& a, const ExprRef& b) {
    DType dtype = common_type(spelling(op), a, b);
    if (!supports(op, dtype))
        refuse(spelling(op), a, b);
    ExprRef x = cast_to(a, dtype);
    ExprRef y = cast_to(b, dtype);
    if (ExprRef folded = fold_binary(op, dtype, x, y))
        return folded;
    ExprRef simple;
    if (is_integer(dtype) && dtype != DType::Bool)
        simple = simplify_integers(op, x, y);
    else if (is_float(dtype))
        simple = simplify_floats(op, x, y);
    return simple ? simple : make_binary(op, x, y);
}

// A tensor or an array as the pointer to its first slot; a tensor pointer forgets its shape.
static ExprRef as_plain_pointer(const ExprRef& value) {
    if (const auto* pointer = as<PointerType>(value_type(value->type)); pointer)
        return value;
    return make_cast(value, pointer_type(element_of(value->type)));
}

static bool is_integer_value(const ExprRef& value) {
    auto dtype = scalar_of(value->type);
    return dtype && is_integer(*dtype) && *dtype != DType::Bool;
}

static ExprRef pointer_arithmetic(BinOp op, const ExprRef& a, const ExprRef& b) {
    bool a_address = is_address(a->type);
    bool b_address = is_address(b->type);
    if (op == BinOp::Add && b_address && !a_address) {
        if ((can_drop(a) && can_drop(b)) || a->kind == Kind::Constant)
            return pointer_arithmetic(op, b, a);
        VarRef offset = make_var("offset", a->type); // evaluated first, as it is written
        return make_let(offset, a, pointer_arithmetic(op, b, offset));
    }
    if (op != BinOp::Add && op != BinOp::Sub)
        refuse(spelling(op), a, b);
    if (a_address && b_address) {
        ExprRef x = as_plain_pointer(a);
        ExprRef y = as_plain_pointer(b);
        if (op == BinOp::Add || !same_type(value_type(x->type), value_type(y->type)))
            refuse(spelling(op), a, b);
        return make_binary(op, x, y);
    }
    if (!a_address || !is_integer_value(b))
        refuse(spelling(op), a, b);
    if (element_of(as_plain_pointer(a)->type)->kind == Kind::VoidType)
        throw TypeError(cat("'", spelling(op), "' on a '~void' has no element size; cast the pointer first"));
    ExprRef x = as_plain_pointer(a);
    return is_constant(b, 0) ? x : make_binary(op, x, b);
}

static ExprRef arithmetic(BinOp op, const ExprRef& a, const ExprRef& b) {
    if (is_address(a->type) || is_address(b->type))
        return pointer_arithmetic(op, a, b);
    return scalar_arithmetic(op, a, b);
}

ExprRef add(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::Add, a, b);
}
ExprRef sub(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::Sub, a, b);
}
ExprRef mul(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::Mul, a, b);
}
ExprRef div(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::Div, a, b);
}
ExprRef floor_div(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::FloorDiv, a, b);
}
ExprRef floor_mod(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::FloorMod, a, b);
}
ExprRef truncating_mod(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::Mod, a, b);
}
ExprRef bit_and(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::BitAnd, a, b);
}
ExprRef bit_or(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::BitOr, a, b);
}
ExprRef bit_xor(const ExprRef& a, const ExprRef& b) {
    return arithmetic(BinOp::BitXor, a, b);
}

static ExprRef shift(BinOp op, const ExprRef& a, const ExprRef& b) {
    auto left = scalar_of(a->type);
    auto right = scalar_of(b->type);
    if (!left || !right || !is_integer(*left) || !is_integer(*right))
        refuse(spelling(op), a, b);
    ExprRef x = *left == DType::Bool ? cast_to(a, DType::I32) : a;
    ExprRef y = *right == DType::Bool ? cast_to(b, DType::I32) : b;
    if (ExprRef folded = fold_binary(op, *scalar_of(x->type), x, y))
        return folded;
    return is_constant(y, 0) ? x : make_binary(op, x, y);
}

ExprRef shift_left(const ExprRef& a, const ExprRef& b) {
    return shift(BinOp::Shl, a, b);
}
ExprRef shift_right(const ExprRef& a, const ExprRef& b) {
    return shift(BinOp::Shr, a, b);
}

ExprRef negate(const ExprRef& a) {
    auto dtype = scalar_of(a->type);
    if (!dtype || is_subbyte(*dtype))
        refuse("-", a);
    ExprRef x = *dtype == DType::Bool ? cast_to(a, DType::I32) : a;
    if (ExprRef folded = fold_unary(UnOp::Neg, *scalar_of(x->type), x))
        return folded;
    return make_unary(UnOp::Neg, x);
}

ExprRef bit_not(const ExprRef& a) {
    auto dtype = scalar_of(a->type);
    if (!dtype || !is_integer(*dtype) || *dtype == DType::Bool)
        refuse("bitwise_not", a);
    if (ExprRef folded = fold_unary(UnOp::BitNot, *dtype, a))
        return folded;
    return make_unary(UnOp::BitNot, a);
}

// ---- comparison and logic ---------------------------------------------------------------------------------------------

static ExprRef compare_addresses(BinOp op, const ExprRef& a, const ExprRef& b) {
    bool a_address = is_address(a->type);
    bool b_address = is_address(b->type);
    ExprRef x = a_address ? as_plain_pointer(a) : a;
    ExprRef y = b_address ? as_plain_pointer(b) : b;
    if (a_address && b_address) {
        bool is_void = element_of(x->type)->kind == Kind::VoidType || element_of(y->type)->kind == Kind::VoidType;
        if (!is_void && !same_type(value_type(x->type), value_type(y->type)))
            refuse(spelling(op), a, b);
        return make_binary(op, x, cast_to(y, value_type(x->type)));
    }
    if (!is_constant(a_address ? b : a, 0)) // only the null pointer
        refuse(spelling(op), a, b);
    return a_address ? make_binary(op, x, cast_to(b, value_type(x->type)))
                     : make_binary(op, cast_to(a, value_type(y->type)), y);
}

static bool holds(BinOp op, std::strong_ordering order) {
    switch (op) {
    case BinOp::Lt: return order < 0;
    case BinOp::Le: return order <= 0;
    case BinOp::Eq: return order == 0;
    default: return order != 0;
    }
}

static ExprRef compare(BinOp op, const ExprRef& a, const ExprRef& b) {
    if (is_address(a->type) || is_address(b->type))
        return compare_addresses(op, a, b);
    DType dtype = common_type(spelling(op), a, b);
    bool is_equality = op == BinOp::Eq || op == BinOp::Ne;
    if (!is_integer(dtype) && !is_float(dtype) && !(is_complex(dtype) && is_equality))
        refuse(spelling(op), a, b);
    if (const auto order = order_of_constants(a, b)) // no type holds both a literal from 2**63 on and a negative one
        return bool_constant(holds(op, *order));
    ExprRef x = cast_to(a, dtype);
    ExprRef y = cast_to(b, dtype);
    if (ExprRef folded = fold_binary(op, dtype, x, y))
        return folded;
    return make_binary(op, x, y);
}

ExprRef less(const ExprRef& a, const ExprRef& b) {
    return compare(BinOp::Lt, a, b);
}
ExprRef less_equal(const ExprRef& a, const ExprRef& b) {
    return compare(BinOp::Le, a, b);
}
ExprRef equal(const ExprRef& a, const ExprRef& b) {
    return compare(BinOp::Eq, a, b);
}
ExprRef not_equal(const ExprRef& a, const ExprRef& b) {
    return compare(BinOp::Ne, a, b);
}

ExprRef as_condition(const ExprRef& value) {
    auto dtype = scalar_of(value->type);
    if (dtype == DType::Bool)
        return value;
    if (is_pointer(value->type))
        return not_equal(value, int_constant(0, DType::I32));
    if (!dtype || is_vector(*dtype) || is_subbyte(*dtype))
        throw TypeError(cat("a '", describe(value->type), "' is not a condition"));
    return cast_to(value, DType::Bool);
}

ExprRef logical_and(const ExprRef& a, const ExprRef& b) {
    ExprRef x = as_condition(a);
    ExprRef y = as_condition(b);
    if (auto known = constant_int(x))
        return *known ? y : x;
    if (is_constant(y, 1) || (is_constant(y, 0) && can_drop(x)))
        return is_constant(y, 1) ? x : y;
    return make_binary(BinOp::And, x, y);
}

ExprRef logical_or(const ExprRef& a, const ExprRef& b) {
    ExprRef x = as_condition(a);
    ExprRef y = as_condition(b);
    if (auto known = constant_int(x))
        return *known ? x : y;
    if (is_constant(y, 0) || (is_constant(y, 1) && can_drop(x)))
        return is_constant(y, 0) ? x : y;
    return make_binary(BinOp::Or, x, y);
}

ExprRef logical_not(const ExprRef& a) {
    ExprRef x = as_condition(a);
    if (auto known = constant_int(x))
        return bool_constant(!*known);
    if (const auto* unary = as<Unary>(x); unary && unary->op == UnOp::Not)
        return unary->a;
    return make_unary(UnOp::Not, x);
}

ExprRef binary(BinOp op, const ExprRef& a, const ExprRef& b) {
    switch (op) {
    case BinOp::And: return logical_and(a, b);
    case BinOp::Or: return logical_or(a, b);
    case BinOp::Shl:
    case BinOp::Shr: return shift(op, a, b);
    default: return is_comparison(op) ? compare(op, a, b) : arithmetic(op, a, b);
    }
}

ExprRef select(const ExprRef& condition, const ExprRef& a, const ExprRef& b) {
    ExprRef test = as_condition(condition);
    ExprRef x = a;
    ExprRef y = b;
    if (is_address(a->type) || is_address(b->type)) {
        x = is_address(a->type) ? as_plain_pointer(a) : a;
        y = is_address(b->type) ? as_plain_pointer(b) : b;
        if (!same_type(value_type(x->type), value_type(y->type)))
            refuse("if-else", a, b);
    } else if (!same_type(value_type(a->type), value_type(b->type))) {
        DType dtype = common_type("if-else", a, b);
        x = cast_to(a, dtype);
        y = cast_to(b, dtype);
    }
    if (auto known = constant_int(test))
        return *known ? x : y;
    return make_select(test, x, y);
}

// ---- conversion -----------------------------------------------------------------------------------------------------------

ExprRef cast_to(const ExprRef& value, DType dtype) {
    if (scalar_of(value->type) == dtype)
        return value;
    return cast_to(value, data_type(dtype));
}

static bool can_cast_scalars(DType from, DType to) {
    auto is_plain = [](DType dtype) { return is_integer(dtype) || is_float(dtype) || is_subbyte(dtype); };
    if (is_plain(from) && is_plain(to))
        return true;
    if (is_complex(to))
        return is_plain(from) || is_complex(from);
    return is_vector(from) && is_vector(to) && info(from).lanes == info(to).lanes;
}

static bool can_cast(const TypeRef& from, const TypeRef& to) {
    auto source = scalar_of(from);
    auto target = scalar_of(to);
    if (source && target)
        return can_cast_scalars(*source, *target);
    if (is_address(from) && is_pointer(to))
        return true;
    bool is_wide_integer = source && is_integer(*source) && info(*source).bits >= 32;
    if (is_wide_integer && is_pointer(to))
        return true;
    return is_pointer(from) && target && is_integer(*target) && info(*target).bits == 64;
}

ExprRef cast_to(const ExprRef& value, const TypeRef& type) {
    if (same_type(value_type(value->type), type))
        return value;
    if (!can_cast(value_type(value->type), type))
        throw TypeError(cat("cannot cast '", describe(value->type), "' to '", describe(type), "'"));
    if (auto dtype = scalar_of(type))
        if (ExprRef folded = fold_cast(value, *dtype))
            return folded;
    return make_cast(value, type);
}

// Attributes of a tensor map are those of a kernel's parameter; a pointer to one says nothing about them.
static bool same_element(const TypeRef& a, const TypeRef& b) {
    return same_type(a, b) || (is_tensor_map(a) && is_tensor_map(b));
}

static bool converts_implicitly(const TypeRef& from, const TypeRef& to) {
    auto source = scalar_of(from);
    auto target = scalar_of(to);
    if (source && target)
        return can_cast_scalars(*source, *target);
    if (!is_address(from) || !is_pointer(to))
        return false;
    TypeRef have = element_of(from);
    TypeRef want = element_of(to);
    // tf32 is what matrix products make of the f32 that is in memory.
    const auto is_f32 = [](const TypeRef& type) {
        const auto dtype = scalar_of(type);
        return dtype == DType::F32 || dtype == DType::TF32;
    };
    return have->kind == Kind::VoidType || want->kind == Kind::VoidType || same_element(have, want) ||
           (is_f32(have) && is_f32(want));
}

ExprRef convert(const ExprRef& value, const TypeRef& type) {
    TypeRef have = value_type(value->type);
    TypeRef want = value_type(type);
    if (same_element(have, want))
        return value;
    if (!converts_implicitly(have, want))
        throw TypeError(cat("cannot convert ", operand(value), " to '", describe(want), "'"));
    if (!is_pointer(want))
        return cast_to(value, want);
    // A shape that a pointer's type carries may mention variables of the place it is declared at (parameters of a callee), so
    // only the element decides.
    if (is_pointer(have) && same_element(element_of(have), element_of(want)))
        return value;
    return make_cast(value, pointer_type(element_of(want)));
}

bool is_compatible(const TypeRef& have, const TypeRef& want) {
    TypeRef a = value_type(have);
    TypeRef b = value_type(want);
    if (is_pointer(a) && is_pointer(b))
        return same_element(element_of(a), element_of(b));
    return same_element(a, b);
}

// ---- indices ------------------------------------------------------------------------------------------------------------

ExprRef widening_mul(const ExprRef& a, const ExprRef& b) {
    auto x = constant_int(a);
    auto y = constant_int(b);
    std::int64_t exact = 0;
    bool is_narrow = x && y && scalar_of(a->type) != DType::I64 && scalar_of(b->type) != DType::I64;
    if (is_narrow && !__builtin_mul_overflow(*x, *y, &exact) && wrap_to(exact, DType::I32) != exact)
        return int_constant(exact, DType::I64);
    return mul(a, b);
}

ExprRef product(const ExprVec& factors) {
    ExprRef result = int_constant(1);
    for (const ExprRef& factor : factors)
        result = widening_mul(result, factor);
    return result;
}

ExprVec unflatten(const ExprRef& linear, const ExprVec& shape) {
    ExprVec index(shape.size());
    ExprRef stride = int_constant(1);
    for (std::size_t i = shape.size(); i-- > 0;) {
        ExprRef quotient = div(linear, stride);
        index[i] = i == 0 ? quotient : truncating_mod(quotient, shape[i]);
        stride = widening_mul(stride, shape[i]);
    }
    return index;
}

ExprRef flatten(const ExprVec& index, const ExprVec& shape) {
    HIDET_CHECK(index.size() == shape.size());
    ExprRef result = int_constant(0);
    for (std::size_t i = 0; i < index.size(); ++i)
        result = add(mul(result, shape[i]), index[i]);
    return result;
}

} // namespace hidet::ir
