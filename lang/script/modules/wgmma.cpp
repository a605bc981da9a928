// SPDX-License-Identifier: Apache-2.0
#include "lang/script/modules/wgmma.h"

#include <algorithm>

#include "lang/base/check.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/modules/mma.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

// A warp has 16 rows, and 8 columns of them as the matrix instruction of a warp has them.
MmaConfig warp_part(const WgmmaConfig& config) {
    const ir::WgmmaOperands& row = ir::info(config.types);
    const auto* shape = std::ranges::find_if(ir::mma_shapes, [&](const ir::MmaShape& s) {
        return s.m == 16 && s.n == 8 && s.k == config.k() && s.in == row.in && s.out == row.out;
    });
    HIDET_CHECK(shape != std::end(ir::mma_shapes), config.repr());
    return MmaConfig(static_cast<ir::Mma>(shape - ir::mma_shapes));
}

ir::MappingRef of_four_warps(ir::MappingRef warp) {
    return ir::compose(ir::spatial({ir::int_constant(4), ir::int_constant(1)}, {}), std::move(warp));
}

// n of integers goes in steps of 16 above 32.
bool has_columns(std::int64_t n, ir::DType in) {
    const bool is_integer = ir::is_integer(in);
    return n >= 8 && n <= 256 && n % 8 == 0 && (!is_integer || n <= 24 || n % 16 == 0);
}

Value get(Evaluator&, const Arguments& a, Span) {
    const std::int64_t m = to_int(a[0], a.span(0), "'m'"), n = to_int(a[1], a.span(1), "'n'"),
                       k = to_int(a[2], a.span(2), "'k'");
    const ir::DType in = to_dtype(a[3], a.span(3)), other = to_dtype(a[4], a.span(4)), out = to_dtype(a[5], a.span(5));
    if (m != ir::wgmma_rows)
        fail(DiagId::ScriptUnknownChoice, a.span(0), "m", m, ir::wgmma_rows);
    if (in != other)
        fail(DiagId::ScriptUnknownChoice, a.span(4), "b_dtype", ir::info(other).short_name, ir::info(in).short_name);
    for (const ir::WgmmaOperands& row : ir::wgmma_operands) {
        if (row.in != in || row.out != out)
            continue;
        if (!has_columns(n, in))
            fail(DiagId::ScriptUnknownChoice, a.span(1), "n", n,
                 "multiples of 8 up to 256 (of integers, of 16 above 24)");
        const WgmmaConfig made(row.types, static_cast<ir::WgmmaN>(n / 8 - 1));
        if (k != made.k())
            fail(DiagId::ScriptUnknownChoice, a.span(2), "k", k, made.k());
        return new_extension<WgmmaConfig>(made.types, made.columns);
    }
    std::vector<std::string> known;
    for (const ir::WgmmaOperands& row : ir::wgmma_operands)
        known.push_back(cat(ir::info(row.in).short_name, " to ", ir::info(row.out).short_name));
    fail(DiagId::ScriptUnknownChoice, a.span(3), "the types",
         cat(ir::info(in).short_name, " to ", ir::info(out).short_name), join(known, ", "));
}

Value all_configs(Evaluator& evaluator, const Arguments&, Span) {
    std::vector<Value> configs;
    for (const ir::WgmmaOperands& row : ir::wgmma_operands)
        for (int n = 8; n <= 256; n += 8)
            if (has_columns(n, row.in))
                configs.push_back(new_extension<WgmmaConfig>(row.types, static_cast<ir::WgmmaN>(n / 8 - 1)));
    return evaluator.new_list(std::move(configs));
}

// Why a product has no such option; nothing: it has.
std::string_view obstacle(const WgmmaConfig& config, bool is_in_registers, std::string_view option) {
    if (option == "trans_a" && is_in_registers)
        return " of registers";
    if (option.starts_with("trans") && !config.can_transpose())
        return " of elements that have not 16 bits";
    if (option.starts_with("scale") && config.is_integer())
        return " of integers";
    return {};
}

void check_operands(const WgmmaConfig& config, const ir::ExprVec& operands, bool is_in_registers, const Arguments& a) {
    const ir::WgmmaOperands& row = ir::info(config.types);
    const std::string what = config.repr();
    constexpr int a_bytes = 16;
    if (is_in_registers)
        check_registers(operands[0], a.span(1), "a", what, a_bytes / ir::bytes_of(row.in), row.in);
    check_registers(operands[1], a.span(2), "c_ptr", what, config.sums(), row.out);
}

Value wgmma_async(Evaluator& evaluator, const Arguments& a, Span call) {
    const auto* config = a[0].extension<WgmmaConfig>();
    if (!config)
        fail(DiagId::ScriptNotAConfig, a.span(0), describe(a[0]));
    const ir::ExprRef first = to_expr(a[1], a.span(1));
    const bool is_in_registers = ir::is_address(first->type);
    const auto id = is_in_registers ? ir::IntrinsicId::WgmmaRegisters : ir::IntrinsicId::Wgmma;
    ir::IntrinsicAttr attr = ir::with(ir::with(ir::default_attr(id), config->types), config->columns);
    constexpr std::size_t first_option = 5;
    for (std::size_t i = first_option; const char* option : {"scale_a", "scale_b", "trans_a", "trans_b"}) {
        const std::size_t at = i++;
        const bool is_given = a.has(at);
        const std::string_view why_not = obstacle(*config, is_in_registers, option);
        const std::string_view plain = std::string_view(option).starts_with("trans") ? "0" : "1";
        if (why_not.empty() && is_given)
            set_attribute(attr, option, a[at], a.span(at));
        else if (is_given && std::to_string(to_int(a[at], a.span(at), option)) != plain)
            fail(DiagId::ScriptUnknownChoice, a.span(at), cat(option, why_not), to_int(a[at], a.span(at), option),
                 plain);
    }
    const ir::ExprRef scale = a.given(4) ? converted(evaluator, a[4], ir::DType::I32, a.span(4)) : ir::int_constant(1);
    ir::ExprVec operands{is_in_registers ? first : converted(evaluator, a[1], ir::DType::U64, a.span(1)),
                         pointer_argument(a[2], a.span(2)), converted(evaluator, a[3], ir::DType::U64, a.span(3)),
                         scale};
    check_operands(*config, operands, is_in_registers, a);
    return on_gpu(evaluator, "wgmma_async", attr, std::move(operands), call);
}

// The part of a descriptor that does not depend on where the tile lies: offsets in bytes, the layout 0 unswizzled, 1, 2, 3
// with 128, 64, 32 bytes.
Value make_wgmma_desc(Evaluator&, const Arguments& a, Span) {
    const auto field = [&](std::size_t i, std::string_view name) {
        const std::int64_t bytes = to_int(a[i], a.span(i), cat("'", name, "'"));
        if (bytes < 0 || bytes >= 1 << 18 || bytes % 16)
            fail(DiagId::ScriptUnknownChoice, a.span(i), name, bytes, "multiples of 16 below 262144");
        return static_cast<std::uint64_t>(bytes) >> 4;
    };
    const std::int64_t layout = to_int(a[2], a.span(2), "'layout_type'");
    if (layout < 0 || layout > 3)
        fail(DiagId::ScriptUnknownChoice, a.span(2), "layout_type", layout, "0, 1, 2, 3");
    // A swizzled tile whose rows are those of the product has no leading offset, for which 1 is customary.
    const bool has_lead = layout == 0 || a[0].is(ValueKind::Unknown) || to_int(a[0], a.span(0), "'lead'") != 1;
    const std::uint64_t bits =
        (has_lead ? field(0, "lead") : 0) << 16 | field(1, "stride") << 32 | static_cast<std::uint64_t>(layout) << 62;
    return Value::expr(ir::int_constant(static_cast<std::int64_t>(bits), ir::DType::U64));
}

} // namespace

int WgmmaConfig::k() const {
    return ir::info(types).k();
}

bool WgmmaConfig::can_transpose() const {
    return ir::bytes_of(ir::info(types).in) == 2;
}

bool WgmmaConfig::is_integer() const {
    return ir::is_integer(ir::info(types).in);
}

int WgmmaConfig::sums() const {
    return ir::wgmma_rows * n() / 128;
}

ir::MappingRef WgmmaConfig::a_load_map() const {
    return of_four_warps(warp_part(*this).a_load_map);
}

ir::MappingRef WgmmaConfig::c_store_map() const {
    ir::MappingRef warp = warp_part(*this).c_store_map;
    if (n() > 8) {
        ir::LoopAttr unrolled;
        unrolled.what = ir::LoopAttr::What::UnrollExplicit;
        warp = ir::compose(ir::repeat({ir::int_constant(1), ir::int_constant(n() / 8)}, {}, {unrolled, unrolled}),
                           std::move(warp));
    }
    return of_four_warps(std::move(warp));
}

std::string WgmmaConfig::repr() const {
    return cat("WgmmaConfig.m64n", n(), "k", k(), "_", ir::info(ir::info(types).in).short_name, "_",
               ir::info(ir::info(types).out).short_name);
}

std::span<const Member<WgmmaConfig>> WgmmaConfig::members() {
    using C = const WgmmaConfig&;
    static constexpr Value (*input_dtype)(C) = [](C c) {
        return Value::str(ir::info(ir::info(c.types).in).short_name);
    };
    static constexpr Member<WgmmaConfig> rows[] = {
        {"m", [](C) { return Value::integer(ir::wgmma_rows); }},
        {"n", [](C c) { return Value::integer(c.n()); }},
        {"k", [](C c) { return Value::integer(c.k()); }},
        {"a_input_dtype", input_dtype},
        {"b_input_dtype", input_dtype},
        {"output_dtype", [](C c) { return Value::str(ir::info(ir::info(c.types).out).short_name); }},
        // of all, by thread; what is in shared memory too
        {"a_elements", [](C c) { return Value::integer(ir::wgmma_rows * c.k() / 128); }},
        {"b_elements", [](C c) { return Value::integer(c.n() * c.k() / 128); }},
        {"c_elements", [](C c) { return Value::integer(c.sums()); }},
        {"a_regs", [](C) { return Value::integer(4); }},
        {"c_regs", [](C c) { return Value::integer(c.sums() * ir::bytes_of(ir::info(c.types).out) / 4); }},
        {"a_load_map", [](C c) { return Value::mapping(c.a_load_map()); }},
        {"c_store_map", [](C c) { return Value::mapping(c.c_store_map()); }},
        {"required_arch",
         [](C) {
             return Value::tuple({Value::integer(9), Value::integer(0)});
         }}, // and no later one
    };
    return rows;
}

void export_warp_group_products(HostModule& module) {
    module.function("wgmma_async",
                    {"config", "a", "c_ptr", "b_desc", "scale_d=", "scale_a=", "scale_b=", "trans_a=", "trans_b="},
                    wgmma_async);
    module.function("make_wgmma_desc", {"lead", "stride", "layout_type"}, make_wgmma_desc);
    std::vector<std::pair<std::string, Value>> functions{
        {"get", Value::native("get", {"m", "n", "k", "a_dtype", "b_dtype", "out_dtype"}, get)},
        {"all", Value::native("all", {}, all_configs)}};
    module.add("WgmmaConfig", new_extension<Namespace>("WgmmaConfig", std::move(functions)));
}

} // namespace hidet::lang
