// SPDX-License-Identifier: Apache-2.0
// Loads and stores of several registers at once.

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/wide_access.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

void IntrinsicGenerator::gen_guarded(const Value& condition, const std::function<void()>& body) {
    if (condition.is_constant()) {
        if (condition.integer())
            body();
        return;
    }
    const std::int32_t test = operand(condition);
    if (is_v(test))
        return gen_if_v(test, false, body, nullptr);
    const int end = m_builder.new_label();
    m_builder.emit({.op = Op::JumpIf, .type = Scalar::Bool, .flags = artifact::flag_negate, .a = test, .x = end});
    m_builder.start_scope();
    body();
    m_builder.stop_scope();
    m_builder.place(end);
}

void IntrinsicGenerator::check_space(const Place& place, bool is_shared, std::string_view what) {
    if (is_shared && place.space == Space::Shared)
        return;
    const Value pointer{.kind = Value::Kind::Pointer, .type = Scalar::U64, .place = std::make_shared<Place>(place)};
    m_builder.emit({.op = Op::PointsInto,
                    .type = Scalar::U64,
                    .a = operand(pointer),
                    .c = is_shared ? 0 : 1,
                    .x = string(std::string(what))});
}

// What is loaded is kept until all is, as an index of the address may be one of the registers. The first part of what one
// instruction does says how it is to be aligned.
Value IntrinsicGenerator::gen_wide(const ir::Intrinsic& e) {
    const ir::WideAccess wide = *ir::wide_access(e.id);
    const auto count = static_cast<std::size_t>(wide.registers());
    const int bytes = wide.bytes_of_register();
    const Scalar scalar = bytes == 1 ? Scalar::U8 : bytes == 2 ? Scalar::U16 : Scalar::U32;
    std::vector<Place> registers;
    for (std::size_t i = 0; i < count; ++i)
        registers.push_back(*place_of_pointer(e.args[i]));
    const Place memory = *place_of_pointer(e.args.at(count));
    const Value guard = wide.is_shared ? constant(1, Scalar::Bool) : gen(e.args.at(count + 1));
    if (e.id == IntrinsicId::Ldg16 || e.id == IntrinsicId::Ldg16LastUse)
        store_scalar(registers[0], scalar, 0, bytes, constant(0, scalar));
    gen_guarded(guard, [&] {
        check_space(memory, wide.is_shared, ir::info(e.id).short_name());
        std::vector<Value> parts;
        for (std::size_t i = 0; i < count; ++i) {
            const int at = bytes * static_cast<int>(i);
            const int align = at % wide.bytes_at_once() ? 1 : wide.bytes_at_once();
            parts.push_back(wide.is_load ? load_scalar(memory, scalar, at, align)
                                         : load_scalar(registers[i], scalar, 0, bytes));
            if (!wide.is_load)
                store_scalar(memory, scalar, at, align, parts.back());
        }
        for (std::size_t i = 0; wide.is_load && i < count; ++i)
            store_scalar(registers[i], scalar, 0, bytes, parts[i]);
    });
    return {};
}

#define HIDET_INTRINSIC(id, ...)                                                                                       \
    Value IntrinsicGenerator::emulate(Of<IntrinsicId::id>, const ir::Intrinsic& e) {                                   \
        return gen_wide(e);                                                                                            \
    }
#include "compiler/ir/intrinsics/wide_access.def"
#undef HIDET_INTRINSIC

} // namespace hidet::compiler::bytecode
