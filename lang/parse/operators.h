// SPDX-License-Identifier: Apache-2.0
// The one table of operators: how tightly each binds and what it makes.
#pragma once

#include "lang/ast/ast.h"
#include "lang/parse/token.h"

namespace hidet::lang {

enum Precedence : int {
    BindsOr = 1,
    BindsAnd,
    BindsNot,
    BindsCompare,
    BindsBitOr,
    BindsBitXor,
    BindsBitAnd,
    BindsShift,
    BindsSum,
    BindsProduct,
    BindsUnary,
    BindsPower,
    BindsAwait,
};

Precedence infix_precedence(Tok op);
Precedence prefix_precedence(Tok op);
ast::BinaryOp binary_op(Tok op); // of `+` and of `+=`
ast::CompareOp compare_op(Tok op);

} // namespace hidet::lang
