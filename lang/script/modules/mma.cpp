// SPDX-License-Identifier: Apache-2.0
#include "lang/script/modules/mma.h"

#include "lang/script/modules/exports.h"

namespace hidet::lang {

namespace {

// A lane holds as many neighbours along k as fill a register of 32 bits.
int neighbours(ir::DType dtype) {
    return dtype == ir::DType::TF32 ? 1 : 32 / ir::info(dtype).bits;
}

ir::MappingRef repeats(int rows, int columns, bool by_column) {
    ir::ExprVec shape{ir::int_constant(rows), ir::int_constant(columns)};
    ir::LoopAttr unrolled;
    unrolled.what = ir::LoopAttr::What::UnrollExplicit;
    return ir::repeat(shape, by_column ? ir::column_ranks(2) : std::vector<std::int64_t>{}, {unrolled, unrolled});
}

ir::MappingRef lanes(int rows, int columns, bool by_column) {
    return ir::spatial({ir::int_constant(rows), ir::int_constant(columns)},
                       by_column ? ir::column_ranks(2) : std::vector<std::int64_t>{});
}

// Composes what is there: repeats of 1 x 1 are left out.
ir::MappingRef layers(ir::MappingRef outer, int outer_count, ir::MappingRef middle, ir::MappingRef inner,
                      int inner_count) {
    ir::MappingRef out = std::move(middle);
    if (outer_count > 1)
        out = ir::compose(std::move(outer), out);
    return inner_count > 1 ? ir::compose(out, std::move(inner)) : out;
}

} // namespace

MmaConfig::MmaConfig(ir::Mma which) : mma(which), shape(ir::info(which)) {
    int inner = neighbours(shape.in);
    int k_steps = shape.k / (4 * inner), m_steps = shape.m / 8;
    a_load_map = layers(repeats(m_steps, k_steps, k_steps > 1), m_steps * k_steps, lanes(8, 4, false),
                        repeats(1, inner, false), inner);
    b_load_map = layers(repeats(k_steps, 1, true), k_steps, lanes(4, 8, true), repeats(inner, 1, true), inner);
    c_store_map = layers(repeats(m_steps, 1, false), m_steps, lanes(8, 4, false), repeats(1, 2, false), 2);
}

std::span<const Member<MmaConfig>> MmaConfig::members() {
    using C = const MmaConfig&;
    static constexpr Member<MmaConfig> rows[] = {
        {"m", [](C c) { return Value::integer(c.shape.m); }},
        {"n", [](C c) { return Value::integer(c.shape.n); }},
        {"k", [](C c) { return Value::integer(c.shape.k); }},
        {"a_elements", [](C c) { return Value::integer(c.shape.m * c.shape.k / 32); }},
        {"b_elements", [](C c) { return Value::integer(c.shape.k * c.shape.n / 32); }},
        {"c_elements", [](C c) { return Value::integer(c.shape.m * c.shape.n / 32); }},
        {"a_regs", [](C c) { return Value::integer(c.shape.a_registers()); }},
        {"b_regs", [](C c) { return Value::integer(c.shape.b_registers()); }},
        {"c_regs", [](C c) { return Value::integer(c.shape.c_registers()); }},
        {"a_load_map", [](C c) { return Value::mapping(c.a_load_map); }},
        {"b_load_map", [](C c) { return Value::mapping(c.b_load_map); }},
        {"c_store_map", [](C c) { return Value::mapping(c.c_store_map); }},
        {"input_dtype", [](C c) { return Value::str(ir::info(c.shape.in).short_name); }},
        {"output_dtype", [](C c) { return Value::str(ir::info(c.shape.out).short_name); }},
        {"inst_name",
         [](MmaConfig& c, Evaluator&, Args&, Span) {
             const std::string in = ir::info(c.shape.in).short_name, out = ir::info(c.shape.out).short_name;
             return Value::str(cat("mma.sync.aligned.m", c.shape.m, "n", c.shape.n, "k", c.shape.k, ".row.col.", out,
                                   ".", in, ".", in, ".", out));
         }},
    };
    return rows;
}

Value make_mma_configs() {
    std::vector<std::pair<std::string, Value>> members;
    std::vector<Value> all;
    for (const ir::MmaShape& shape : ir::mma_shapes) {
        Value value = new_extension<MmaConfig>(static_cast<ir::Mma>(&shape - ir::mma_shapes));
        all.push_back(value);
        members.emplace_back(shape.name, Value::native(shape.name, [value](Evaluator&, Args&, Span) { return value; }));
    }
    members.emplace_back("all", Value::native("all", [all](Evaluator&, Args&, Span) { return Value::list(all); }));
    return new_extension<Namespace>("MmaConfig", std::move(members));
}

} // namespace hidet::lang
