// SPDX-License-Identifier: Apache-2.0
// Expressions. Every expression has a type; operands are already converted: both sides of a Binary have the same dtype
// (shifts and pointer arithmetic excepted), so no pass inserts casts later. The operators of the script language, which
// promote and fold, are in ops.h; here are only the nodes.
//
// Semantics. Integers are two's complement and wrap. Div on integers truncates (C); FloorDiv and FloorMod round down
// (Python); Mod has the sign of the dividend (C, also on floats: fmod). And, Or and Select evaluate only what they need.
#pragma once

#include <variant>

#include "compiler/ir/intrinsics/intrinsic_attr.h"
#include "compiler/ir/type.h"

namespace hidet::ir {

// A variable. Identity is the object: two Vars with the same name are two variables.
struct Var : NodeOf<Kind::Var, Expr> {
    std::string name; // a hint; printers make names unique
    static void visit_fields(auto& s, auto&& v) { v(s.name, s.type); }
};

struct SymbolVar : NodeOf<Kind::SymbolVar, Expr> { // a dynamic dimension, equal by name in the whole program
    std::string name;
    static void visit_fields(auto& s, auto&& v) { v(s.name, s.type); }
};

enum class Builtin : std::uint8_t {
    ThreadIdxX,
    ThreadIdxY,
    ThreadIdxZ,
    BlockIdxX,
    BlockIdxY,
    BlockIdxZ,
    BlockDimX,
    BlockDimY,
    BlockDimZ,
    GridDimX,
    GridDimY,
    GridDimZ,
    ClusterThreadRank,
    ClusterBlockRank,
    ClusterDimThreads,
    ClusterDimBlocks,
};
const char* builtin_name(Builtin which); // "threadIdx.x"

struct BuiltinVar : NodeOf<Kind::BuiltinVar, Expr> { // always i32
    Builtin which{};
    static void visit_fields(auto& s, auto&& v) { v(s.which); }
};

// int64: bool, integers, pointers (u64 as its bits); double: floats, rounded to the type; string: StringType.
using ConstantValue = std::variant<std::int64_t, double, std::string>;
struct Constant : NodeOf<Kind::Constant, Expr> {
    ConstantValue value;
    static void visit_fields(auto& s, auto&& v) { v(s.value, s.type); }
};

enum class UnOp : std::uint8_t { Neg, Not, BitNot };
struct Unary : NodeOf<Kind::Unary, Expr> {
    UnOp op{};
    ExprRef a;
    static void visit_fields(auto& s, auto&& v) { v(s.op, s.a); }
};

enum class BinOp : std::uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    FloorDiv,
    FloorMod,
    Lt,
    Le,
    Eq,
    Ne,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
};
const char* spelling(BinOp op); // "+", "<=", "and", "//": FloorDiv, "/": Div, "%": FloorMod, "rem": Mod
bool is_comparison(BinOp op);
bool is_division(BinOp op); // the four that give a quotient or a remainder
bool is_commutative(BinOp op);
struct Binary : NodeOf<Kind::Binary, Expr> {
    BinOp op{};
    ExprRef a;
    ExprRef b;
    static void visit_fields(auto& s, auto&& v) { v(s.op, s.a, s.b); }
};

// base[indices]: base is a tensor, tensor pointer, pointer, array or slice; as many indices as it has dims.
struct TensorElement : NodeOf<Kind::TensorElement, Expr> {
    ExprRef base;
    ExprVec indices;
    bool is_protected = false; // out of bounds reads give 0
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.indices, s.is_protected); }
};

// base[i, a:b, ...]: per base dim either an index, or null with start and stop (each may be null).
struct TensorSlice : NodeOf<Kind::TensorSlice, Expr> {
    ExprRef base;
    ExprVec indices;
    ExprVec starts;
    ExprVec stops;
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.indices, s.starts, s.stops); }
};

struct Call : NodeOf<Kind::Call, Expr> { // of a function of the module, or of an extern one
    std::string callee;
    ExprVec args;
    static void visit_fields(auto& s, auto&& v) { v(s.callee, s.args, s.type); }
};

struct Intrinsic : NodeOf<Kind::Intrinsic, Expr> { // a row of intrinsics.def (intrinsic.h)
    IntrinsicId id{};
    IntrinsicAttr attr;
    ExprVec args;
    static void visit_fields(auto& s, auto&& v) { v(s.id, s.attr, s.args, s.type); }
};

struct Let : NodeOf<Kind::Let, Expr> {
    VarRef var;
    ExprRef value;
    ExprRef body;
    static void visit_fields(auto& s, auto&& v) { v(s.var, s.value, s.body); }
};

// Value conversion; between pointers a reinterpretation; a tensor or array becomes the address of its first slot.
struct Cast : NodeOf<Kind::Cast, Expr> {
    ExprRef a;
    static void visit_fields(auto& s, auto&& v) { v(s.a, s.type); }
};

struct Select : NodeOf<Kind::Select, Expr> { // condition ? a : b
    ExprRef condition;
    ExprRef a;
    ExprRef b;
    static void visit_fields(auto& s, auto&& v) { v(s.condition, s.a, s.b); }
};

struct Deref : NodeOf<Kind::Deref, Expr> {
    ExprRef pointer;
    static void visit_fields(auto& s, auto&& v) { v(s.pointer); }
};

struct Address : NodeOf<Kind::Address, Expr> { // of a TensorElement, a Var, or a Deref
    ExprRef place;
    static void visit_fields(auto& s, auto&& v) { v(s.place); }
};

// ---- makers: no promotion, no folding; types are computed ---------------------------------------------------------
VarRef make_var(std::string name, TypeRef type);
ExprRef make_symbol(std::string name, TypeRef type);
ExprRef make_builtin(Builtin which);
ExprRef make_constant(ConstantValue value, TypeRef type);
ExprRef int_constant(std::int64_t value, DType dtype = DType::I32);
ExprRef float_constant(double value, DType dtype = DType::F32); // rounds to the type
ExprRef bool_constant(bool value);
ExprRef string_constant(std::string value);
ExprRef make_unary(UnOp op, ExprRef a);
ExprRef make_binary(BinOp op, ExprRef a, ExprRef b);
ExprRef make_element(ExprRef base, ExprVec indices, bool is_protected = false);
ExprRef make_slice(ExprRef base, ExprVec indices, ExprVec starts, ExprVec stops);
ExprRef make_call(std::string callee, ExprVec args, TypeRef type);
ExprRef make_intrinsic(IntrinsicId id, ExprVec args, TypeRef type); // with the defaults of its attributes
ExprRef make_intrinsic(const IntrinsicAttr& attr, ExprVec args, TypeRef type);
ExprRef make_let(VarRef var, ExprRef value, ExprRef body);
ExprRef make_cast(ExprRef a, TypeRef type);
ExprRef make_select(ExprRef condition, ExprRef a, ExprRef b);
ExprRef make_deref(ExprRef pointer);
ExprRef make_address(ExprRef place);

// ---- queries ------------------------------------------------------------------------------------------------------
inline std::optional<std::int64_t> constant_int(const ExprRef& expr) { // bool and integer constants
    const auto* constant = as<Constant>(expr);
    if (!constant || constant->type->kind != Kind::DataType)
        return std::nullopt;
    if (const auto* value = std::get_if<std::int64_t>(&constant->value))
        return *value;
    return std::nullopt;
}
std::optional<double> constant_number(const ExprRef& expr);
inline bool is_constant(const ExprRef& expr, std::int64_t value) {
    return constant_int(expr) == value;
}

} // namespace hidet::ir
