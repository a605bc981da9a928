// SPDX-License-Identifier: Apache-2.0
// WmmaConfig: an older matrix instruction of one warp, with the order in which its tiles lie in memory.
#include "compiler/ir/intrinsics/wmma.h"
#include "lang/base/transformed.h"

#include "lang/host/arguments.h"
#include "lang/host/members.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

using ir::TileOrder;
using ir::Wmma;

namespace {

struct WmmaConfig final : WithMembers<WmmaConfig> {
    WmmaConfig(Wmma which, std::array<TileOrder, 3> orders) : orders(orders), shape(ir::info(which)) {}
    std::string type_name() const override { return "WmmaConfig"; }
    std::string repr() const override {
        return cat("WmmaConfig(", ir::word(shape.id), ", ", ir::word(orders[0]), ", ", ir::word(orders[1]), ", ",
                   ir::word(orders[2]), ")");
    }
    bool equals(const NativeObject& other) const override {
        const auto* config = dynamic_cast<const WmmaConfig*>(&other);
        return config && config->shape.id == shape.id && config->orders == orders;
    }
    std::size_t hash() const override {
        return static_cast<std::size_t>(shape.id) * 8 + static_cast<std::size_t>(orders[0]) * 4 +
               static_cast<std::size_t>(orders[1]) * 2 + static_cast<std::size_t>(orders[2]);
    }
    static std::span<const Member<WmmaConfig>> members();
    int registers(std::size_t tile) const {
        return tile == 0 ? shape.a_registers() : tile == 1 ? shape.b_registers() : shape.c_registers();
    }
    // Between the rows or columns of a tile that lies without gaps.
    int smallest_stride(std::size_t tile) const {
        const int rows = tile == 1 ? shape.k : shape.m, columns = tile == 0 ? shape.k : shape.n;
        return orders[tile] == TileOrder::row ? columns : rows;
    }

    std::array<TileOrder, 3> orders; // of a, b and c
    const ir::WmmaShape& shape;
};

std::span<const Member<WmmaConfig>> WmmaConfig::members() {
    using C = const WmmaConfig&;
    static constexpr auto number = [](int value) { return Value::integer(value); };
    static constexpr auto text = [](std::string_view word) { return Value::str(std::string(word)); };
    static constexpr Member<WmmaConfig> rows[] = {
        {"shape",
         [](C c) {
             return Value::tuple({number(c.shape.m), number(c.shape.n), number(c.shape.k)});
         }},
        {"a_dtype", [](C c) { return text(ir::info(c.shape.in).short_name); }},
        {"b_dtype", [](C c) { return text(ir::info(c.shape.in).short_name); }},
        {"c_dtype", [](C c) { return text(ir::info(c.shape.out).short_name); }},
        {"a_layout", [](C c) { return text(ir::word(c.orders[0])); }},
        {"b_layout", [](C c) { return text(ir::word(c.orders[1])); }},
        {"c_layout", [](C c) { return text(ir::word(c.orders[2])); }},
        {"a_regs", [](C c) { return number(c.registers(0)); }},
        {"b_regs", [](C c) { return number(c.registers(1)); }},
        {"c_regs", [](C c) { return number(c.registers(2)); }},
    };
    return rows;
}

std::vector<Value> all_configs() {
    std::vector<Value> configs;
    for (const ir::WmmaShape& shape : ir::wmma_shapes)
        for (TileOrder a : {TileOrder::row, TileOrder::col})
            for (TileOrder b : {TileOrder::row, TileOrder::col})
                for (TileOrder c : {TileOrder::row, TileOrder::col})
                    configs.push_back(new_extension<WmmaConfig>(shape.id, std::array{a, b, c}));
    return configs;
}

TileOrder order_of(const Arguments& a, std::size_t i, std::string_view name) {
    if (!a.given(i))
        return TileOrder::row;
    const std::string text = to_text(a[i], a.span(i), name);
    if (text != "row" && text != "col")
        fail(DiagId::ScriptUnknownChoice, a.span(i), name, text, "row, col");
    return text == "row" ? TileOrder::row : TileOrder::col;
}

// The configurations are a class of scripts: WmmaConfig(shape, types, layouts) finds one.
class WmmaConfigs final : public WithMembers<WmmaConfigs> {
public:
    std::string type_name() const override { return "WmmaConfig"; }
    static std::span<const Member<WmmaConfigs>> members() {
        static constexpr Member<WmmaConfigs> rows[] = {
            {"all", {}, [](WmmaConfigs&, Evaluator& evaluator, const Arguments&, Span) {
                 return evaluator.new_list(all_configs());
             }}};
        return rows;
    }
    std::unique_ptr<Value> call(Evaluator&, Args& args, Span span) override {
        Arguments a(args, span, "WmmaConfig",
                    {"shape", "a_dtype", "b_dtype", "c_dtype",
                     "a_layout=", "b_layout=", "c_layout=", "a_regs=", "b_regs=", "c_regs="});
        const std::vector<std::int64_t> shape = to_ints(a[0], a.span(0), "'shape'");
        const ir::DType left = to_dtype(a[1], a.span(1)), right = to_dtype(a[2], a.span(2)),
                        out = to_dtype(a[3], a.span(3));
        const std::array orders{order_of(a, 4, "a_layout"), order_of(a, 5, "b_layout"), order_of(a, 6, "c_layout")};
        for (const ir::WmmaShape& known : ir::wmma_shapes) {
            const bool is_it = shape == std::vector<std::int64_t>{known.m, known.n, known.k} && known.in == left &&
                               known.in == right && known.out == out;
            if (!is_it)
                continue;
            auto value = new_extension<WmmaConfig>(known.id, orders);
            for (std::size_t tile = 0; tile < 3; ++tile)
                check_registers_given(a, 7 + tile, value.extension<WmmaConfig>()->registers(tile));
            return boxed(std::move(value));
        }
        std::vector<std::string> known;
        for (const ir::WmmaShape& each : ir::wmma_shapes)
            known.emplace_back(ir::word(each.id));
        std::vector<std::string> sides = transformed(shape, [&](std::int64_t side) { return std::to_string(side); });
        fail(DiagId::ScriptUnknownChoice, span, "the configuration",
             cat(join(sides, " x "), " ", ir::info(left).short_name, " ", ir::info(right).short_name, " ",
                 ir::info(out).short_name),
             join(known, ", "));
    }

private:
    static void check_registers_given(const Arguments& a, std::size_t i, int wanted) {
        if (a.given(i) && to_int(a[i], a.span(i), "a number of registers") != wanted)
            fail(DiagId::ScriptUnknownChoice, a.span(i), "the number of registers",
                 to_int(a[i], a.span(i), "a number of registers"), wanted);
    }
};

const WmmaConfig& config_of(const Arguments& a) {
    const auto* config = a[0].extension<WmmaConfig>();
    if (!config)
        fail(DiagId::ScriptNotAConfig, a.span(0), describe(a[0]));
    return *config;
}

ir::IntrinsicAttr attributes_of(ir::IntrinsicId id, const WmmaConfig& config) {
    return ir::with(ir::default_attr(id), config.shape.id);
}

void check_tile(const WmmaConfig& config, std::size_t tile, const ir::ExprRef& registers, Span span,
                std::string_view name) {
    const bool is_sums = tile == 2;
    const ir::DType dtype = is_sums ? config.shape.out : config.shape.in;
    check_registers(registers, span, name, config.repr(), config.registers(tile) * 4 / ir::bytes_of(dtype), dtype);
}

ir::ExprRef stride_of(Evaluator& evaluator, const Arguments& a, const WmmaConfig& config, std::size_t tile) {
    const int smallest = config.smallest_stride(tile);
    if (!a.has(3))
        return ir::int_constant(smallest);
    ir::ExprRef stride = converted(evaluator, a[3], ir::DType::I32, a.span(3));
    const auto known = ir::constant_int(stride);
    if (known && (*known <= 0 || *known % smallest != 0))
        fail(DiagId::ScriptUnknownChoice, a.span(3), "'stride'", *known, cat("multiples of ", smallest));
    return stride;
}

void check_elements(const ir::ExprRef& memory, ir::DType wanted, Span span, std::string_view name,
                    const WmmaConfig& config) {
    const auto dtype = ir::scalar_of(pointee(memory, span));
    const bool is_right = dtype == wanted || (wanted == ir::DType::TF32 && dtype == ir::DType::F32);
    if (!is_right)
        fail(DiagId::ScriptUnknownChoice, span, cat("what '", name, "' of ", config.repr(), " points at"),
             type_text(ir::element_of(memory->type)), ir::info(wanted).short_name);
}

// wmma_load_a, wmma_load_b: tile 0 and 1.
NativeFunction load(ir::IntrinsicId id, std::size_t tile) {
    return [id, tile](Evaluator& evaluator, Args& args, Span call) {
        const std::string_view name = ir::info(id).short_name();
        Arguments a(args, call, name, {"config", "reg_addr", "mem_addr", "stride="});
        const WmmaConfig& config = config_of(a);
        ir::ExprVec operands{pointer_argument(a[1], a.span(1)), pointer_argument(a[2], a.span(2)),
                             stride_of(evaluator, a, config, tile)};
        check_tile(config, tile, operands[0], a.span(1), "reg_addr");
        check_elements(operands[1], config.shape.in, a.span(2), "mem_addr", config);
        return on_gpu(evaluator, name, ir::with(attributes_of(id, config), config.orders[tile]), std::move(operands),
                      call);
    };
}

Value store(Evaluator& evaluator, const Arguments& a, Span call) {
    const WmmaConfig& config = config_of(a);
    ir::ExprVec operands{pointer_argument(a[1], a.span(1)), pointer_argument(a[2], a.span(2)),
                         stride_of(evaluator, a, config, 2)};
    check_elements(operands[0], config.shape.out, a.span(1), "mem_addr", config);
    check_tile(config, 2, operands[1], a.span(2), "reg_addr");
    const auto attr = ir::with(attributes_of(ir::IntrinsicId::WmmaStore, config), config.orders[2]);
    return on_gpu(evaluator, "wmma_store", attr, std::move(operands), call);
}

Value multiply(Evaluator& evaluator, const Arguments& a, Span call) {
    const WmmaConfig& config = config_of(a);
    ir::IntrinsicAttr attr = attributes_of(ir::IntrinsicId::WmmaMma, config);
    ir::ExprVec operands;
    for (std::size_t tile = 0; tile < 3; ++tile) {
        operands.push_back(pointer_argument(a[tile + 1], a.span(tile + 1)));
        check_tile(config, tile, operands.back(), a.span(tile + 1), ir::info(attr.id).parameters[3 + tile].name);
        if (tile < 2)
            attr.values[1 + tile] = static_cast<std::int16_t>(config.orders[tile]);
    }
    return on_gpu(evaluator, "wmma_mma", attr, std::move(operands), call);
}

} // namespace

void export_wmma(HostModule& module) {
    module.function("wmma_load_a", load(ir::IntrinsicId::WmmaLoadA, 0));
    module.function("wmma_load_b", load(ir::IntrinsicId::WmmaLoadB, 1));
    module.function("wmma_mma", {"config", "a_regs_addr", "b_regs_addr", "c_regs_addr"}, multiply);
    module.function("wmma_store", {"config", "mem_addr", "reg_addr", "stride="}, store);
    module.add("WmmaConfig", new_extension<WmmaConfigs>());
}

} // namespace hidet::lang
