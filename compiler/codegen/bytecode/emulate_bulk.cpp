// SPDX-License-Identifier: Apache-2.0
// Copies of the copy unit, and the maps of tensors that it takes.
#include "compiler/artifact/tensor_map.h"
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

// The operands as they stand, with their types. `type`: of values that are combined.
Value Generator::gen_bulk(Op op, const ir::Intrinsic& e, Scalar type) {
    std::vector<std::int32_t> items;
    std::vector<Scalar> types;
    for (const ir::ExprRef& arg : e.args) {
        items.push_back(operand(gen(arg)));
        types.push_back(scalar_of_type(arg->type));
    }
    const std::string attributes = ir::to_text(e.attr);
    const std::int32_t text = attributes.empty() ? -1 : string(attributes);
    m_builder.emit({.op = op, .type = type, .x = operands_row(items, types, 0, text)});
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::CreateTensorMap>(const ir::Intrinsic& e) {
    return gen_bulk(Op::TensorMap, e);
}

template <>
Value Generator::emulate<IntrinsicId::CreateIm2colMap>(const ir::Intrinsic& e) {
    return gen_bulk(Op::PixelMap, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyIm2colG2S>(const ir::Intrinsic& e) {
    return gen_bulk(Op::PixelLoad, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyTensorG2S>(const ir::Intrinsic& e) {
    return gen_bulk(Op::TensorLoad, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyTensorS2G>(const ir::Intrinsic& e) {
    return gen_bulk(Op::TensorStore, e);
}

// What blocks combine with global memory, they combine one after the other.
template <>
Value Generator::emulate<IntrinsicId::CopyTensorReduce>(const ir::Intrinsic& e) {
    m_out.needs_order = true;
    return gen_bulk(Op::TensorReduce, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyBulkReduce>(const ir::Intrinsic& e) {
    m_out.needs_order = true;
    return gen_bulk(Op::BulkReduce, e,
                    artifact::tensor_map_scalar(static_cast<int>(ir::attribute<ir::TensorMapType>(e.attr))));
}

template <>
Value Generator::emulate<IntrinsicId::PrefetchTensorMap>(const ir::Intrinsic&) {
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::FenceTensorMap>(const ir::Intrinsic&) {
    m_builder.emit({.op = Op::Fence});
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::CopyBulkG2S>(const ir::Intrinsic& e) {
    return gen_bulk(Op::BulkLoad, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyBulkS2S>(const ir::Intrinsic& e) {
    return gen_bulk(Op::BulkMove, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyBulkS2G>(const ir::Intrinsic& e) {
    return gen_bulk(Op::BulkStore, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyBulkPrefetch>(const ir::Intrinsic& e) {
    return gen_bulk(Op::BulkPrefetch, e);
}

template <>
Value Generator::emulate<IntrinsicId::CopyBulkCommit>(const ir::Intrinsic&) {
    m_builder.emit({.op = Op::BulkCommit});
    return {};
}

// Memory is read when it is written: the two ways to wait are one here.
template <>
Value Generator::emulate<IntrinsicId::CopyBulkWait>(const ir::Intrinsic& e) {
    m_builder.emit({.op = Op::BulkWait, .x = static_cast<std::int32_t>(ir::constant_int(e.args.at(0)).value_or(0))});
    return {};
}

} // namespace hidet::compiler::bytecode
