// SPDX-License-Identifier: Apache-2.0
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using ir::BinOp;

bool RuleContext::fits(Wide value) const {
    auto dtype = ir::scalar_of(ir::as<ir::Binary>(whole)->a->type);
    return dtype && type_range(*dtype).contains({value, value});
}

std::span<const Rule> rules_of(BinOp op) {
    switch (op) {
    case BinOp::Add: return add_rules();
    case BinOp::Sub: return sub_rules();
    case BinOp::Mul: return mul_rules();
    case BinOp::Div: return div_rules();
    case BinOp::Mod: return mod_rules();
    case BinOp::FloorDiv: return floordiv_rules();
    case BinOp::FloorMod: return floormod_rules();
    case BinOp::Lt: return less_rules();
    case BinOp::Le: return less_equal_rules();
    case BinOp::Eq: return equal_rules();
    case BinOp::Ne: return not_equal_rules();
    case BinOp::BitAnd: return bit_and_rules();
    case BinOp::BitOr: return bit_or_rules();
    case BinOp::BitXor: return bit_xor_rules();
    case BinOp::Shl: return shift_left_rules();
    case BinOp::Shr: return shift_right_rules();
    case BinOp::And:
    case BinOp::Or: return {}; // lazy operators: see ExprSimplifier
    }
    return {};
}

} // namespace hidet::compiler
