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

std::vector<std::string> MmaConfig::attributes() const {
    return {"m",      "n",          "k",          "a_elements",  "b_elements",  "c_elements",   "a_regs",   "b_regs",
            "c_regs", "a_load_map", "b_load_map", "c_store_map", "input_dtype", "output_dtype", "inst_name"};
}

std::unique_ptr<Value> MmaConfig::attribute(Evaluator&, std::string_view attribute, Span) {
    auto number = [](int value) { return std::make_unique<Value>(Value::integer(value)); };
    const auto& [text, m, n, k, input, output, needs] = shape;
    if (attribute == "m" || attribute == "n" || attribute == "k")
        return number(attribute == "m" ? m : attribute == "n" ? n : k);
    if (attribute == "a_elements")
        return number(m * k / 32);
    if (attribute == "b_elements")
        return number(k * n / 32);
    if (attribute == "c_elements")
        return number(m * n / 32);
    if (attribute == "a_regs")
        return number(shape.a_registers());
    if (attribute == "b_regs")
        return number(shape.b_registers());
    if (attribute == "c_regs")
        return number(shape.c_registers());
    if (attribute == "a_load_map")
        return std::make_unique<Value>(Value::mapping(a_load_map));
    if (attribute == "b_load_map")
        return std::make_unique<Value>(Value::mapping(b_load_map));
    if (attribute == "c_store_map")
        return std::make_unique<Value>(Value::mapping(c_store_map));
    if (attribute == "input_dtype" || attribute == "output_dtype")
        return std::make_unique<Value>(Value::str(ir::info(attribute == "input_dtype" ? input : output).short_name));
    if (attribute == "inst_name") {
        std::string in = ir::info(input).short_name, out = ir::info(output).short_name;
        std::string text = cat("mma.sync.aligned.m", m, "n", n, "k", k, ".row.col.", out, ".", in, ".", in, ".", out);
        return std::make_unique<Value>(
            Value::native("inst_name", [text](Evaluator&, Args&, Span) { return Value::str(text); }));
    }
    return nullptr;
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
