// SPDX-License-Identifier: Apache-2.0
// The operators of the script language on IR values: they check operand types, promote (language.md 2.4), insert casts
// and fold constants. Used by the translator, by layouts and mappings, and by passes.
//
// A user's type mistake is TypeError, which the translator turns into a diagnostic at the operator's operand.
#pragma once

#include <stdexcept>
#include <string>

#include "compiler/ir/expr.h"

namespace hidet::ir {

class TypeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error; // lower-case, no final period, types in quotes
};

// Arithmetic promotes; + and - accept pointers (pointer +/- integer, pointer - pointer -> i32). Integer `/` truncates;
// `//` and `%` round down as in Python; float `%` too. Shifts and bit operations want integers. Comparisons give bool,
// `>` and `>=` are swapped. Both constants: folded, integers wrap; identities (x+0, x*1, x*0, ...) are simplified.
ExprRef add(const ExprRef& a, const ExprRef& b);
ExprRef sub(const ExprRef& a, const ExprRef& b);
ExprRef mul(const ExprRef& a, const ExprRef& b);
ExprRef div(const ExprRef& a, const ExprRef& b);            // `/`
ExprRef floor_div(const ExprRef& a, const ExprRef& b);      // `//`
ExprRef floor_mod(const ExprRef& a, const ExprRef& b);      // `%`
ExprRef truncating_mod(const ExprRef& a, const ExprRef& b); // C's remainder: for operands known to be non-negative
ExprRef less(const ExprRef& a, const ExprRef& b);
ExprRef less_equal(const ExprRef& a, const ExprRef& b);
ExprRef equal(const ExprRef& a, const ExprRef& b);
ExprRef not_equal(const ExprRef& a, const ExprRef& b);
ExprRef logical_and(const ExprRef& a, const ExprRef& b); // operands: bool, or a number/pointer compared with 0
ExprRef logical_or(const ExprRef& a, const ExprRef& b);
ExprRef logical_not(const ExprRef& a);
ExprRef bit_and(const ExprRef& a, const ExprRef& b);
ExprRef bit_or(const ExprRef& a, const ExprRef& b);
ExprRef bit_xor(const ExprRef& a, const ExprRef& b);
ExprRef shift_left(const ExprRef& a, const ExprRef& b);
ExprRef shift_right(const ExprRef& a, const ExprRef& b);
ExprRef negate(const ExprRef& a);
ExprRef bit_not(const ExprRef& a);
ExprRef binary(BinOp op, const ExprRef& a, const ExprRef& b);                 // any of the above by its node's operator
ExprRef select(const ExprRef& condition, const ExprRef& a, const ExprRef& b); // arms are promoted to a common type
ExprRef cast_to(const ExprRef& value, const TypeRef& type); // folds constants; nothing when the type is equal
ExprRef cast_to(const ExprRef& value, DType dtype);
ExprRef as_condition(const ExprRef& value); // bool as it is, number or pointer != 0
// Conversion on assignment, initialisation, argument passing and return: like cast_to, but TypeError when the types have
// no implicit conversion (pointer from number, number from pointer, tensor from scalar, ...).
ExprRef convert(const ExprRef& value, const TypeRef& type);

// Math with promotion of the arguments: min, max, pow, exp, ...; TypeError when the dtype has no such function.
ExprRef math(IntrinsicId id, const ExprVec& args);

// i32 (or wider) product and linear index helpers; constants fold.
ExprRef widening_mul(const ExprRef& a, const ExprRef& b); // of extents: constants that an i32 does not hold become i64
ExprRef product(const ExprVec& factors);
ExprVec unflatten(const ExprRef& linear, const ExprVec& shape); // row-major; the first index is not reduced
ExprRef flatten(const ExprVec& index, const ExprVec& shape);    // row-major

// No effect but its value: no call, no write, no synchronisation. Reads of memory may be dropped too.
bool can_drop(const ExprRef& expr);

// The type as a user writes it, for messages: "float32", "~float16", "float32[16, m]".
std::string describe(const TypeRef& type);

// What may be stored, passed or returned as what without a Cast: the same type; of pointers, the same element.
bool is_compatible(const TypeRef& have, const TypeRef& want);
bool same_type(const TypeRef& a, const TypeRef& b); // structural, symbolic dims by structure

} // namespace hidet::ir
