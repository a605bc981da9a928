// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/node.h"

#include <algorithm>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/type.h"

namespace hidet::ir {

const char* kind_name(Kind kind) {
    switch (kind) {
// clang-format off
#define HIDET_NODE(name) \
    case Kind::name: return #name;
// clang-format on
#include "compiler/ir/nodes.def"
    }
    return "?";
}

void set_origin(const NodeRef& node, Origin origin) {
    if (!node || !origin.known() || node->origin.known())
        return;
    node->origin = origin;
    for_each_child(*node, [&](const Node* child) {
        // Types and layouts are shared between programs; a Var keeps the origin of its definition.
        if (child && runs(*child) && !child->origin.known())
            set_origin(NodeRef(child), origin);
    });
}

static TypeRef bool_type() {
    return data_type(DType::Bool);
}

static TypeRef infer_slice(const TensorSlice& slice) {
    const TensorType* tensor = tensor_of(slice.base->type);
    if (!tensor)
        return pointer_type(element_of(slice.base->type));
    HIDET_CHECK(slice.indices.size() == tensor->shape.size(), "a slice has one item for each dim");
    ExprVec shape;
    for (std::size_t i = 0; i < slice.indices.size(); ++i) {
        if (slice.indices[i])
            continue;
        bool whole = !slice.starts[i] && !slice.stops[i];
        if (whole) {
            shape.push_back(tensor->shape[i]);
            continue;
        }
        ExprRef stop = slice.stops[i] ? slice.stops[i] : tensor->shape[i];
        if (!slice.starts[i]) {
            shape.push_back(stop);
            continue;
        }
        auto a = constant_int(slice.starts[i]);
        auto b = constant_int(stop);
        shape.push_back(a && b ? int_constant(*b - *a) : make_binary(BinOp::Sub, stop, slice.starts[i]));
    }
    return tensor_pointer_type(tensor_type(tensor->element, std::move(shape)));
}

static TypeRef infer_binary(const Binary& e) {
    if (is_comparison(e.op) || e.op == BinOp::And || e.op == BinOp::Or)
        return bool_type();
    if (e.op == BinOp::Sub && is_pointer(e.a->type) && is_pointer(e.b->type))
        return data_type(DType::I32);
    if (e.op == BinOp::Add && is_pointer(e.b->type))
        return value_type(e.b->type);
    return value_type(e.a->type);
}

static TypeRef infer_intrinsic(const Intrinsic& e) {
    const IntrinsicResult& result = info(e.id).result;
    switch (result.kind) {
    case IntrinsicResult::Kind::Void: return void_type();
    case IntrinsicResult::Kind::Operand: return value_type(e.args.at(result.operand)->type);
    case IntrinsicResult::Kind::Fixed: return data_type(result.dtype);
    case IntrinsicResult::Kind::Pointee: return e.type ? e.type : element_of(e.args.at(0)->type);
    case IntrinsicResult::Kind::Given: return e.type;
    }
    return e.type;
}

static TypeRef infer(const Expr& expr) {
    switch (kind_of(expr)) {
    case ExprKind::BuiltinVar: return data_type(DType::I32);
    case ExprKind::Unary: {
        const auto& e = static_cast<const Unary&>(expr);
        return e.op == UnOp::Not ? bool_type() : value_type(e.a->type);
    }
    case ExprKind::Binary: return infer_binary(static_cast<const Binary&>(expr));
    case ExprKind::TensorElement: return element_of(static_cast<const TensorElement&>(expr).base->type);
    case ExprKind::TensorSlice: return infer_slice(static_cast<const TensorSlice&>(expr));
    case ExprKind::Intrinsic: return infer_intrinsic(static_cast<const Intrinsic&>(expr));
    case ExprKind::Let: return value_type(static_cast<const Let&>(expr).body->type);
    case ExprKind::Select: return value_type(static_cast<const Select&>(expr).a->type);
    case ExprKind::Deref: return element_of(static_cast<const Deref&>(expr).pointer->type);
    case ExprKind::Address: return pointer_type(value_type(static_cast<const Address&>(expr).place->type));
    case ExprKind::Var:
    case ExprKind::SymbolVar:
    case ExprKind::Constant:
    case ExprKind::Call:
    case ExprKind::Cast: return expr.type; // given by the maker
    }
    no_such_kind(expr);
}

void infer_type(Expr& expr) {
    expr.type = infer(expr);
    HIDET_CHECK(expr.type != nullptr, std::string("no type for ") + kind_name(expr.kind));
}

void set_extent(Node& node, std::uint32_t child_depth, std::uint64_t child_size) {
    HIDET_CHECK(child_depth + 1 <= max_depth, "the program is nested too deeply");
    node.depth = static_cast<std::uint16_t>(child_depth + 1);
    node.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(child_size + 1, 0xFFFFFFFFu));
}

} // namespace hidet::ir
