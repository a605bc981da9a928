// SPDX-License-Identifier: Apache-2.0
// Copies of the copy unit, and the maps of tensors that it takes.
#include "compiler/artifact/tensor_map.h"
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

// The operands as they stand, with their types. `type`: of values that are combined.
Value IntrinsicGenerator::gen_bulk(Op op, const ir::Intrinsic& e, Scalar type) {
    std::vector<std::int32_t> items;
    std::vector<Scalar> types;
    for (const ir::ExprRef& arg : e.args) {
        items.push_back(operand(gen(arg)));
        types.push_back(scalar_of_type(arg->type));
    }
    const std::string attributes = ir::to_text(e.attr);
    const std::int32_t text = attributes.empty() ? -1 : string(attributes);
    return gen_instruction({.op = op, .type = type, .x = operands_row(items, types, 0, text)});
}

// What blocks combine with global memory, they combine one after the other.
Value IntrinsicGenerator::emulate(Of<IntrinsicId::CopyTensorReduce>, const ir::Intrinsic& e) {
    m_out.needs_order = true;
    return gen_bulk(Op::TensorReduce, e);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::CopyBulkReduce>, const ir::Intrinsic& e) {
    m_out.needs_order = true;
    return gen_bulk(Op::BulkReduce, e,
                    artifact::tensor_map_scalar(static_cast<int>(ir::attribute<ir::TensorMapType>(e.attr))));
}

} // namespace hidet::compiler::bytecode
