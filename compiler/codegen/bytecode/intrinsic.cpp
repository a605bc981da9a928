// SPDX-License-Identifier: Apache-2.0
// Which emulation an intrinsic has: a row of emulations.def, or a function that stands with those of its category in
// emulate_*.cpp. An intrinsic without one does not link.
#include "compiler/codegen/bytecode/generator.h"
#include "lang/base/text.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

std::int32_t ValueGenerator::operands_row(std::vector<std::int32_t> items, std::vector<Scalar> types, int definitions,
                                          std::int32_t text) {
    m_out.operands.push_back(
        {.items = std::move(items), .types = std::move(types), .definitions = definitions, .text = text});
    return static_cast<std::int32_t>(m_out.operands.size()) - 1;
}

Value ValueGenerator::gen_instruction(Instr instr) {
    m_builder.emit(instr);
    return {};
}

Value ValueGenerator::made(Instr instr, Scalar result) {
    m_builder.emit(instr);
    return in_register(instr.dst, result);
}

#define HIDET_EMULATE(id, ...)                                                                                         \
    Value IntrinsicGenerator::emulate(Of<IntrinsicId::id>, [[maybe_unused]] const ir::Intrinsic& e) {                  \
        return __VA_ARGS__;                                                                                            \
    }
#include "compiler/codegen/bytecode/emulations.def"

Value IntrinsicGenerator::gen_intrinsic(const ir::Intrinsic& e) {
    const ir::IntrinsicInfo& row = ir::info(e.id);
    if (ir::place_of(row.category) == ir::IntrinsicPlace::Kernel && !m_is_kernel)
        unsupported(e, cat("'", row.name, "' in a host function"));
    switch (e.id) {
// clang-format off
#define HIDET_INTRINSIC(id, ...) \
    case IntrinsicId::id: return emulate(Of<IntrinsicId::id>(), e);
// clang-format on
#include "compiler/ir/intrinsics.def"
    }
    return {};
}

} // namespace hidet::compiler::bytecode
